# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints the cores that Slurm withholds from a job on a node, in Slurm's numbers
and in Linux's, and findings about them.

Exit status: 0 Slurm's numbers are sound; 3 Slurm itself reserves something else
than these numbers, or nothing (os_cpus is what it really reserves); 2 bad
usage; 1 no answer."""
from __future__ import annotations

import json
from argparse import SUPPRESS
from collections.abc import Sequence
from functools import partial

from report import paths, program
from report.options import Parser, choice, refusal, slurm_version, text
from report.types import Json
from report.units import parse_cpus

PARAMETERS = ("allow_ecores", "config_override", "contain_spank", "l3cache_as_socket",
              "numa_node_as_socket", "conmgr_", "shutdown_on_reboot")


def parameters(value: str) -> str:
    """Check SlurmdParameters: Slurm ignores unknown words, so a misspelt one is an error."""
    for word in text(value).split(","):
        if not word.lower().startswith(PARAMETERS):
            raise refusal(word, "not a word of SlurmdParameters")
    return value


def add_node(parser: Parser) -> None:
    """Add the options about the node; each is passed on to a program of tools/."""
    add = partial(parser.add, action="append")
    add("--topology=FILE.xml", "the machine as lstopo(1) wrote it; without: this one")
    add("--node='LINE'", "the node line of slurm.conf: 'CPUs=64 Boards=1 SocketsPerBoard=2 "
        "CoresPerSocket=16 ThreadsPerCore=2 CoreSpecCount=1'; without: slurmctld's record of this "
        "node or, with --topology, what `slurmd -C` would print")
    add("--allow-spec-resources-usage=yes|no", "default: yes, or slurmctld's",
        choice("yes", "no"))
    add("--spec-cores-first", "SchedulerParameters=spec_cores_first")
    add("--slurmd-parameters=LIST", "SlurmdParameters: l3cache_as_socket, numa_node_as_socket, "
        "allow_ecores, config_overrides", parameters)
    add("--task-plugin-param=LIST", "TaskPluginParam: SlurmdSpecOverride")
    add("--slurm-version=V", "22.05 to 26.05; default: the node's, or the one jobio was built "
        "with", slurm_version)
    add("--conf=FILE", "jobio.conf, for the run_dir with the record of this node")
    add("--sysfs=DIR", SUPPRESS)  # for tests
    parser.add("--format=text|json", "default: text", choice("text", "json"), default="text")


def ask(name: str, parser: Parser, args: list[str], for_text: Sequence[str] = (),
        ) -> tuple[int, Json | None]:
    """Run jobio-NAME, which checks the values.

    for_text: more options for the text form
    Returns: its exit status, and the JSON to print as text; other output is printed here.
    """
    options, words = parser.read(args)
    is_text = options.format == "text"
    del options.format
    for key, values in vars(options).items():
        option = "--" + key.replace("_", "-")
        if values is True:
            words.append(option)
        elif values:
            words += [f"{option}={value}" for value in values]
    if is_text:
        words += for_text
    process = program.start([paths.helper("jobio-" + name), *words], stdin=None, stderr=None,
                            **program.OURS)
    out = process.communicate()[0].decode()
    if is_text and out:
        return process.returncode, json.loads(out)
    print(out, end="")
    return process.returncode, None


def line(label: str, text: str | None) -> None:
    """Print a line, unless its value is unknown."""
    if text is not None:
        print(f"{label:<16} {text or 'none'}")


def print_findings(reply: Json) -> None:
    for one in reply["findings"]:
        print(f"{one['code']} {one['severity']}: {one['text']}")
        if one["cure"]:
            print(f"    cure: {one['cure']}")


def print_map(reply: Json) -> None:
    """Print each core with its CPUs, and mark those that Slurm withholds."""
    if not reply["cores"]:
        return
    withheld = parse_cpus(reply["os_cpus"])
    print("\n  core socket  abstract CPUs     OS CPUs")
    for at, core in enumerate(reply["cores"]):
        mark = "*" if parse_cpus(core["os_cpus"]) & withheld else " "
        print(f"{mark} {at:4} {core['socket']:6}  {core['abstract_cpus']:<17} {core['os_cpus']}")
    print("  (* withheld)")


def main(args: list[str]) -> int:
    parser = Parser("cores [OPTION]...", __doc__)
    add_node(parser)
    parser.add("--core-spec=N", "a job that asks for N cores; without: one that does not",
               action="append")
    parser.add("--thread-spec=N", "a job that asks for N threads", action="append")
    status, reply = ask("cores", parser, args, ["--map"])
    if reply:
        line("abstract cores", reply["abstract_cores"])
        line("abstract CPUs", reply["abstract_cpus"])
        line("OS CPUs", reply["os_cpus"])
        line("class", reply["class"])
        print_findings(reply)
        print_map(reply)
    return status
