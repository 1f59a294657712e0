# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: jobio report [OPTION]... [JOB]...

Shows what jobs read and wrote, how well they used their CPUs and memory, and what
to change. A JOB is 7, 5_1 (array task), 5_[1-3] or 5 (several or all of them), 7+1
(component of a heterogeneous job). Without one: a line for each of your jobs of the
last day.

  -j, --jobs=A,B,C   more jobs
  --restart=N        this run of a requeued job, not the newest
  --live[=SECONDS]   a running job of yours: so far; on a terminal again every so
                     many seconds: 5
  -v, --verbose      all that is recorded: every filesystem, counter and node
  --advice=all|none  more than the first five lines of it, or none
  -u, --user=A,B     without JOB: the jobs of these users
  -A, --account=A,B  of these accounts, of all users
  -S, --starttime=T  from this time on, as sacct has it: now-1days
  -E, --endtime=T    until then: now
  -s, --state=A,B    in these states: FAILED,TIMEOUT
  --all              jobs that never ran, too, which only --json and --csv show unasked
  --sort=KEY         by end (the newest first), start, name, user, state, elapsed,
                     nodes, profile, read or written
  --limit=N          so many at most: 1000
  -o, --format=A,B%20  these columns: jobid, user, state, cpu%, mem%, io%, read, written,
                     advice and others (jobio-report(5)), as sacct --format has them
  --site             all jobs together, for administrators: bytes, metadata, peaks and
                     advice by filesystem, user, account and profile; with -S, -E, --limit
  --json             one JSON object a line
  --csv              one line a job
  --html=FILE        a job, several of them, or a list, as one page; into a FOLDER/:
                     a page of each job as well, with links to them
  --conf=FILE        instead of {conf}

The ledger shows records to their owner and to root; where it does not answer, the
summary in sacct is shown. Exit status: 0; 1 when nothing is known of one of the jobs;
2 bad usage."""
# jobio report: what jobs read and wrote, and what was done for them.
from __future__ import annotations

import os
import sys

from report import jobs, record, sacct
from report.command import FAILED, USAGE, Failure
from report.options import choice, numbered, read
from report.record import Group, Job
from report.types import Json, Take

JOBS_MAX = 1000
LIMIT_MAX = 100000


TAKES: dict[str, Take] = {
    "restart": numbered(0, 2 ** 32 - 1), "live": numbered(1, 3600),
    "user": jobs.word("._,$@\\"), "account": jobs.word("._,"), "starttime": jobs.word("/:.+"),
    "endtime": jobs.word("/:.+"), "state": jobs.states, "sort": choice(*jobs.SORTS),
    "limit": numbered(1, LIMIT_MAX), "format": jobs.columns}
LISTS = ("user", "account", "starttime", "endtime", "state", "sort", "limit", "all")
# an option, those that do not go with it, and what is said then
APART = (
    ("json", ("csv",), "--json and --csv exclude each other"),
    ("site", ("jobs", "restart", "verbose", "user", "account", "state", "sort", "all", "format"),
     "--site: of all jobs: only --starttime, --endtime, --limit, --json, --csv and --html go "
     "with it"),
    ("live", LISTS, "--live: of one job: 7, 5_1 or 7+1"),
    ("live", ("html", "csv", "restart"), "--live: without --html, --csv and --restart"),
    ("jobs", LISTS, "--user, --account, --starttime, --endtime, --state, --sort and --limit are "
     "for lists: name no job"),
    ("html", ("json", "csv"), "--html: without --json and --csv"),
    ("format", ("json", "csv", "html", "live"),
     "--format: without --json, --csv, --html and --live"))


class Asked:
    """The command line."""

    def __init__(self, args: list[str]) -> None:
        self.words: list[str] = []
        args = ["--live=5" if arg == "--live" else arg for arg in args]
        self.values, words = read(__doc__, args, {**TAKES, "jobs": self.add})
        for word in words:
            self.values["jobs"] = self.add("jobs", word)
        for name, others, why in APART:
            if name in self.values and any(other in self.values for other in others):
                raise Failure(why, USAGE)
        if "live" in self.values and (len(self.words) != 1 or "[" in self.words[0]):
            raise Failure("--live: of one job: 7, 5_1 or 7+1", USAGE)
        if "restart" in self.values and not self.words:
            raise Failure("--restart: of which job?", USAGE)
        self.query = jobs.Query(self.values)
        self.form = "json" if "json" in self.values else "csv" if "csv" in self.values else ""
        self.columns: list[tuple[str, int]] | None = self.values.get("format")
        self.restart: int | None = self.values.get("restart")

    def has(self, name: str) -> bool:
        return name in self.values

    def add(self, name: str, text: str) -> list[str]:
        """A list without a job is none: without any word all of the caller's are shown."""
        words = record.split(text)
        for word in words or [""]:
            record.check(word)
        self.words += words
        if len(self.words) > JOBS_MAX:
            raise Failure(f"more than {JOBS_MAX} jobs", USAGE)
        return self.words

    def source(self) -> record.Source:
        shown = [name for name, _ in self.columns or []]
        form = "full" if self.form == "json" else "row" if self.form or "findings" in shown else \
            "head" if not self.words else "row" if shown else "slim"
        source = record.Source("report", self.values.get("conf"), form,
                               self.values.get("advice") != "none")
        source.ledger.raw = self.form == "json"
        return source


def as_json(job: Job, is_advised: bool = True) -> str:
    """The ledger's answer as it came, timelines (null: records are left out) and advice (null:
    too little to judge), or what sacct knows in the same form."""
    import json

    from report import advice, units
    from report import job as one_job

    told: Json = {key: value for key, value in job.answer.items()
                            if key not in ("ok", "advice")}
    told["id"], told["source"] = job.id, job.source
    if not job.answer:
        told["cluster"], told["summary"] = job.cluster, job.summary_text
        told["why_not_ledger"] = job.why_not_ledger or None
        if job.summary_text:
            told["totals"] = job.totals
    row = job.slurm
    told["slurm"] = row and {
        "name": row.name or None, "user": row.user or None, "account": row.account or None,
        "partition": row.partition or None, "state": row.state or None,
        "exit_code": row.exit_code, "signal": row.signal, "start": row.start, "end": row.end,
        "elapsed_s": row.elapsed_s, "nodes": row.nodes}
    if is_advised and "judged" in job.answer:
        told["advice"] = advice.as_json(job.answer, one_job.slurm_of(job))
    return units.escape_json(json.dumps(told, ensure_ascii=False, separators=(",", ":")))


class Printer:
    def __init__(self, asked: Asked, source: record.Source) -> None:
        self.asked, self.source = asked, source
        self.is_first = True
        self.status = 0
        if asked.form == "csv":
            from report import csv

            print(csv.HEAD)

    def fail(self, failure: Failure) -> None:
        sys.stdout.flush()
        print(f"jobio: report: {failure}", file=sys.stderr)
        self.status = FAILED

    def job(self, job: Job) -> None:
        if self.asked.form == "csv":
            from report import csv

            print(csv.line(job))
        elif self.asked.form == "json":
            print(as_json(job, self.asked.values.get("advice") != "none"))
        else:
            from report import job as one_job

            wanted = self.asked.values.get("advice")
            shown = None if wanted == "none" else 1000 if wanted else one_job.ADVICE_SHOWN
            self.block(one_job.text(job, self.source, self.asked.has("verbose"), shown))
        self.is_first = False

    def block(self, text: str) -> None:
        print("" if self.is_first else "\n", end="")
        print(text, end="")
        self.is_first = False

    def group(self, group: Group) -> None:
        if group.is_family and group.jobs and not self.asked.form:
            from report import job as one_job

            self.block(one_job.family(group))
            return
        for job in group.jobs:
            self.job(job)
        for failure in group.failures[:1 if not self.asked.form else None]:
            self.fail(failure)


def report_jobs(asked: Asked, source: record.Source, printer: Printer) -> None:
    source.start_sacct(sacct.query(jobs=record.bare(asked.words)), steps=source.form == "slim")
    found = []
    for word in asked.words:
        group = record.group(source, word, asked.restart)
        if asked.columns:
            found += group.jobs
            for failure in group.failures:
                printer.fail(failure)
        else:
            printer.group(group)
    if found:
        print("\n".join(jobs.table(found, asked.columns)))


def report_page(asked: Asked, source: record.Source, printer: Printer) -> None:
    """Jobs that are named, or a list; into a folder: a page of each, and one that links them."""
    from report import page

    file: str = asked.values["html"]
    folder = file if file.endswith("/") or os.path.isdir(file) else ""
    ready = page.prepare("page.html.j2" if asked.words else "list.html.j2")
    if asked.words:
        source.start_sacct(sacct.query(jobs=record.bare(asked.words)), steps=True)
        groups = [record.group(source, word, asked.restart) for word in asked.words]
        for group in groups:
            for failure in group.failures[:1]:
                printer.fail(failure)
        found = [job for group in groups for job in group.jobs]
        ready.join()
        if not found:
            return
        if len(groups) == 1 and not groups[0].is_family and not folder:
            page.write(file, page.job(found[0]))
            return
        text = page.several(groups, bool(folder))
    else:
        listed = jobs.get(source, asked.query)
        ready.join()
        found, text = listed.jobs, page.listed(listed, asked.query, bool(folder))
    if folder:
        source.form = "slim"
        page.write_folder(folder, text, (job if job.lines else source.job(job.id)
                                         for job in found if job.source == "ledger"))
    else:
        page.write(file, text)


def report_list(asked: Asked, source: record.Source, printer: Printer) -> None:
    found = jobs.get(source, asked.query, bool(asked.form))
    if not asked.form:
        print(jobs.text(found, asked.query, asked.columns), end="")
        return
    for job in found.jobs:
        printer.job(job)


def main(args: list[str]) -> int:
    asked = Asked(args)
    if asked.has("site"):
        from report import site

        return site.run(asked.values, asked.form)
    source = asked.source()
    if asked.has("live"):
        from report import live

        return live.run(asked, source)
    printer = Printer(asked, source)
    if asked.has("html"):
        report_page(asked, source, printer)
    elif asked.words:
        report_jobs(asked, source, printer)
    else:
        report_list(asked, source, printer)
    source.close()
    return printer.status
