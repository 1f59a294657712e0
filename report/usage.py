# SPDX-License-Identifier: GPL-2.0-or-later
"""Requested and used CPUs, memory and time of a job, and options for the next one."""
from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from report import units
from report.sacct import Row
from report.units import percent, plural

# A share below which less is enough. As jobstats' config.py has them: CPU_UTIL_BLACK,
# MIN_MEMORY_USAGE, TIME_EFFICIENCY_BLACK, MIN_RUNTIME_SECONDS, and its notes add a fifth to
# memory (github.com/PrincetonUniversity/jobstats)
ENOUGH = {"cpu": 0.80, "memory": 0.70, "time": 0.60}
JUDGED_S = 300
SPARE = 1.2
MIB = 1 << 20
QUARTER_S = 900


def cpus(row: Row) -> str:
    """Return the option for CPUs; "": unknown."""
    share, count = row.cpu_share, row.cpus or 0
    if share is None:
        return ""
    busy = max(1, ceil(share * count - 0.05))
    if share >= ENOUGH["cpu"] or row.gpus or busy >= count:
        return "as many"
    return (f"{plural(busy, 'CPU')} (--ntasks, --cpus-per-task): {busy} of {count} were busy in "
            "the mean")


def memory(row: Row) -> str:
    """Return the memory option for one node; "": unknown. Of several nodes the mean is known, and
    the largest may need more."""
    if row.word == "OUT_OF_MEMORY":
        return "more: --mem; it ran out of memory"
    share, nodes = row.memory_share, row.nodes or 1
    if share is None or not row.is_sampled:
        return ""
    if share >= ENOUGH["memory"]:
        return "as much"
    mib = ceil((row.memory_used or 0) * SPARE / nodes / MIB)
    option = f"--mem={ceil(mib / 1024)}G" if mib > 4096 else f"--mem={ceil(mib / 100) * 100}M"
    return option if nodes == 1 else f"less: {option}, if the nodes use the same"


def time(row: Row) -> str:
    """Return the time option; "": unknown."""
    if row.word == "TIMEOUT":
        return "more: --time; it ran into its limit"
    if not row.limit_s or not row.elapsed_s or row.word != "COMPLETED":
        return ""
    enough_s = ceil(row.elapsed_s * SPARE / QUARTER_S) * QUARTER_S
    if row.elapsed_s >= row.limit_s * ENOUGH["time"] or enough_s >= row.limit_s:
        return "as much"
    return f"--time={units.elapsed(enough_s)}"


def lines(row: Row, is_whole: bool) -> Iterator[str]:
    """Return lines with the use and the option for the next job.

    is_whole: the job had exclusive nodes, with all of their CPUs and memory
    """
    if (row.elapsed_s or 0) < JUDGED_S and row.word not in ("OUT_OF_MEMORY", "TIMEOUT"):
        return
    rows = []
    if not is_whole:
        given = units.size(row.memory_given)
        rows = [("CPU", cpus(row), f"{percent(row.cpu_share)} of {plural(row.cpus or 0, 'CPU')}"),
                ("memory", memory(row), f"{percent(row.memory_share)} of {given}")]
    rows.append(
        ("time", time(row), f"{units.elapsed(row.elapsed_s)} of {units.elapsed(row.limit_s)}"))
    for name, option, used in rows:
        if option:
            yield f"{name:<6}  {used}; next time: {option}"
