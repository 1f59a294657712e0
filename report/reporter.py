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
  -M, --clusters=C   of this cluster, as 101;C asks for job 101 of cluster C
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
# jobio report: I/O of jobs, changes made for them, and advice.
from __future__ import annotations

from report import record, sacct
from report.command import USAGE, Failure
from report.options import choice, numbered, read, word
from report.types import Any, Take

JOBS_MAX = 1000
LIMIT_MAX = 100000


def of_lists(name: str, text: str) -> Any:
    """Check the values of --sort and --format."""
    from report import jobs

    return jobs.columns(name, text) if name == "format" else choice(*jobs.SORTS)(name, text)


TAKES: dict[str, Take] = {
    "restart": numbered(0, 2 ** 32 - 1), "live": numbered(1, 3600),
    "user": word("._,$@\\"), "account": word("._,"), "starttime": word("/:.+"),
    "endtime": word("/:.+"), "clusters": word("._"), "state": sacct.states, "sort": of_lists,
    "limit": numbered(1, LIMIT_MAX), "format": of_lists}
LISTS = ("user", "account", "starttime", "endtime", "state", "sort", "limit", "all")
# option, options that conflict with it, message
APART = (
    ("json", ("csv",), "--json and --csv exclude each other"),
    ("site", ("jobs", "restart", "verbose", "user", "account", "state", "sort", "all", "format",
              "clusters"),
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
        self.clusters: list[str] = []  # cluster of each job
        args = ["--live=5" if arg == "--live" else arg for arg in args]
        self.values, words = read(__doc__, args, {**TAKES, "jobs": self.add})
        for one in words:
            self.values["jobs"] = self.add("jobs", one)
        self.find_cluster()
        for name, others, why in APART:
            if name in self.values and any(other in self.values for other in others):
                raise Failure(why, USAGE)
        if "live" in self.values and (len(self.words) != 1 or "[" in self.words[0]):
            raise Failure("--live: of one job: 7, 5_1 or 7+1", USAGE)
        if "live" in self.values and self.cluster not in (None, record.slurm_conf_cluster()):
            raise Failure(f"--live: run it on cluster {self.cluster}", USAGE)
        if "restart" in self.values and not self.words:
            raise Failure("--restart: of which job?", USAGE)
        self.form = "json" if "json" in self.values else "csv" if "csv" in self.values else ""
        self.columns: list[tuple[str, int]] | None = self.values.get("format")
        self.restart: int | None = self.values.get("restart")

    def has(self, name: str) -> bool:
        return name in self.values

    def find_cluster(self) -> None:
        """Set the cluster of --clusters and of all jobs: sacct and the ledger have one query."""
        found = {one for one in (self.values.get("clusters"), *self.clusters) if one}
        if len(found) > 1:
            raise Failure("jobs of one cluster at a time: " + ", ".join(sorted(found)), USAGE)
        self.cluster = next(iter(found), None)

    def add(self, name: str, text: str) -> list[str]:
        """Add jobs; without any word the caller's jobs are listed, so an empty list is an error."""
        for one in record.split(text) or [""]:
            job, cluster = record.of_cluster(one)
            record.check(job)
            self.words.append(job)
            self.clusters.append(cluster)
        if len(self.words) > JOBS_MAX:
            raise Failure(f"more than {JOBS_MAX} jobs", USAGE)
        return self.words

    def is_use_shown(self) -> bool:
        """Return True if the use of CPUs and memory is printed: sacct must then print steps."""
        return not self.form and any(name in ("cpu%", "mem%")
                                     for name, _ in self.columns or [("cpu%", 0)])

    def source(self) -> record.Source:
        shown = [name for name, _ in self.columns or []]
        form = "full" if self.form == "json" else "row" if self.form or "findings" in shown else \
            "head" if not self.words else "row" if shown else "slim"
        return record.Source("report", self.values.get("conf"), form,
                               self.values.get("advice") != "none", self.cluster)


def main(args: list[str]) -> int:
    asked = Asked(args)
    if asked.has("site"):
        from report import site

        return site.run(asked.values, asked.form)
    source = asked.source()
    if asked.has("live"):
        from report import live

        return live.run(asked, source)
    if asked.words:  # load the other modules while sacct runs
        source.start(sacct.query(jobs=record.bare(asked.words), cluster=asked.cluster),
                     asked.is_use_shown())
    from report import printer

    return printer.run(asked, source)
