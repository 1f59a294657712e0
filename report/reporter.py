# SPDX-License-Identifier: GPL-2.0-or-later
"""Shows what jobs read and wrote, how well they used their CPUs and memory, and
what to change. A JOB is 7, 5_1 (array task), 5_[1-3] or 5 (several or all of
them), 7+1 (component of a heterogeneous job). Without one: a line for each of
your jobs of the last day.

The ledger sends records to their owner and to root; without it the summary in
sacct is shown. Exit status: 0; 1 when nothing is known of one of the jobs;
2 bad usage."""
from __future__ import annotations

from argparse import Namespace

from report import job_id, jobs, sacct, source
from report.command import USAGE, Failure
from report.options import Parser, choice, number, word

JOBS_MAX = 1000
LIMIT, LIMIT_SITE, LIMIT_MAX = 1000, 20, 100000
LISTS = ("user", "account", "starttime", "endtime", "state", "sort", "limit", "all")
# option, options that exclude it, message
EXCLUDED = (
    ("json", ("csv",), "--json and --csv exclude each other"),
    ("site", ("words", "restart", "verbose", "user", "account", "state", "sort", "all", "format",
              "clusters"),
     "--site: of all jobs: only --starttime, --endtime, --limit, --json, --csv and --html go "
     "with it"),
    ("live", ("html", "csv", "restart"), "--live: without --html, --csv and --restart"),
    ("words", LISTS, "--user, --account, --starttime, --endtime, --state, --sort and --limit are "
     "for lists: name no job"),
    ("html", ("json", "csv"), "--html: without --json and --csv"),
    ("format", ("json", "csv", "html", "live"),
     "--format: without --json, --csv, --html and --live"))


def make_parser() -> Parser:
    parser = Parser("report [OPTION]... [JOB]...", __doc__)
    add = parser.add
    add("-j, --jobs=A,B,C", "more jobs", dest="more", action="append", default=[])
    add("--restart=N", "this run of a requeued job, not the newest", number(0, 2 ** 32 - 1))
    add("--live[=SECONDS]", "a running job of yours: so far; on a terminal again every so many "
        "seconds: 5", number(1, 3600))
    add("-v, --verbose", "all that is recorded: every filesystem, counter and node")
    add("--advice=all|none", "more than the first five lines of it, or none", choice("all", "none"))
    add("-u, --user=A,B", "without JOB: the jobs of these users", word("._,$@\\"))
    add("-A, --account=A,B", "of these accounts, of all users", word("._,"))
    add("-M, --clusters=C", "of this cluster; 101;C is job 101 of cluster C", word("._"))
    add("-S, --starttime=T", "from this time on, as sacct has it: now-1days", word("/:.+"),
        default="now-1days")
    add("-E, --endtime=T", "until then: now", word("/:.+"), default="now")
    add("-s, --state=A,B", "in these states: FAILED,TIMEOUT", sacct.states, default=[])
    add("--all", "jobs that never ran, too; --json and --csv always show them")
    add("--sort=KEY", "by end (the newest first), start, name, user, state, elapsed, nodes, "
        "profile, read or written", choice(*jobs.SORTS), default="end")
    add("--limit=N", f"so many at most: {LIMIT}; of each table of --site: {LIMIT_SITE}",
        number(1, LIMIT_MAX))
    add("-o, --format=A,B%20", "these columns: jobid, user, state, cpu%%, mem%%, io%%, read, "
        "written, advice and others (jobio-report(5)), as sacct --format has them", jobs.columns)
    add("--site", "all jobs together, for administrators: bytes, metadata, peaks and advice by "
        "filesystem, user, account and profile; with -S, -E, --limit")
    add("--json", "one JSON object a line")
    add("--csv", "one line a job")
    add("--html=FILE", "a job, several of them, or a list, as one page; into a FOLDER/: a page of "
        "each job as well, with links to them")
    parser.add_conf()
    return parser


class Options(Namespace):
    """The command line.

    Members are the long options of make_parser(); None, False or a default if not given.
    words: the jobs
    cluster: the cluster of all jobs; None: this host's
    """

    limit: int

    def __init__(self, args: list[str]) -> None:
        """Raises: Failure"""
        super().__init__()
        parser = make_parser()
        args = ["--live=5" if arg == "--live" else arg for arg in args]
        _, words = parser.read(args, self)
        self.words: list[str] = []
        self.cluster: str | None = None
        self.add_jobs([*self.more, *words])
        for name, others, why in EXCLUDED:
            if self.is_given(parser, name) and any(self.is_given(parser, one) for one in others):
                raise Failure(why, USAGE)
        if self.live:
            self.check_live()
        if self.restart is not None and not self.words:
            raise Failure("--restart: of which job?", USAGE)
        self.limit = self.limit or (LIMIT_SITE if self.site else LIMIT)

    def is_given(self, parser: Parser, name: str) -> bool:
        return bool(getattr(self, name) not in (parser.get_default(name), []))

    def add_jobs(self, words: list[str]) -> None:
        """Set the jobs and their cluster: sacct and the ledger have one query. Without any word the
        caller's jobs are listed, so an empty word is an error."""
        found = {self.clusters} if self.clusters else set()
        for one in [one for text in words for one in job_id.split(text) or [""]]:
            job, cluster = job_id.split_cluster(one)
            job_id.check(job)
            self.words.append(job)
            found |= {cluster} if cluster else set()
        if len(self.words) > JOBS_MAX:
            raise Failure(f"more than {JOBS_MAX} jobs", USAGE)
        if len(found) > 1:
            raise Failure("jobs of one cluster at a time: " + ", ".join(sorted(found)), USAGE)
        self.cluster = next(iter(found), None)

    def check_live(self) -> None:
        if len(self.words) != 1 or "[" in self.words[0]:
            raise Failure("--live: of one job: 7, 5_1 or 7+1", USAGE)
        if self.cluster not in (None, source.slurm_conf_cluster()):
            raise Failure(f"--live: run it on cluster {self.cluster}", USAGE)

    @property
    def columns(self) -> list[str]:
        """Return the names in --format; []: the usual columns."""
        return [name for name, _ in self.format or []]

    @property
    def is_for_programs(self) -> bool:
        return bool(self.json or self.csv)

    @property
    def is_use_shown(self) -> bool:
        """Return True if the use of CPUs and memory is printed: sacct must then print steps."""
        if self.is_for_programs:
            return False
        return not self.format or "cpu%" in self.columns or "mem%" in self.columns

    @property
    def form(self) -> str:
        """Return the form of the ledger's runs: source.Source."""
        if self.json:
            return "full"
        if self.csv or "findings" in self.columns:
            return "row"
        if not self.words:
            return "head"
        return "row" if self.format else "slim"


def main(args: list[str]) -> int:
    options = Options(args)
    if options.site:
        from report import site

        return site.run(options)
    found = source.Source("report", options.conf, options.form, options.advice != "none",
                          options.cluster)
    if options.live:
        from report import live

        return live.run(options, found)
    if options.words:  # sacct runs while the other modules are loaded
        found.start(sacct.query(jobs=job_id.for_sacct(options.words), cluster=options.cluster),
                      options.is_use_shown)
    from report import printer

    return printer.run(options, found)
