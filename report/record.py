# SPDX-License-Identifier: GPL-2.0-or-later
"""Data of jobs from the ledger and from sacct: Source queries both, Job is the result."""
from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Iterable, Sequence

from report import paths, sacct
from report.command import FAILED, USAGE, Failure
from report.summary import Summary, parse
from report.types import Any, Json

FAMILY_MAX = 1000  # tasks of an array
PAGE = 250  # jobs of a request, which has 4096 bytes at most
TOTALS = ("read_bytes", "read_calls", "write_bytes", "write_calls")
WHY_NO_SUMMARY = "jobio did not count it, or its nodes have not reported yet"
CLOCKS_S = 60  # maximum difference of clocks of a node and of slurmctld
ID = re.compile(r"([1-9]\d{0,9})(?:([_+])(\d{1,10}))?")
PIECE = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?(?::([1-9]\d{0,9}))?")
TASKS = re.compile(r"(\d{1,10})_\[([0-9,:-]+)(?:%\d+)?\]")


# ---- ids ------------------------------------------------------------------------------

def is_id(word: str) -> bool:
    """Return True for 7, 5_1 or 7+1."""
    match = ID.fullmatch(word)
    return bool(match and int(match[1]) < 2 ** 32 and int(match[3] or 0) < 2 ** 32)


def expand(word: str) -> list[str]:
    """Return the tasks of 5_[1-3,7] or 5_[0-8:2%4], as printed by Slurm."""
    match = TASKS.fullmatch(word)
    pieces = [PIECE.fullmatch(part) for part in match[2].split(",")] if match else [None]
    tasks = [range(int(piece[1]), int(piece[2] or piece[1]) + 1, int(piece[3] or 1))
             for piece in pieces if piece]
    if (match and None not in pieces and all(tasks) and sum(map(len, tasks)) <= FAMILY_MAX
            and is_id(f"{match[1]}_{max(some[-1] for some in tasks)}")):
        return [f"{match[1]}_{number}" for some in tasks for number in some]
    raise Failure(f"job: '{word}': not tasks of an array like 5_[1-3,7], or more than "
                  f"{FAMILY_MAX}", USAGE)


def check(word: str) -> None:
    """Check the syntax of a job.

    Raises: Failure
    """
    if "[" in word:
        expand(word)
    elif not is_id(word):
        job = word.split(".")[0]
        if job != word and is_id(job):
            raise Failure(f"job: '{word}': a step; what is counted is the whole job: {job}", USAGE)
        raise Failure(f"job: '{word}': not a job id like 7, 5_1 or 7+1", USAGE)


def of_cluster(word: str) -> tuple[str, str]:
    """Return job and cluster of 101;c1, as printed by sbatch --parsable; "": this cluster."""
    job, _, cluster = word.partition(";")
    if ";" in word and not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}", cluster):
        raise Failure(f"job: '{word}': not a job and its cluster like 101;c1", USAGE)
    return job, cluster


def split(words: str) -> list[str]:
    """Return 7 and 5_[1-3,9] of 7,5_[1-3,9]."""
    return [word for word in re.split(r",(?![^\[]*\])", words) if word]


def bare(words: list[str]) -> str:
    """Return the jobs for sacct: 5 for 5_[1-3], and 7."""
    return ",".join(word.split("_[")[0] for word in words)


# ---- a job ----------------------------------------------------------------------------

class Job:
    """One run of a job.

    source: "ledger", "sacct" (only the summary, with three digits) or "live"
    answer: the ledger's, in one of the forms of record/run_json.h; {} for sacct
    """

    def __init__(self, job: str, source: str, answer: Json | None = None,
                 slurm: sacct.Row | None = None) -> None:
        self.id, self.source, self.answer, self.slurm = job, source, answer or {}, slurm
        self.restart: int | None = self.answer.get("restart")
        self.lines: list[Json] = self.answer.get("lines") or []
        self.nodes: list[Json] = self.answer.get("nodes") or []  # one for each record
        # SLURM_JOB_ID, also of a task of an array
        self.number: int | None = self.answer.get("job") or sacct.number(
            slurm.raw_id if slurm else "")
        self.why_not_ledger = ""
        self.is_old_run = False  # selected by its number

    @property
    def run(self) -> tuple[int, int] | None:
        """Return number and count of the runs of a requeued job, from 1; Slurm's restart count is
        from 0."""
        known = [one.get("restart") or 0 for one in self.answer.get("runs") or []]
        count = max([self.restart or 0, *known]) + 1
        return ((self.restart or 0) + 1, count) if count > 1 else None

    @property
    def array(self) -> tuple[int, int] | None:
        """Return the array of the task, and the number of the task."""
        return self.part("_", "array_job", "array_task")

    @property
    def het(self) -> tuple[int, int] | None:
        return self.part("+", "het_job", "het_offset")

    def part(self, sign: str, whole: str, part: str) -> tuple[int, int] | None:
        if self.answer.get(whole):
            return self.answer[whole], self.answer[part]
        match = ID.fullmatch(self.slurm.id) if self.source == "sacct" and self.slurm else None
        return (int(match[1]), int(match[3])) if match and match[2] == sign else None

    @functools.cached_property
    def summary(self) -> Summary:
        told = self.answer.get("summary")
        if self.source == "sacct" and self.slurm:
            told = self.slurm.summary
        return parse(told) or Summary()

    @property
    def summary_text(self) -> str | None:
        """Return the summary; None: none, or damaged."""
        return self.summary.text or None

    # from the ledger

    @property
    def cluster(self) -> str | None:
        told: str | None = self.answer.get("cluster")
        return told if self.answer else self.slurm and self.slurm.cluster or None

    @property
    def record_count(self) -> int:
        count: int | None = self.answer.get("record_count")
        return len(self.answer.get("records") or []) if count is None else count

    def same(self, key: str) -> list[tuple[Any, list[str]]]:
        """Return the values of the nodes, each with the nodes that have it."""
        return [(group["value"], group["nodes"])
                for group in (self.answer.get("same") or {}).get(key, [])
                if group["value"] is not None]

    @property
    def clients(self) -> list[tuple[Json, list[str]]]:
        return self.same("client") + self.same("more_clients")

    @property
    def is_node_wide(self) -> bool:
        return bool(self.summary.scope == "node")

    @functools.cached_property
    def totals(self) -> dict[str, int | None]:
        exact = self.answer.get("totals") or {}
        return {key: exact[key] if key in exact else getattr(self.summary, key) for key in TOTALS}

    @property
    def findings(self) -> list[str]:
        """Return the codes of all nodes, each once."""
        return self.answer.get("findings") or list(dict.fromkeys(
            finding["code"] for record in self.answer.get("records") or []
            for finding in record.get("findings") or []))

    # from both

    @property
    def user(self) -> str:
        records = self.answer.get("records") or [{}]
        told: str | None = self.answer.get("user") or records[0].get("user")
        return told or (self.slurm.user if self.slurm else "")

    @property
    def time(self) -> dict[str, float | None]:
        """Return first, last, seconds, apart: by the nodes' clocks, else Slurm's."""
        told: dict[str, float | None] = self.answer.get("time") or {}
        if told.get("first") is None and self.slurm and self.is_of_slurm:
            row = self.slurm
            took: float | None = row.elapsed_s or None
            if took is None and row.start and row.end and row.end > row.start:
                took = row.end - row.start
            return {"first": row.start, "last": row.end, "seconds": took, "apart": None}
        return {**dict.fromkeys(("first", "last", "seconds", "apart")), **told}

    @property
    def node_count(self) -> int | None:
        expected: int | None = self.summary.nodes_expected
        if expected is not None:
            return expected
        return (self.slurm.nodes if self.slurm and self.is_of_slurm else 0) or \
            self.summary.nodes_seen or None

    @property
    def is_before_slurm(self) -> bool:
        """Return True if sacct's row is of a newer run."""
        if not self.slurm:
            return False
        if not self.slurm.start:
            return sacct.is_early(self.slurm.word)
        last = (self.answer.get("time") or {}).get("last")
        return last is not None and last + CLOCKS_S < self.slurm.start

    @functools.cached_property
    def is_of_slurm(self) -> bool:
        """Return True if sacct's row is of this run, and of its end."""
        if not self.slurm:
            return False
        if self.is_old_run:
            runs = self.answer.get("runs") or []
            newest = runs[0].get("restart") if runs else None
            if newest is None or newest != self.restart:
                return False
        return self.source != "ledger" or not (sacct.is_early(self.slurm.word)
                                               or self.is_before_slurm)


# ---- sources --------------------------------------------------------------------------

def slurm_conf_cluster() -> str | None:
    """Return ClusterName of this host's slurm.conf."""
    named = os.environ.get("SLURM_CONF")
    usual = [os.path.join(os.path.dirname(paths.SLURM_BIN), "etc/slurm.conf")
             if paths.SLURM_BIN else "", *paths.SLURM_CONF]
    for path in [named] if named else usual:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                found = re.search(r"(?im)^\s*ClusterName\s*=\s*([^\s#]+)", file.read())
                return found[1].lower() if found else None
        except OSError:
            continue
    return None


class Source:
    """The ledger and sacct, queried in parallel; each may be missing.

    form: "slim" for text, "head" for lists, "row" for CSV and families, "full" for JSON
    """

    def __init__(self, command: str, conf: str | None = None, form: str = "slim",
                 advice: bool = True, cluster: str | None = None) -> None:
        self.form, self.advice = form, advice
        self.wanted_cluster = cluster  # None: this host's
        self.rows: list[sacct.Row] | None = None  # sacct's rows of all jobs
        self.why_no_slurm = ""
        self.sacct: sacct.Sacct | None = None
        self.conf = conf
        self.ledger: Any = None
        self.command = command

    @functools.cached_property
    def config(self) -> Json:
        """Return jobio.conf as read by jobio-ask."""
        config: Json = self.ledger.ask(op="config")
        if config.get("warning"):
            print(f"jobio: {self.command}: {config['warning']}", file=sys.stderr)
        return config

    @functools.cached_property
    def own_cluster(self) -> str | None:
        return self.wanted_cluster or self.config.get("cluster") or slurm_conf_cluster()

    def start(self, words: Sequence[str], steps: bool = False) -> None:
        """Start both queries while other modules are loaded. For JSON the ledger's texts are not
        changed."""
        self.sacct = sacct.Sacct(words, steps)
        from report.ledger import Ledger

        self.ledger = Ledger(self.conf, self.form == "full")

    def wait_sacct(self) -> list[sacct.Row] | None:
        if self.sacct:
            try:
                self.rows = self.sacct.rows()
            except Failure as failure:
                self.why_no_slurm = str(failure)
            self.sacct = None
        return self.rows

    @property
    def cluster(self) -> str | None:
        """Return the cluster of sacct's rows or, without rows, of this host: a ledger of several
        clusters has other jobs with the same ID."""
        rows = self.wait_sacct()
        return rows[0].cluster if rows and rows[0].cluster else self.own_cluster

    # one job

    def family_and_job(self, job: str, restart: int | None = None,
                       ) -> tuple[list[str], Json]:
        """Send both requests for an ID while sacct runs: for the expected cluster, and again if
        sacct has another one."""
        cluster = self.own_cluster or self.cluster
        while True:
            asked: list[Json] = [
                {"op": "family", "cluster": cluster, "job": job},
                {"op": "get", "cluster": cluster, "job": job, "restart": restart,
                 "form": self.form, "advice": self.advice or None}]
            if not job.isdigit() or restart is not None:
                del asked[0]
            answers = list(self.ledger.ask_all(asked))
            if self.cluster == cluster:
                break
            cluster = self.cluster
        family = [one for one in answers[0].get("family") or [] if is_id(one)]
        return family[:FAMILY_MAX] if len(answers) > 1 else [], answers[-1]

    def family_of_slurm(self, job: str) -> list[str]:
        """Return the members in sacct's rows, without 25_[4-9] of pending tasks."""
        return [row.id for row in self.rows or []
                if row.id[len(job):len(job) + 1] in ("_", "+") and row.id.startswith(job)
                and is_id(row.id)][:FAMILY_MAX]

    def job(self, job: str, restart: int | None = None,
            answer: Json | None = None) -> Job:
        """Return a job.

        answer: the ledger's, if already known
        Raises: Failure, for an unknown job
        """
        if answer is None:
            answer = self.family_and_job(job, restart)[1]
        self.wait_sacct()
        row = sacct.find(self.rows, job)
        if answer.get("ok") and parse(answer.get("summary")):
            found = Job(job, "ledger", answer, row)
            found.is_old_run = restart is not None
            return found
        first = why_not(answer)
        if restart is not None:
            raise Failure(f"job: '{job}': {first}")
        found = Job(job, "sacct", None, row)
        if found.summary_text:
            found.why_not_ledger = first
            return found
        second = self.why_no_slurm
        if self.rows is not None and not row:
            second = "sacct: no such job that you may see"
        elif row and row.word in ("RUNNING", "SUSPENDED", "COMPLETING"):
            raise Failure(f"job: '{job}': the job is {row.state}: 'jobio report --live {job}' "
                          "shows what it has read and written so far")
        elif row and sacct.is_early(row.word):
            raise Failure(f"job: '{job}': the job is {row.state}; what it read and wrote is known "
                          "when it has ended")
        elif row and row.never_started:
            raise Failure(f"job: '{job}': {never_started(row, not self.wanted_cluster)}")
        elif row and (self.command, self.form) == ("report", "slim"):
            found.why_not_ledger = first
            return found
        elif row:
            second = f"sacct: the job is {row.state} and has no summary: {WHY_NO_SUMMARY}"
        raise Failure(f"job: '{job}': {first}" + (f"; {second}" if second else ""))

    # many

    def fill(self, jobs: list[Job]) -> str:
        """Set the ledger's data of sacct's jobs, page by page.

        Returns: the reason if the ledger does not reply; the jobs are not changed then
        """
        left, why, form = list(range(len(jobs))), "", self.form
        unjudged: list[int] = []  # jobs that the ledger has not judged
        while left and not why:
            question = {"op": "list", "cluster": self.cluster, "advice": self.advice or None,
                        "form": None if form == "head" else form, "head": form == "head" or None,
                        "brief": form != "full" or None}
            pages = [left[at:at + PAGE] for at in range(0, len(left), PAGE)]
            left = []
            answers = self.ledger.ask_all([
                {**question, "jobs": [jobs[i].number or 0 for i in page]} for page in pages])
            for page, answer in zip(pages, answers):
                done = answer.get("done") or 0
                if not done:
                    why = why or why_not(answer)
                left += page[done:]
                told = {run["job"]: run for run in answer.get("runs") or []}
                for i in page[:done]:
                    job = Job(jobs[i].id, "ledger", told.get(jobs[i].number), jobs[i].slurm)
                    if form == "head" and job.answer and "judged" not in job.answer:
                        unjudged.append(i)
                    elif job.summary_text and not job.is_before_slurm:
                        jobs[i] = job
            if not left and form == "head":
                left, unjudged, form = unjudged, [], "row"
        return why

    def jobs_listed(self, rows: Iterable[sacct.Row]) -> list[Job]:
        return [Job(row.id, "sacct", None, row) for row in rows]

    def jobs_of(self, ids: list[str], found: Group) -> None:
        """Add the members of a family: those in sacct's rows with one request, others with one
        each."""
        together: dict[str, Job] = {}
        if self.form == "row":
            rows = [row for row in (sacct.find(self.rows, one) for one in ids) if row]
            listed = self.jobs_listed(rows)
            self.fill(listed)
            together = {job.id: job for job in listed
                        if job.source == "ledger" and not job.answer.get("left_out")}
        for one in ids:
            try:
                found.jobs.append(together[one] if one in together else self.job(one))
            except Failure as failure:
                found.failures.append(failure)

    def close(self) -> None:
        if self.ledger:
            self.ledger.close()


def never_started(row: sacct.Row, is_here: bool) -> str:
    """Return the reason why a job never started.

    is_here: squeue of this host has jobs of that cluster
    """
    reason = sacct.reason_of(row, is_here)
    text = f"it never started: {row.state}" + (f", {reason}" if reason else "")
    if reason in ("BadConstraints", "PartitionConfig"):
        text += ": no node has what it asked for; --io-cores leaves fewer cores for tasks"
    return text


def why_not(answer: Json) -> str:
    """Return the reason of a failed reply."""
    error = answer.get("error") or "the answer has no meaning"
    return error if answer.get("down") else f"ledger: {error}"


class Group:
    """The result of one word of the command line: a job, or a family of jobs."""

    def __init__(self, word: str, is_family: bool = False) -> None:
        self.word, self.is_family = word, is_family
        self.jobs: list[Job] = []
        self.failures: list[Failure] = []


def group(source: Source, word: str, restart: int | None = None, form: str = "row") -> Group:
    """Return the job or the family of a word: 7 may be an array or a heterogeneous job, whose first
    part has the same ID.

    The ledger knows which; if it has only one part, or a plain job, sacct may have the others.

    form: of the replies for a family; a single one is slim
    """
    answer: Json | None = None
    found = Group(word, "[" in word)
    if found.is_family:
        source.wait_sacct()
        ids = expand(word)
    else:
        ids, answer = source.family_and_job(word, restart)
        if len(ids) < 2 and word.isdigit() and restart is None:
            of_slurm = source.family_of_slurm(word)
            ids = of_slurm if len(of_slurm) > 1 else ids
    found.is_family = found.is_family or len(ids) > 1
    if found.is_family:
        before, source.form = source.form, form if source.form == "slim" else source.form
        source.jobs_of(ids, found)
        source.form = before
        return found
    try:
        found.jobs.append(source.job(ids[0], restart) if ids else
                          source.job(word, restart, answer))
    except Failure as failure:
        failure.status = FAILED
        found.failures.append(failure)
    return found
