# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: jobio plan --max=N [--nic=IFACE] [OPTION]...
       jobio plan --client=NAME [--max=N] [OPTION]...
       jobio plan --os-cpus=LIST [OPTION]...

Chooses whole cores for the filesystem client, never core 0: beside
the network card, or spread over the NUMA nodes; and writes them as
slurm.conf, as mount options and as a command for the client.

  --max=N               the most cores that the client shall have
  --client=NAME         that of [client NAME] in jobio.conf: find the cards
                        that serve it on this node; --max is then 1
  --nic=IFACE           the network card that the client polls
  --local-cpus=LIST     OS CPUs beside it, where the machine cannot
                        tell
  --packed              the cores together
  --spread              the cores over the NUMA nodes
  --os-cpus=LIST        no choice: the client has these OS CPUs
  --topology=FILE.xml   as for jobio cores, and so are
  --node='LINE'
  --allow-spec-resources-usage=yes|no
  --spec-cores-first
  --slurmd-parameters=LIST
  --task-plugin-param=LIST
  --slurm-version=V
  --conf=FILE
  --format=text|json    default text

Exit status: 0 the plan can be had; 1 it cannot, or there is no
answer; 2 bad usage."""
from __future__ import annotations

from report.cores import ask, findings, line
from report.types import Json
from report.units import parse_cpus


def show_client(client: Json) -> None:
    """Print the client's cards, each with its NUMA node and its use."""
    for at, card in enumerate(client["cards"]):
        node = card["numa_node"]
        place = "its place is unknown" if node is None else f"NUMA node {node}"
        line("" if at else "card", f"{card['card']}, {place}, of client '{client['name']}' "
             f"({client['type']}): {card['serves']}")
    places = dict.fromkeys(card["cpus"] for card in client["cards"] if "cpus" in card)
    for at, cpus in enumerate(places):
        line("" if at else "beside it", cpus)


def show(told: Json) -> None:
    if "client" in told:
        show_client(told["client"])
    line("abstract cores", told["abstract_cores"])
    line("OS CPUs", told["os_cpus"])
    line("placement", told["reason"])
    line("slurm.conf", told["slurm_conf"])
    unit = "cores, since CPUs=cores there" if told["cpu_spec_list"] == told["abstract_cores"] \
        else "Slurm's numbers of threads"
    line("", f"on the node line, in {unit}; no CoreSpecCount beside it")
    if not told["spec_set_needed"]:
        line("", "no spec set needed where every job that finds the client")
        line("", f"working asks with --io-cores={len(parse_cpus(told['abstract_cores']))}: "
             "Slurm takes the same cores")
    line("mount", told.get("mount_options"))
    line("or" if "mount_options" in told else "client",
         next((told[key] for key in told if key.endswith("_command")), None))
    findings(told)


def main(args: list[str]) -> int:
    status, told = ask("plan", __doc__, args)
    if told:
        show(told)
    return status
