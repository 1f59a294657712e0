# SPDX-License-Identifier: GPL-2.0-or-later
"""Slurm's accounting data of jobs that the caller may see, in one call of sacct."""
from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence

from report import program, summary, units
from report.command import Failure
from report.options import refusal

TIMEOUT_S = 20
KEPT = ("PATH", "HOME", "SLURM_CONF", "TZ", "LD_LIBRARY_PATH")  # variables for sacct

# Name and comments may contain any text, also newlines: the last field of a row is an ID.
FIELDS = ("JobName", "SystemComment", "User", "Account", "Partition", "Cluster", "State",
          "ExitCode", "Start", "End", "ElapsedRaw", "NNodes", "AllocCPUS", "TotalCPU",
          "TimelimitRaw", "AllocTRES", "ReqMem", "MaxRSS", "NTasks", "TRESUsageInTot",
          "Submit", "QOS", "NodeList", "AdminComment", "Reason", "JobIDRaw", "JobID")

# {name: (short form, is the job pending or running)} (slurm_protocol_defs.c:job_state_string())
STATES = {
    "PENDING": ("PD", True), "RUNNING": ("R", True), "SUSPENDED": ("S", True),
    "COMPLETED": ("CD", False), "CANCELLED": ("CA", False), "FAILED": ("F", False),
    "TIMEOUT": ("TO", False), "NODE_FAIL": ("NF", False), "PREEMPTED": ("PR", False),
    "BOOT_FAIL": ("BF", False), "DEADLINE": ("DL", False), "OUT_OF_MEMORY": ("OOM", False),
    "CONFIGURING": ("CF", True), "COMPLETING": ("CG", True), "RESIZING": ("RS", True),
    "REQUEUED": ("RQ", True), "REVOKED": ("RV", False), "SPECIAL_EXIT": ("SE", False),
    "STOPPED": ("ST", True), "REQUEUE_HOLD": ("RH", True), "REQUEUE_FED": ("RF", True),
    "RESV_DEL_HOLD": ("RD", True), "SIGNALING": ("SI", True), "STAGE_OUT": ("SO", True)}


def state_named(word: str) -> str | None:
    """Return the state with this name or short form."""
    word = word.upper()
    return next((name for name, (brief, _) in STATES.items() if word in (name, brief)), None)


def states(value: str) -> list[str]:
    """Parse names or short forms of states, separated by commas.

    Raises: ArgumentTypeError
    """
    found = []
    for word in value.split(","):
        state = state_named(word)
        if not state:
            raise refusal(word, "not a state like COMPLETED, FAILED or TO")
        found.append(state)
    return found


def is_early(state: str) -> bool:
    return STATES.get(state, ("", False))[1]


def number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None


def memory(text: str) -> int | None:
    """Return the bytes of 1024K, 4G, 1.5T or 4Gn."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?)([BKMGTPbkmgtp]?)[nc]?", text, re.A)
    if not match:
        return None
    power = "BKMGTP".find(match[2].upper() or "B")
    return int(float(match[1]) * 1024 ** power)


def seconds(text: str) -> float | None:
    """Return the seconds of 1-02:03:04 or 02:03.500, as in TotalCPU."""
    match = re.fullmatch(r"(?:(\d{1,9})-)?((?:\d{1,9}:){0,2}\d{1,9}(?:\.\d{1,9})?)", text, re.A)
    if not match:
        return None
    total = 0.0
    for part in match[2].split(":"):
        total = total * 60 + float(part)
    return total + int(match[1] or 0) * 86400


def tres(text: str) -> dict[str, str]:
    """Return the names and values of cpu=4,mem=16G,gres/gpu=2."""
    found: dict[str, str] = {}
    for word in text.split(","):
        name, _, value = word.partition("=")
        found[name] = value
    return found


def jobstats_share(comment: str) -> float | None:
    """Return the mean GPU utilization in an AdminComment of jobstats; None: it has none."""
    if not comment.startswith("JS1:"):
        return None
    import base64
    import json
    import zlib

    gzip = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        text = gzip.decompress(base64.b64decode(comment[4:]), 1 << 20)  # 1 MiB at most
        nodes = json.loads(text)["nodes"]
        used = [float(value) for node in nodes.values()
                for value in node.get("gpu_utilization", {}).values()]
    except (ValueError, zlib.error, LookupError, AttributeError, TypeError, RecursionError,
            OverflowError):
        return None
    share = sum(used) / len(used) / 100 if used else -1
    return share if 0 <= share <= 1 else None


class Row:
    """A job, a task of an array, a component of a heterogeneous job, or a step; the newest run of a
    requeued job. Pending tasks are one row, 25_[4-9]. Unknown values are "" or None.

    fields: the texts of sacct, by name
    summary: the summary of the job in SystemComment
    memory_used: bytes of all nodes together, at most: add_step()
    is_sampled: it includes a step other than extern
    """

    def __init__(self, values: Sequence[str]) -> None:
        fields = dict(zip(FIELDS, values))
        comment = fields["SystemComment"]
        self.summary = summary.find(comment) if "jobio/1" in comment else None
        whole = "".join(values)
        if units.clean(whole) is not whole:
            fields = {name: units.clean(text) for name, text in fields.items()}
        self.fields = fields
        self.id = fields["JobID"]
        self.raw_id = fields["JobIDRaw"]
        self.name = fields["JobName"]
        # slurmdbd may have the end of a short job before its start, and its user is root until then
        self.user = fields["User"] if fields["User"] != "root" else ""
        self.account = fields["Account"]
        self.partition = fields["Partition"]
        self.cluster = fields["Cluster"]
        self.state = fields["State"]
        code, _, signal = fields["ExitCode"].partition(":")
        self.exit_code = number(code)
        self.signal = number(signal)
        self.submit = number(fields["Submit"])
        self.start = number(fields["Start"])
        self.end = number(fields["End"])
        self.elapsed_s = number(fields["ElapsedRaw"])
        self.nodes = number(fields["NNodes"])
        self.memory_used: int | None = None
        self.has_steps = False
        self.is_sampled = False

    def add_step(self, step: str, tres_used: str, max_rss: str, tasks: str) -> None:
        """Add a step: the largest one counts, with the sum of the maxima of its tasks."""
        self.has_steps = True
        used = memory(tres(tres_used).get("mem", ""))
        if used is None:
            used = (memory(max_rss) or 0) * (number(tasks) or 1)
        if used and not step.endswith(".extern"):
            self.is_sampled = True
        self.memory_used = max(self.memory_used or 0, used) or None

    @property
    def word(self) -> str:
        """Return CANCELLED of "CANCELLED by 0"."""
        return self.state.split(" ")[0]

    @property
    def never_started(self) -> bool:
        """Return True if the job ended without a start: sacct prints Start=None or Unknown, and no
        nodes."""
        if self.start or self.elapsed_s or is_early(self.word):
            return False
        return self.fields["NodeList"] == "None assigned"

    @property
    def cpus(self) -> int | None:
        return number(self.fields["AllocCPUS"])

    @property
    def limit_s(self) -> int | None:
        minutes = number(self.fields["TimelimitRaw"])
        return minutes * 60 if minutes is not None else None

    @property
    def cpu_share(self) -> float | None:
        """Return TotalCPU as a share of CPUTime, as seff does. sacct sums it up from the steps:
        with -X it prints 00:00:00."""
        used = seconds(self.fields["TotalCPU"]) if self.has_steps else None
        if used is None or not self.cpus or not self.elapsed_s or is_early(self.word):
            return None
        return used / (self.cpus * self.elapsed_s)

    @property
    def memory_given(self) -> int | None:
        """Return the allocated bytes of all nodes."""
        given = memory(tres(self.fields["AllocTRES"]).get("mem", ""))
        return given or memory(self.fields["ReqMem"]) or None

    @property
    def memory_share(self) -> float | None:
        given = self.memory_given
        if not given or not self.memory_used or is_early(self.word):
            return None
        return self.memory_used / given

    @property
    def gpus(self) -> int:
        """Return the number of GPUs; some sites account types only: gres/gpu:a100=2"""
        given = tres(self.fields["AllocTRES"])
        typed = [number(value) or 0 for name, value in given.items()
                 if name.startswith("gres/gpu:")]
        return number(given.get("gres/gpu", "")) or sum(typed)

    @property
    def gpu_share(self) -> float | None:
        """Return the mean GPU utilization over time from jobstats; sacct's own is the last
        sample."""
        return jobstats_share(self.fields["AdminComment"])


def run_program(*words: str) -> str:
    """Run a command of Slurm and return its output.

    Raises: Failure
    """
    process = program.start(words)
    return "".join(output(words[0], process))


def output(name: str, process: subprocess.Popen[bytes]) -> Iterator[str]:
    """Return the output as it arrives.

    Raises: Failure, with the name of the command
    """
    errors = ""
    timer = program.waiting(f"{name}, at most {TIMEOUT_S} s")
    for is_error, text in program.pieces(process, TIMEOUT_S):
        timer.cancel()
        if not is_error:
            yield text
        elif len(errors) < 4096:
            errors += text
    timer.cancel()
    if process.returncode is None:
        raise Failure(f"{name}: no answer within {TIMEOUT_S} s")
    if process.returncode:
        first = units.clean(errors.strip().split("\n")[0])
        raise Failure(f"{name}: exit status {process.returncode}" + (f": {first}" if first else ""))


class Sacct:
    """A call that runs in parallel; rows() waits for it.

    words: options of sacct
    steps: also print steps, which have the use of CPUs and memory
    """

    def __init__(self, words: Sequence[str], steps: bool = False) -> None:
        self.mark = f"|{os.urandom(8).hex()}|"  # random, so that no job's name contains it
        self.process: subprocess.Popen[bytes] | None = None
        self.why = ""  # reason if it could not be started
        command = ["sacct", "-nP" if steps else "-nXP", "--delimiter=" + self.mark, *words, "-o",
                   ",".join(FIELDS)]
        environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        environment["SLURM_TIME_FORMAT"] = "%s"
        try:
            self.process = program.start(command, environment)
        except Failure as failure:
            self.why = str(failure)

    def rows(self) -> list[Row]:
        """Return the jobs.

        Raises: Failure
        """
        if not self.process:
            raise Failure(self.why)
        try:
            return parse(output("sacct", self.process), self.mark)
        except ValueError:
            raise Failure("sacct: its output is invalid") from None


def parse(texts: Iterable[str], mark: str) -> list[Row]:
    """Return the jobs, each with the use of its steps. Steps are not stored: a job may have more
    than fit in memory.

    texts: pieces of sacct's output
    mark: between two fields
    Raises: ValueError
    """
    jobs: list[Row] = []
    last = len(FIELDS) - 1
    used = [FIELDS.index(name) for name in ("TRESUsageInTot", "MaxRSS", "NTasks")]
    left = ""
    for text in texts:
        pieces = (left + text).split(mark)
        at = 0
        while at + last < len(pieces) and "\n" in pieces[at + last]:
            job, _, next_name = pieces[at + last].partition("\n")
            values = [*pieces[at:at + last], job]
            if "." not in job:
                jobs.append(Row(values))
            elif jobs and values[last - 1].split(".")[0] == jobs[-1].raw_id:
                jobs[-1].add_step(job, *(values[i] for i in used))
            at += last
            pieces[at] = next_name
        left = mark.join(pieces[at:])
    if left:
        raise ValueError(left)
    return jobs


def reason_of(row: Row, is_here: bool) -> str:
    """Return the reason why it never started; without one in sacct, slurmctld's, until
    MinJobAge."""
    reason = row.fields["Reason"]
    if reason in ("", "None") and is_here:
        try:
            reason = run_program("squeue", "-h", "-t", "all", "-o", "%r", "-j", row.raw_id).strip()
        except Failure:
            return ""
    return "" if reason == "None" else units.clean(reason)


def find(rows: list[Row] | None, job: str) -> Row | None:
    """Return the row with this ID or SLURM_JOB_ID, as the ledger does: sacct -j 2 lists every task
    of array 2 and every component of job 2."""
    return next((row for row in rows or [] if job in (row.id, row.raw_id)), None)


def query(jobs: str | None = None, users: str | None = None, accounts: str | None = None,
          name: str | None = None, since: str | None = None, until: str | None = None,
          everybody: bool = False, cluster: str | None = None) -> list[str]:
    """Return the words of sacct's command line; a name of several words is left out."""
    if name and (name.startswith("-") or re.search("[, \t\n]", name)):
        name = None
    words = ["-a"] if everybody else []
    for option, value in (("-j", jobs), ("-u", users), ("-A", accounts), ("--name", name),
                          ("-M", cluster), ("-S", since), ("-E", until)):
        if value:
            words += [option, value]
    return words


def ask(words: Sequence[str], steps: bool = False) -> list[Row]:
    """Run sacct and return the rows.

    Raises: Failure
    """
    return Sacct(words, steps).rows()
