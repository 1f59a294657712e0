# SPDX-License-Identifier: GPL-2.0-or-later
"""Chooses whole cores for the filesystem client, never core 0: on the NUMA node of
the network card, or spread over the NUMA nodes; and prints them as slurm.conf,
as mount options and as a command for the client.

Exit status: 0 the plan is possible; 1 it is not, or there is no answer; 2 bad
usage."""
from __future__ import annotations

from functools import partial

from report.cores import add_node, ask, line, print_findings
from report.options import Parser
from report.types import Json
from report.units import parse_cpus

USAGE = """plan --max=N [--nic=IFACE] [OPTION]...
       jobio plan --client=NAME [--max=N] [OPTION]...
       jobio plan --os-cpus=LIST [OPTION]..."""


def print_client(client: Json) -> None:
    """Print the client's cards, each with its NUMA node and its use."""
    label = "card"
    for card in client["cards"]:
        node = card["numa_node"]
        place = "its place is unknown" if node is None else f"NUMA node {node}"
        line(label, f"{card['card']}, {place}, of client '{client['name']}' "
             f"({client['type']}): {card['serves']}")
        label = ""
    label = "beside it"
    for cpus in dict.fromkeys(card["cpus"] for card in client["cards"] if "cpus" in card):
        line(label, cpus)
        label = ""


def print_plan(plan: Json) -> None:
    if "client" in plan:
        print_client(plan["client"])
    line("abstract cores", plan["abstract_cores"])
    line("OS CPUs", plan["os_cpus"])
    line("placement", plan["reason"])
    line("slurm.conf", plan["slurm_conf"])
    unit = "Slurm's numbers of threads"
    if plan["cpu_spec_list"] == plan["abstract_cores"]:
        unit = "cores, since CPUs=cores there"
    line("", f"on the node line, in {unit}; no CoreSpecCount beside it")
    if not plan["spec_set_needed"]:
        cores = len(parse_cpus(plan["abstract_cores"]))
        line("", "no spec set needed where every job that finds the client")
        line("", f"working asks with --io-cores={cores}: Slurm takes the same cores")
    line("mount", plan.get("mount_options"))
    command = next((value for key, value in plan.items() if key.endswith("_command")), None)
    line("or" if "mount_options" in plan else "client", command)
    print_findings(plan)


def main(args: list[str]) -> int:
    parser = Parser(USAGE, __doc__)
    add = partial(parser.add, action="append")
    add("--max=N", "maximum number of cores for the client")
    add("--client=NAME", "that of [client NAME] in jobio.conf: find the cards that serve it on "
        "this node; --max is then 1")
    add("--nic=IFACE", "the network card that the client polls")
    add("--local-cpus=LIST", "OS CPUs on its NUMA node, where the kernel does not have them")
    add("--os-cpus=LIST", "no choice: the client has these OS CPUs")
    add("--packed", "the cores together")
    add("--spread", "the cores over the NUMA nodes")
    add_node(parser)
    status, plan = ask("plan", parser, args)
    if plan:
        print_plan(plan)
    return status
