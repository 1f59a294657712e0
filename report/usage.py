# SPDX-License-Identifier: GPL-2.0-or-later
"""Requested and used CPUs, memory and time of a job, and options for the next one."""
from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from report import sacct, units
from report.units import percent, plural

# A share below which less is enough. As jobstats' config.py has them: CPU_UTIL_BLACK,
# MIN_MEMORY_USAGE, TIME_EFFICIENCY_BLACK, MIN_RUNTIME_SECONDS, and its notes add a fifth to
# memory (github.com/PrincetonUniversity/jobstats)
ENOUGH = {"cpu": 0.80, "memory": 0.70, "time": 0.60}
JUDGED_S = 300
SPARE = 1.2
MIB = 1 << 20
QUARTER_S = 900


def cpus(row: sacct.Row) -> str:
    share, count = row.cpu_share, row.cpus or 0
    if share is None:
        return ""
    busy = max(1, ceil(share * count - 0.05))
    if share >= ENOUGH["cpu"] or row.gpus or busy >= count:
        return "as many"
    return f"{plural(busy, 'CPU')} (--ntasks, --cpus-per-task): {busy} of {count} were busy in " \
        "the mean"


def memory(row: sacct.Row) -> str:
    """Return the memory option for one node: of several nodes the mean is known, and the largest
    may need more."""
    if row.word == "OUT_OF_MEMORY":
        return "more: --mem; it ran out of memory"
    share, nodes = row.memory_share, row.nodes or 1
    if share is None or not row.is_sampled:
        return ""
    if share >= ENOUGH["memory"]:
        return "as much"
    enough = ceil((row.memory_used or 0) * SPARE / nodes / MIB)
    text = f"{ceil(enough / 1024)}G" if enough > 4096 else f"{ceil(enough / 100) * 100}M"
    return f"--mem={text}" if nodes == 1 else f"less: --mem={text}, if the nodes use the same"


def time(row: sacct.Row) -> str:
    if row.word == "TIMEOUT":
        return "more: --time; it ran into its limit"
    if not row.limit_s or not row.elapsed_s or row.word != "COMPLETED":
        return ""
    if row.elapsed_s >= row.limit_s * ENOUGH["time"]:
        return "as much"
    enough = ceil(row.elapsed_s * SPARE / QUARTER_S) * QUARTER_S
    return f"--time={units.elapsed(enough)}" if enough < row.limit_s else "as much"


def lines(row: sacct.Row, is_whole: bool) -> Iterator[str]:
    """Return lines with the use and the option for the next job.

    is_whole: the job had exclusive nodes, with all of their CPUs and memory
    """
    if (row.elapsed_s or 0) < JUDGED_S and row.word not in ("OUT_OF_MEMORY", "TIMEOUT"):
        return
    told = [("time", time(row), f"{units.elapsed(row.elapsed_s)} of {units.elapsed(row.limit_s)}")]
    if not is_whole:
        given = units.size(row.memory_given)
        told[:0] = [
            ("CPU", cpus(row), f"{percent(row.cpu_share)} of {plural(row.cpus or 0, 'CPU')}"),
            ("memory", memory(row), f"{percent(row.memory_share)} of {given}")]
    for name, cure, used in told:
        if cure:
            yield f"{name:<6}  {used}; next time: {cure}"
