# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: jobio cores [OPTION]...

Shows which cores Slurm withholds from a job on a node, in Slurm's
numbers and in Linux's, and what is wrong with them.

  --topology=FILE.xml   the machine as lstopo(1) wrote it; without: this one
  --node='LINE'         the node line of slurm.conf: 'CPUs=64 Boards=1
                        SocketsPerBoard=2 CoresPerSocket=16
                        ThreadsPerCore=2 CoreSpecCount=1'; without: what
                        slurmctld says of this node or, with --topology,
                        what `slurmd -C` would say
  --allow-spec-resources-usage=yes|no   default yes, or slurmctld's
  --spec-cores-first    SchedulerParameters=spec_cores_first
  --slurmd-parameters=LIST   SlurmdParameters: l3cache_as_socket,
                        numa_node_as_socket, allow_ecores,
                        config_overrides
  --task-plugin-param=LIST   TaskPluginParam: SlurmdSpecOverride
  --slurm-version=V     22.05 to 26.05; default: the node's, or the one
                        jobio was built with
  --conf=FILE           jobio.conf, for the run_dir where this node is
                        remembered
  --core-spec=N         a job that asks for N cores; without: one that
                        does not
  --thread-spec=N       a job that asks for N threads
  --format=text|json    default text

Exit status: 0 Slurm's numbers are sound; 3 Slurm itself reserves
something else than the numbers say, or nothing (os_cpus is what it
really reserves); 2 bad usage; 1 no answer."""
from __future__ import annotations

import json
from collections.abc import Sequence

from report import paths, program
from report.command import USAGE, Failure
from report.options import parse, slurm_version, text
from report.types import Json
from report.units import parse_cpus

PARAMETERS = ("allow_ecores", "config_override", "contain_spank", "l3cache_as_socket",
              "numa_node_as_socket", "conmgr_", "shutdown_on_reboot")


def parameters(name: str, value: str) -> str:
    """Check the words of an option: Slurm ignores unknown words, so a misspelt one is an error."""
    for word in value.split(","):
        if not word.lower().startswith(PARAMETERS):
            raise Failure(f"--{name}: '{word}': not a word of SlurmdParameters", USAGE)
    return value


def known_version(_: str, value: str) -> str:
    slurm_version(value)
    return value


TAKES = {"slurmd-parameters": parameters, "slurm-version": known_version, "sysfs": text}


def ask(name: str, help_text: str | None, args: list[str], for_text: Sequence[str] = (),
        ) -> tuple[int, Json | None]:
    """Run jobio-NAME, which checks the values.

    Returns: its exit status, and the JSON to print as text; other output is printed here.
    """
    given, words = parse(help_text, args, TAKES)
    form = dict(given).get("format", "text")
    words += ["--" + key if value is True else f"--{key}={value}"
              for key, value in given if key != "format"]
    words += for_text if form == "text" else ()
    ran = program.start([paths.helper("jobio-" + name), *words], stdin=None, stderr=None,
                        **program.OURS)
    out = ran.communicate()[0].decode()
    if form == "text" and out:
        return ran.returncode, json.loads(out)
    print(out, end="")
    return ran.returncode, None


def line(label: str, text: str | None) -> None:
    if text is not None:
        print(f"{label:<16} {text or 'none'}")


def findings(told: Json) -> None:
    for one in told["findings"]:
        print(f"{one['code']} {one['severity']}: {one['text']}")
        if one["cure"]:
            print(f"    cure: {one['cure']}")


def main(args: list[str]) -> int:
    status, told = ask("cores", __doc__, args, ["--map"])
    if not told:
        return status
    line("abstract cores", told["abstract_cores"])
    line("abstract CPUs", told["abstract_cpus"])
    line("OS CPUs", told["os_cpus"])
    line("class", told["class"])
    findings(told)
    withheld = parse_cpus(told["os_cpus"])
    for at, core in enumerate(told["cores"]):
        if not at:
            print("\n  core socket  abstract CPUs     OS CPUs")
        mark = "*" if parse_cpus(core["os_cpus"]) & withheld else " "
        print(f"{mark} {at:4} {core['socket']:6}  {core['abstract_cpus']:<17} {core['os_cpus']}")
    if told["cores"]:
        print("  (* withheld)")
    return status
