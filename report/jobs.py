# SPDX-License-Identifier: GPL-2.0-or-later
"""Lists of jobs: columns, order and sums."""
from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from report import job as one_job
from report import sacct, units
from report.command import USAGE, Failure, nearest
from report.record import Job, Source
from report.types import Any, Json

Column = tuple[str, str, bool, list[str]]  # name, head, is it a number, cells

LIMIT = 1000
NAME_MAX = 20
ADVICE_MIN = 16
NODE_WIDE = "* NODE-WIDE, with whatever else ran there"
NEVER_RAN = {"PENDING", "CANCELLED", "BOOT_FAIL", "DEADLINE", "REVOKED", "CONFIGURING"}


# default query of a list; sacct selects the jobs, as far as slurmdbd lets the caller see them
USUAL_QUERY = {"starttime": "now-1days", "endtime": "now", "state": [], "sort": "end",
               "limit": LIMIT}


# ---- order ----------------------------------------------------------------------------

def most(value: float | None) -> float:
    """Return a sort key: largest, or last, first; unknown values at the end."""
    return -value if value is not None else float("inf")


def newest(value: int | None) -> float:
    """Return a sort key: jobs that have not started or ended are first."""
    return -value if value else -float("inf")


def row_of(job: Job) -> sacct.Row:
    assert job.slurm
    return job.slurm


SORTS: dict[str, Callable[[Job], Any]] = {
    "end": lambda job: newest(row_of(job).end),
    "start": lambda job: newest(row_of(job).start),
    "name": lambda job: row_of(job).name, "user": lambda job: row_of(job).user,
    "state": lambda job: row_of(job).state, "elapsed": lambda job: most(row_of(job).elapsed_s),
    "nodes": lambda job: most(job.node_count), "profile": lambda job: job.summary.prof,
    "read": lambda job: most(job.totals["read_bytes"]),
    "written": lambda job: most(job.totals["write_bytes"])}


def in_order(jobs: list[Job], key: str) -> list[Job]:
    """Sort the jobs; equal ones: the newest first, tasks of an array by number."""
    return sorted(jobs, key=lambda job: (SORTS[key](job), newest(row_of(job).start)))


class List:
    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.left_out = 0  # above the limit
        self.never_ran = 0  # hidden jobs
        self.why_not_ledger = ""


def never_ran(row: sacct.Row) -> bool:
    return not row.summary and (row.never_started or row.word in NEVER_RAN
                                and (not row.start or not row.elapsed_s))


def get(source: Source, query: Json, everything: bool = False, steps: bool = True) -> List:
    """Query a list: the caller's own jobs without other users or accounts, also for root.

    everything: include jobs that never ran, as for programs
    steps: include the use of CPUs and memory
    """
    users = query.get("user")
    if not users and not query.get("account"):
        import pwd

        try:
            users = pwd.getpwuid(os.geteuid()).pw_name
        except KeyError:
            users = str(os.geteuid())
    source.start(sacct.query(
        users=users, accounts=query.get("account"), since=query["starttime"],
        until=query["endtime"], everybody=not users, cluster=source.wanted_cluster), steps)
    assert source.config
    rows = source.wait_sacct()
    if rows is None:
        raise Failure(source.why_no_slurm)
    found = List()
    shown = [row for row in rows if not query["state"] or row.word in query["state"]]
    if not (everything or "all" in query or query["state"]):
        hidden = [row for row in shown if never_ran(row)]
        found.never_ran = len(hidden)
        shown = [row for row in shown if not never_ran(row)]
    jobs = in_order(source.jobs_listed(shown), query["sort"])
    found.left_out = max(0, len(jobs) - query["limit"])
    found.jobs = jobs[:query["limit"]]
    found.why_not_ledger = source.fill(found.jobs)
    found.jobs = in_order(found.jobs, query["sort"])
    return found


# ---- columns --------------------------------------------------------------------------

def total(jobs: Sequence[Job]) -> dict[str, int | None]:
    return {key: units.known(job.totals[key] for job in jobs) for key in jobs[0].totals}


def is_listed_of_slurm(job: Job) -> bool:
    """Return True if sacct's row is of this run, also before slurmdbd has its end."""
    return job.is_of_slurm or bool(job.slurm and not job.is_old_run and not job.is_before_slurm)


def state(job: Job) -> str:
    text = row_of(job).word if job.slurm and is_listed_of_slurm(job) else "-"
    return text + ", refused" if job.summary.refused else text


def elapsed(job: Job) -> str:
    row = job.slurm if is_listed_of_slurm(job) else None
    seconds = row.elapsed_s if row and row.elapsed_s is not None else job.time["seconds"]
    return units.elapsed(seconds)


def bytes_of(job: Job, key: str) -> str:
    return units.size(job.totals[key], "-") + ("*" if job.is_node_wide else "")


def io_share(job: Job) -> str:
    from report import advice

    share = advice.job_share(job.answer)
    return units.percent(job.summary.io_share if share is None else share, "-")


def advice_of(job: Job) -> str:
    lines = one_job.advice_of(job)
    return f"{lines[0].code} {lines[0].what}" if lines else "-"


def share(name: str) -> Callable[[Job], str]:
    return lambda job: units.percent(getattr(job.slurm, name) if job.is_of_slurm else None, "-")


def field(name: str) -> Callable[[Job], str]:
    return lambda job: (job.slurm.fields[name] if job.slurm else "") or "-"


def clock(name: str) -> Callable[[Job], str]:
    return lambda job: units.clock(getattr(job.slurm, name, None) or None, "%Y-%m-%dT%H:%M:%S",
                                   "Unknown")


# {name of --format: head, text, is it a number}
COLUMNS: dict[str, tuple[str, Callable[[Job], str], bool]] = {
    "jobid": ("JobID", lambda job: job.id, False),
    "jobidraw": ("JobIDRaw", lambda job: str(job.number or "-"), False),
    "user": ("User", lambda job: job.user or "-", False),
    "account": ("Account", field("Account"), False),
    "partition": ("Partition", field("Partition"), False),
    "qos": ("QOS", field("QOS"), False),
    "cluster": ("Cluster", lambda job: job.cluster or "-", False),
    "jobname": ("JobName", lambda job: (job.slurm.name if job.slurm else "") or "-", False),
    "state": ("State", state, False),
    "exitcode": ("ExitCode", field("ExitCode"), False),
    "submit": ("Submit", clock("submit"), False),
    "start": ("Start", clock("start"), False),
    "end": ("End", clock("end"), False),
    "elapsed": ("Elapsed", elapsed, True),
    "timelimit": ("Timelimit", lambda job: units.elapsed(job.slurm.limit_s if job.slurm else None),
                  True),
    "nodes": ("Nodes", lambda job: units.whole(job.node_count, "-"), True),
    "nodelist": ("NodeList", field("NodeList"), False),
    "cpus": ("CPUs", lambda job: units.whole(job.slurm.cpus if job.slurm else None, "-"), True),
    "cpu%": ("CPU%", share("cpu_share"), True),
    "mem%": ("Mem%", share("memory_share"), True),
    "gpu%": ("GPU%", share("gpu_share"), True),
    "io%": ("I/O%", io_share, True),
    "profile": ("Profile", lambda job: job.summary.prof or "-", False),
    "iocores": ("IOCores", lambda job: job.summary.cores or "-", True),
    "read": ("Read", lambda job: bytes_of(job, "read_bytes"), True),
    "reads": ("Reads", lambda job: units.count(job.totals["read_calls"], "-"), True),
    "written": ("Written", lambda job: bytes_of(job, "write_bytes"), True),
    "writes": ("Writes", lambda job: units.count(job.totals["write_calls"], "-"), True),
    "metadata": ("Metadata", lambda job: units.count(job.summary.meta, "-"), True),
    "filesystems": ("Filesystems", lambda job: job.summary.fs or "-", False),
    "findings": ("Findings", lambda job: " ".join(job.findings) or "-", False),
    "summary": ("Summary", lambda job: job.summary_text or "-", False),
    "advice": ("Advice", advice_of, False)}
USUAL = ("jobid", "user", "jobname", "state", "elapsed", "nodes", "cpu%", "io%", "profile", "read",
         "written", "advice")


def columns(option: str, text: str) -> list[tuple[str, int]]:
    """Parse NAME or NAME%WIDTH, as in sacct.

    Returns: names and widths; 0: as needed; negative, as in sacct: left-justified.
    """
    found = []
    for one in text.lower().split(","):
        name, _, width = one.strip().partition("%") if one.strip() not in COLUMNS else \
            (one.strip(), "", "")
        if name + "%" in COLUMNS and name not in COLUMNS:
            name += "%"
        if name not in COLUMNS or (width and not width.lstrip("-").isdigit()):
            near = nearest(name, list(COLUMNS))
            raise Failure(f"--{option}: '{one[:60]}': no such column; "
                          + (f"did you mean {near}?" if near else
                             "columns: " + ",".join(COLUMNS)), USAGE)
        found.append((name, int(width or 0)))
    return found


def cut(text: str, width: int) -> str:
    """Cut a text to the width, with '+' as the last character."""
    return text if len(text) <= width else text[:width - 1] + "+"


def columns_of(jobs: Sequence[Job], chosen: Sequence[tuple[str, int]],
               optional: Sequence[str] = ()) -> list[Column]:
    """Return the columns; optional ones without values are left out, and the user if all are the
    same."""
    made = []
    for name, width in chosen:
        head, text, is_number = COLUMNS[name]
        cells = [text(job) for job in jobs]
        if width:
            cells = [cut(cell, abs(width)) for cell in cells]
        if name not in optional or (any(cell != "-" for cell in cells)
                                    and (name != "user" or len(set(cells)) > 1)):
            made.append((name, head, is_number and width >= 0, cells))
    return made


def table(jobs: list[Job], chosen: list[tuple[str, int]] | None = None) -> Iterator[str]:
    """Return the lines of a table, as wide as needed; on a terminal the last column is cut at its
    width."""
    made = columns_of(jobs, chosen or [(name, NAME_MAX * (name == "jobname")) for name in USUAL],
                      () if chosen else ("user", "cpu%", "io%", "profile"))
    wide = [max(map(len, [head, *cells])) for _, head, _, cells in made]
    room = max(units.width() - sum(wide[:-1]) - 2 * (len(wide) - 1), ADVICE_MIN)
    if units.width() and not made[-1][2]:
        made[-1] = (*made[-1][:3], [cut(cell, room) for cell in made[-1][3]])
    columns = []
    for (name, head, is_number, cells), width in zip(made, wide):
        padded = [cell.rjust(width) if is_number else cell.ljust(width) for cell in [head, *cells]]
        padded[0] = units.tone("strong", padded[0])
        if name == "state":
            padded[1:] = [units.tone(one_job.state_tone(cell.split(",")[0]), wide_cell)
                          for cell, wide_cell in zip(cells, padded[1:])]
        columns.append(padded)
    for line in zip(*columns):
        yield "  ".join(line).rstrip()


def text(found: List, query: Json, chosen: list[tuple[str, int]] | None = None) -> str:
    hidden = f"{units.plural(found.never_ran, 'job')} that never ran: --all shows " \
        f"{'it' if found.never_ran == 1 else 'them'}"
    if not found.jobs:
        return f"no jobs from {query['starttime']} to {query['endtime']}\n" \
            + (hidden + "\n" if found.never_ran else "")
    lines = list(table(found.jobs, chosen))
    if any(job.is_node_wide for job in found.jobs):
        lines.append(NODE_WIDE)
    if found.left_out:
        lines.append(f"{found.left_out} more: --limit={query['limit'] + found.left_out} shows them")
    if found.never_ran:
        lines.append(hidden)
    if found.why_not_ledger:
        lines.append(f"from sacct alone, without advice: {found.why_not_ledger}")
    return "\n".join(lines) + "\n"
