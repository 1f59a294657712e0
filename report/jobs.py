# SPDX-License-Identifier: GPL-2.0-or-later
"""Lists of jobs: columns, order and sums."""
from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from report import sacct, screen, units
from report.command import Failure, nearest
from report.job import Job
from report.options import refusal
from report.source import Source
from report.types import Any, Options

Column = tuple[str, str, bool, list[str]]  # name, head, is it a number, cells
Chosen = tuple[str, int]  # name and width of a column; 0: as needed; negative: left-justified

NAME_MAX = 20
ADVICE_MIN = 16
NODE_WIDE = "* NODE-WIDE, with whatever else ran there"
NEVER_RAN = {"PENDING", "CANCELLED", "BOOT_FAIL", "DEADLINE", "REVOKED", "CONFIGURING"}


# ---- order ----------------------------------------------------------------------------

def largest(value: float | None) -> float:
    """Return a sort key: the largest value first, unknown values last."""
    return -value if value is not None else float("inf")


def newest(value: int | None) -> float:
    """Return a sort key: the newest time first, before it jobs that have not started or ended."""
    return -value if value else -float("inf")


def row_of(job: Job) -> sacct.Row:
    assert job.slurm
    return job.slurm


SORTS: dict[str, Callable[[Job], Any]] = {
    "end": lambda job: newest(row_of(job).end),
    "start": lambda job: newest(row_of(job).start),
    "name": lambda job: row_of(job).name,
    "user": lambda job: row_of(job).user,
    "state": lambda job: row_of(job).state,
    "elapsed": lambda job: largest(row_of(job).elapsed_s),
    "nodes": lambda job: largest(job.node_count),
    "profile": lambda job: job.summary.prof,
    "read": lambda job: largest(job.totals["read_bytes"]),
    "written": lambda job: largest(job.totals["write_bytes"])}


def in_order(jobs: list[Job], key: str) -> list[Job]:
    """Sort the jobs; equal ones: the newest first, tasks of an array by number."""
    return sorted(jobs, key=lambda job: (SORTS[key](job), newest(row_of(job).start)))


# ---- query ----------------------------------------------------------------------------

class List:
    """The jobs of a query.

    left_out: number of jobs above the limit
    never_ran: number of jobs that are hidden because they never ran
    why_not_ledger: the reason if all jobs are sacct's
    """

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.left_out = 0
        self.never_ran = 0
        self.why_not_ledger = ""


def never_ran(row: sacct.Row) -> bool:
    if row.summary:
        return False
    return row.never_started or (row.word in NEVER_RAN and not (row.start and row.elapsed_s))


def caller() -> str:
    """Return the name of the caller, or the number."""
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def get(source: Source, query: Options, is_whole: bool = False, steps: bool = True) -> List:
    """Query the jobs of a list; without users and accounts the caller's own, also for root.

    is_whole: include jobs that never ran
    steps: include the use of CPUs and memory
    Raises: Failure
    """
    users = query.user
    if not users and not query.account:
        users = caller()
    source.start(sacct.query(
        users=users, accounts=query.account, since=query.starttime, until=query.endtime,
        everybody=not users, cluster=source.wanted_cluster), steps)
    assert source.config  # prints its warning
    rows = source.wait_sacct()
    if rows is None:
        raise Failure(source.why_no_slurm)
    found = List()
    if query.state:
        rows = [row for row in rows if row.word in query.state]
    elif not is_whole and not query.all:
        shown = [row for row in rows if not never_ran(row)]
        found.never_ran = len(rows) - len(shown)
        rows = shown
    jobs = in_order(source.jobs_listed(rows), query.sort)
    found.left_out = max(0, len(jobs) - query.limit)
    found.jobs = jobs[:query.limit]
    found.why_not_ledger = source.fill(found.jobs)
    found.jobs = in_order(found.jobs, query.sort)
    return found


def total(jobs: Sequence[Job]) -> dict[str, int | None]:
    return {key: units.known(job.totals[key] for job in jobs) for key in jobs[0].totals}


# ---- columns --------------------------------------------------------------------------

def is_of_row(job: Job) -> bool:
    """Return True if sacct's row is of this run, also before slurmdbd has its end."""
    if job.is_of_slurm:
        return True
    return bool(job.slurm and not job.is_old_run and not job.is_before_slurm)


def state(job: Job) -> str:
    text = row_of(job).word if job.slurm and is_of_row(job) else "-"
    return text + ", refused" if job.summary.refused else text


def elapsed(job: Job) -> str:
    row = job.slurm if is_of_row(job) else None
    if row and row.elapsed_s is not None:
        return units.elapsed(row.elapsed_s)
    return units.elapsed(job.time.seconds)


def io_share(job: Job) -> str:
    from report import advice

    share = advice.job_share(job.answer)
    return units.percent(job.summary.io_share if share is None else share, "-")


def first_advice(job: Job) -> str:
    lines = job.advice
    return f"{lines[0].code} {lines[0].what}" if lines else "-"


def moved(key: str) -> Callable[[Job], str]:
    return lambda job: units.size(job.totals[key], "-") + ("*" if job.is_node_wide else "")


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
    "jobname": ("JobName", field("JobName"), False),
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
    "read": ("Read", moved("read_bytes"), True),
    "reads": ("Reads", lambda job: units.count(job.totals["read_calls"], "-"), True),
    "written": ("Written", moved("write_bytes"), True),
    "writes": ("Writes", lambda job: units.count(job.totals["write_calls"], "-"), True),
    "metadata": ("Metadata", lambda job: units.count(job.summary.meta, "-"), True),
    "filesystems": ("Filesystems", lambda job: job.summary.fs or "-", False),
    "findings": ("Findings", lambda job: " ".join(job.run.findings) or "-", False),
    "summary": ("Summary", lambda job: job.summary_text or "-", False),
    "advice": ("Advice", first_advice, False)}
USUAL = ("jobid", "user", "jobname", "state", "elapsed", "nodes", "cpu%", "io%", "profile", "read",
         "written", "advice")
# columns of USUAL that are left out without values
OPTIONAL = ("user", "cpu%", "io%", "profile")


def columns(text: str) -> list[Chosen]:
    """Parse NAME or NAME%WIDTH, separated by commas, as in sacct --format.

    Raises: ArgumentTypeError
    """
    found = []
    for word in text.lower().split(","):
        name, width = word.strip(), ""
        if name not in COLUMNS:
            name, _, width = name.partition("%")
        if name + "%" in COLUMNS:
            name += "%"
        if name not in COLUMNS or (width and not width.lstrip("-").isdigit()):
            near = nearest(name, list(COLUMNS))
            hint = f"did you mean {near}?" if near else "columns: " + ",".join(COLUMNS)
            raise refusal(word, f"no such column; {hint}")
        found.append((name, int(width or 0)))
    return found


def cut(text: str, width: int) -> str:
    """Cut a text to the width, with '+' as the last character."""
    return text if len(text) <= width else text[:width - 1] + "+"


def is_empty(name: str, cells: list[str]) -> bool:
    """Return True for a column without values, and for the same user in all rows."""
    values = set(cells)
    return values <= {"-"} or (name == "user" and len(values) < 2)


def columns_of(jobs: Sequence[Job], chosen: Sequence[Chosen],
               optional: Sequence[str] = ()) -> list[Column]:
    """Return the columns with the cells of the jobs.

    optional: these columns are left out if they are empty
    """
    made = []
    for name, width in chosen:
        head, text, is_number = COLUMNS[name]
        cells = [text(job) for job in jobs]
        if width:
            cells = [cut(cell, abs(width)) for cell in cells]
        if name not in optional or not is_empty(name, cells):
            made.append((name, head, is_number and width >= 0, cells))
    return made


def padded(column: Column, width: int) -> list[str]:
    """Return the head and the cells of a column, in this width and with the tones of states."""
    name, head, is_number, cells = column
    found = [text.rjust(width) if is_number else text.ljust(width) for text in [head, *cells]]
    found[0] = units.tone("strong", found[0])
    if name == "state":
        tones = [screen.state_tone(cell.split(",")[0]) for cell in cells]
        found[1:] = map(units.tone, tones, found[1:])
    return found


def table(jobs: list[Job], chosen: list[Chosen] | None = None) -> Iterator[str]:
    """Return the lines of a table; on a terminal the last column is cut at its width.

    chosen: the columns; None: the usual ones
    """
    if chosen:
        made = columns_of(jobs, chosen)
    else:
        usual = [(name, NAME_MAX if name == "jobname" else 0) for name in USUAL]
        made = columns_of(jobs, usual, OPTIONAL)
    widths = [max(map(len, [head, *cells])) for _, head, _, cells in made]
    name, head, is_number, cells = made[-1]
    if units.width() and not is_number:
        room = max(units.width() - sum(widths[:-1]) - 2 * (len(widths) - 1), ADVICE_MIN)
        made[-1] = (name, head, is_number, [cut(cell, room) for cell in cells])
    for line in zip(*map(padded, made, widths)):
        yield "  ".join(line).rstrip()


def text(found: List, query: Options, chosen: list[Chosen] | None = None) -> str:
    """Return the text of a list."""
    lines = [f"no jobs from {query.starttime} to {query.endtime}"]
    if found.jobs:
        lines = list(table(found.jobs, chosen))
    if any(job.is_node_wide for job in found.jobs):
        lines.append(NODE_WIDE)
    if found.left_out:
        lines.append(f"{found.left_out} more: --limit={query.limit + found.left_out} shows them")
    if found.never_ran:
        it = "it" if found.never_ran == 1 else "them"
        lines.append(f"{units.plural(found.never_ran, 'job')} that never ran: --all shows {it}")
    if found.jobs and found.why_not_ledger:
        lines.append(f"from sacct alone, without advice: {found.why_not_ledger}")
    return "\n".join(lines) + "\n"
