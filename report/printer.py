# SPDX-License-Identifier: GPL-2.0-or-later
"""Output of jobio report, in the requested form."""
from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator

from report import advice, csv, job_id, jobs, screen, units
from report.command import FAILED, USAGE, Failure
from report.job import Job
from report.source import Group, Source
from report.types import Json, Options

# keys of "slurm" in JSON
SLURM = ("name", "user", "account", "partition", "state", "exit_code", "signal", "start", "end",
         "elapsed_s", "nodes")


def as_json(job: Job, is_advised: bool = True) -> str:
    """Return the JSON of a job: the ledger's unchanged reply, or sacct's data in the same form.

    is_advised: include the advice; null: too little to judge
    """
    top: Json = {key: value for key, value in job.answer.items() if key not in ("ok", "advice")}
    top["id"] = job.id
    top["source"] = job.source
    if not job.answer:
        top["cluster"] = job.cluster
        top["summary"] = job.summary_text
        top["why_not_ledger"] = job.why_not_ledger or None
        if job.summary_text:
            top["totals"] = job.totals
    row = {key: getattr(job.slurm, key) for key in SLURM} if job.slurm else None
    top["slurm"] = row and {key: None if value == "" else value for key, value in row.items()}
    if is_advised and "judged" in job.answer:
        top["advice"] = advice.as_json(job.answer, job.slurm_values)
    return units.escape_json(json.dumps(top, ensure_ascii=False, separators=(",", ":")))


class Printer:
    """status: exit status of the command"""

    def __init__(self, options: Options, source: Source) -> None:
        self.options = options
        self.source = source
        self.is_first = True
        self.status = 0

    def groups(self) -> Iterator[Group]:
        """Return the jobs of each word of the command line, and print failures; in text only the
        first one of each word."""
        options = self.options
        shown = None if options.is_for_programs or options.format else 1
        for word in options.words:
            group = self.source.group(word, options.restart)
            yield group
            for failure in group.failures[:shown]:
                sys.stdout.flush()
                print(f"jobio: report: {failure}", file=sys.stderr)
                self.status = FAILED

    def print_text(self, text: str) -> None:
        """Print the text of a job, with an empty line before all but the first."""
        print(text if self.is_first else "\n" + text, end="")
        self.is_first = False

    def print_job(self, job: Job) -> None:
        options = self.options
        if options.csv:
            print(csv.of_job(job))
        elif options.json:
            print(as_json(job, options.advice != "none"))
        else:
            shown = {"all": 1000, "none": None, None: screen.ADVICE_SHOWN}[options.advice]
            self.print_text(screen.text(job, self.source, options.verbose, shown))

    def print_jobs(self) -> None:
        options = self.options
        listed = []
        for group in self.groups():
            if options.format:
                listed += group.jobs
            elif group.is_family and group.jobs and not options.is_for_programs:
                self.print_text(screen.family(group))
                group.failures = []  # the text has their number
            else:
                for job in group.jobs:
                    self.print_job(job)
        if listed:
            print("\n".join(jobs.table(listed, options.format)))

    def print_list(self) -> None:
        options = self.options
        found = jobs.get(self.source, options, options.is_for_programs, options.is_use_shown)
        if options.is_for_programs:
            for job in found.jobs:
                self.print_job(job)
        else:
            print(jobs.text(found, options, options.format), end="")

    # ---- pages

    def page(self, is_linked: bool) -> tuple[list[Job], str]:
        """Return the jobs and their page.

        is_linked: with links to pages of each job
        """
        from report import page, template

        options = self.options
        ready = template.prepare("page.html.j2" if options.words else "list.html.j2")
        if not options.words:
            listed = jobs.get(self.source, options)
            ready.join()
            return listed.jobs, page.listed(listed, options, is_linked)
        groups = list(self.groups())
        found = [job for group in groups for job in group.jobs]
        ready.join()
        if not found:
            return [], ""
        if len(groups) == 1 and not groups[0].is_family and not is_linked:
            return found, page.job(found[0])
        return found, page.several(groups, is_linked)

    def write_page(self, path: str) -> None:
        """Write the page of jobs, or of a list; into a folder: a page of each, and an index."""
        from report import page

        if job_id.is_id(path):
            raise Failure(f"--html: '{path}': a job ID, not a file: --html=job.html {path}", USAGE)
        is_folder = path.endswith("/") or os.path.isdir(path)
        found, text = self.page(is_folder)
        if not text:
            return
        if is_folder:
            self.source.form = "slim"
            whole = (job if job.run.lines else self.source.job(job.id)
                     for job in found if job.source == "ledger")
            page.write_folder(path, text, whole)
        else:
            page.write(path, text)
        if os.path.isfile(path) or is_folder:
            what = "" if self.options.words else "the list of "
            print(f"{path}: {what}{units.plural(len(found), 'job')}")


def run(options: Options, source: Source) -> int:
    """Print what the options request; return the exit status."""
    printer = Printer(options, source)
    if options.csv:
        print(csv.HEAD)
    if options.html:
        printer.write_page(options.html)
    elif options.words:
        printer.print_jobs()
    else:
        printer.print_list()
    source.close()
    return printer.status
