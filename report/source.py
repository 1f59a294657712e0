# SPDX-License-Identifier: GPL-2.0-or-later
"""The ledger and sacct as the source of jobs."""
from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Iterable, Sequence

from report import job_id, ledger, paths, sacct
from report.command import FAILED, Failure
from report.job import Job
from report.summary import parse
from report.types import Json

PAGE = 250  # jobs of a request, which has 4096 bytes at most
WHY_NO_SUMMARY = "jobio did not count it, or its nodes have not reported yet"
RUNNING = ("RUNNING", "SUSPENDED", "COMPLETING")
NO_NODE = ("BadConstraints", "PartitionConfig")


def slurm_conf_cluster() -> str | None:
    """Return ClusterName of this host's slurm.conf."""
    prefix = os.path.dirname(paths.SLURM_BIN)
    usual = [os.path.join("/", prefix, "etc/slurm.conf"), *paths.SLURM_CONF]
    named = os.environ.get("SLURM_CONF")
    for path in [named] if named else usual:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                found = re.search(r"(?im)^\s*ClusterName\s*=\s*([^\s#]+)", file.read())
                return found[1].lower() if found else None
        except OSError:
            continue
    return None


class Group:
    """The jobs of one word of the command line: one, or the members of a family (the tasks of an
    array, the components of a heterogeneous job)."""

    def __init__(self, word: str, is_family: bool = False) -> None:
        self.word = word
        self.is_family = is_family
        self.jobs: list[Job] = []
        self.failures: list[Failure] = []


class Source:
    """The ledger and sacct, queried in parallel; each may be missing.

    command: name of the command, for messages
    conf: path of jobio.conf; None: the default
    form: of the ledger's runs (record/run_json.h): "slim" for text, "row" for CSV and families,
        "full" for JSON; "head" for lists: without records, if the ledger has judged the run
    advice: include advice
    wanted_cluster: cluster of the jobs; None: this host's
    rows: sacct's rows of all jobs; None: sacct failed, why_no_slurm has the reason
    """

    def __init__(self, command: str, conf: str | None = None, form: str = "slim",
                 advice: bool = True, cluster: str | None = None) -> None:
        self.command = command
        self.conf = conf
        self.form = form
        self.advice = advice
        self.wanted_cluster = cluster
        self.rows: list[sacct.Row] | None = None
        self.why_no_slurm = ""
        self.sacct: sacct.Sacct | None = None
        self.ledger = ledger.Ledger(conf, form == "full")

    @functools.cached_property
    def config(self) -> Json:
        """Return jobio.conf as jobio-ask prints it."""
        config: Json = self.ledger.ask(op="config")
        if config.get("warning"):
            print(f"jobio: {self.command}: {config['warning']}", file=sys.stderr)
        return config

    @functools.cached_property
    def own_cluster(self) -> str | None:
        return self.wanted_cluster or self.config.get("cluster") or slurm_conf_cluster()

    @property
    def cluster(self) -> str | None:
        """Return the cluster of sacct's rows or, without rows, of this host: a ledger of several
        clusters has other jobs with the same ID."""
        rows = self.wait_sacct()
        return rows[0].cluster if rows and rows[0].cluster else self.own_cluster

    def start(self, words: Sequence[str], steps: bool = False) -> None:
        """Start both queries.

        words: options of sacct
        steps: include the use of CPUs and memory
        """
        self.sacct = sacct.Sacct(words, steps)
        self.ledger.start()

    def wait_sacct(self) -> list[sacct.Row] | None:
        """Return sacct's rows; None: it failed."""
        if self.sacct:
            try:
                self.rows = self.sacct.rows()
            except Failure as failure:
                self.why_no_slurm = str(failure)
            self.sacct = None
        return self.rows

    def close(self) -> None:
        self.ledger.close()

    # ---- one job

    def ask(self, job: str, restart: int | None = None) -> tuple[list[str], Json]:
        """Request a job, and the members of its family, while sacct runs: of the expected cluster,
        and again if sacct has another one.

        Returns: IDs of the members, and the ledger's reply
        """
        is_family = job.isdigit() and restart is None
        cluster = self.own_cluster or self.cluster
        while True:
            requests: list[Json] = [{"op": "get", "cluster": cluster, "job": job,
                                     "restart": restart, "form": self.form,
                                     "advice": self.advice or None}]
            if is_family:
                requests.append({"op": "family", "cluster": cluster, "job": job})
            answers = list(self.ledger.ask_all(requests))
            if self.cluster == cluster:
                break
            cluster = self.cluster
        members = answers[1].get("family") or [] if is_family else []
        return list(filter(job_id.is_id, members))[:job_id.FAMILY_MAX], answers[0]

    def job(self, job: str, restart: int | None = None, answer: Json | None = None) -> Job:
        """Return a job.

        restart: number of its run; None: the newest
        answer: the ledger's reply, if it is known
        Raises: Failure, for an unknown job
        """
        if answer is None:
            answer = self.ask(job, restart)[1]
        self.wait_sacct()
        row = sacct.find(self.rows, job)
        if answer.get("ok") and parse(answer.get("summary")):
            return Job(job, "ledger", answer, row, is_old_run=restart is not None)
        why = ledger.why_not(answer)
        if restart is not None:
            raise Failure(f"job: '{job}': {why}")
        found = Job(job, "sacct", None, row)
        found.why_not_ledger = why
        if found.summary_text:
            return found
        is_shown = row and (self.command, self.form) == ("report", "slim")
        if not is_shown or (row and (sacct.is_early(row.word) or row.never_started)):
            raise Failure(f"job: '{job}': {self.why_unknown(job, row, why)}")
        return found

    def why_unknown(self, job: str, row: sacct.Row | None, why_not_ledger: str) -> str:
        """Return the reason why there are no numbers of a job."""
        if not row:
            why = self.why_no_slurm
            if self.rows is not None:
                why = "sacct: no such job that you may see"
            return f"{why_not_ledger}; {why}" if why else why_not_ledger
        if row.word in RUNNING:
            return (f"the job is {row.state}: 'jobio report --live {job}' shows what it has read "
                    "and written so far")
        if sacct.is_early(row.word):
            return f"the job is {row.state}; its I/O is reported when it has ended"
        if row.never_started:
            return never_started(row, not self.wanted_cluster)
        return (f"{why_not_ledger}; sacct: the job is {row.state} and has no summary: "
                f"{WHY_NO_SUMMARY}")

    # ---- many jobs

    def jobs_listed(self, rows: Iterable[sacct.Row]) -> list[Job]:
        """Return the jobs of sacct's rows, without the ledger's data: see fill()."""
        return [Job(row.id, "sacct", None, row) for row in rows]

    def fill(self, jobs: list[Job]) -> str:
        """Replace jobs of sacct by the ledger's.

        Returns: the reason if the ledger does not reply; the jobs are not changed then
        """
        left = list(range(len(jobs)))
        if self.form != "head":
            return self.fill_some(jobs, left, self.form)[0]
        why, unjudged = self.fill_some(jobs, left, "head")
        return why or self.fill_some(jobs, unjudged, "row")[0]

    def fill_some(self, jobs: list[Job], left: list[int], form: str) -> tuple[str, list[int]]:
        """Replace some of the jobs, page by page: the ledger replies to as many of a page as have
        room.

        left: positions of the jobs
        Returns: the reason if the ledger does not reply; and, in the form "head", the positions of
            jobs that the ledger has not judged
        """
        unjudged: list[int] = []
        question = {"op": "list", "cluster": self.cluster, "advice": self.advice or None,
                    "form": None if form == "head" else form, "head": form == "head" or None,
                    "brief": form != "full" or None}
        while left:
            pages = [left[at:at + PAGE] for at in range(0, len(left), PAGE)]
            left, why = [], ""
            answers = self.ledger.ask_all([
                {**question, "jobs": [jobs[i].number or 0 for i in page]} for page in pages])
            for page, answer in zip(pages, answers):
                done = answer.get("done") or 0
                if not done:
                    why = why or ledger.why_not(answer)
                left += page[done:]
                runs = {run["job"]: run for run in answer.get("runs") or []}
                for i in page[:done]:
                    job = Job(jobs[i].id, "ledger", runs.get(jobs[i].number), jobs[i].slurm)
                    if form == "head" and job.answer and "judged" not in job.answer:
                        unjudged.append(i)
                    elif job.summary_text and not job.is_before_slurm:
                        jobs[i] = job
            if why:
                return why, unjudged
        return "", unjudged

    def members_of_slurm(self, job: str) -> list[str]:
        """Return the members of a family in sacct's rows, without 25_[4-9] of pending tasks."""
        found = [row.id for row in self.rows or [] if row.id.startswith((job + "_", job + "+"))]
        return list(filter(job_id.is_id, found))[:job_id.FAMILY_MAX]

    def add_members(self, ids: list[str], group: Group) -> None:
        """Add the members of a family: in the form "row" those of sacct's rows with one request,
        others with one each."""
        known: dict[str, Job] = {}
        if self.form == "row":
            rows = [sacct.find(self.rows, one) for one in ids]
            listed = self.jobs_listed(row for row in rows if row)
            self.fill(listed)
            known = {job.id: job for job in listed
                     if job.source == "ledger" and not job.run.left_out}
        for one in ids:
            try:
                group.jobs.append(known[one] if one in known else self.job(one))
            except Failure as failure:
                group.failures.append(failure)

    def group(self, word: str, restart: int | None = None, form: str = "row") -> Group:
        """Return the jobs of a word: 7 may be an array or a heterogeneous job, whose first part
        has the same ID. If the ledger has one part only, or a plain job, sacct may have others.

        form: of a family, instead of "slim"
        """
        answer: Json | None = None
        if "[" in word:
            self.wait_sacct()
            ids = job_id.expand(word)
        else:
            ids, answer = self.ask(word, restart)
            if len(ids) < 2 and word.isdigit() and restart is None:
                of_slurm = self.members_of_slurm(word)
                ids = of_slurm if len(of_slurm) > 1 else ids
        found = Group(word, "[" in word or len(ids) > 1)
        if found.is_family:
            before = self.form
            self.form = form if before == "slim" else before
            self.add_members(ids, found)
            self.form = before
            return found
        try:
            found.jobs.append(self.job(ids[0], restart) if ids else
                              self.job(word, restart, answer))
        except Failure as failure:
            failure.status = FAILED
            found.failures.append(failure)
        return found


def never_started(row: sacct.Row, is_here: bool) -> str:
    """Return the reason why a job never started.

    is_here: squeue of this host has jobs of that cluster
    """
    text = f"it never started: {row.state}"
    reason = sacct.reason_of(row, is_here)
    if reason:
        text += f", {reason}"
    if reason in NO_NODE:
        text += ": no node has what it asked for; --io-cores leaves fewer cores for tasks"
    return text
