# SPDX-License-Identifier: GPL-2.0-or-later
"""Output of jobio report, in the requested form."""
from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator

from report import advice, csv, jobs, record, units
from report import job as one_job
from report.command import FAILED, USAGE, Failure
from report.record import Group, Job
from report.reporter import Asked
from report.types import Json

# keys of "slurm" in JSON
SLURM = ("name", "user", "account", "partition", "state", "exit_code", "signal", "start", "end",
         "elapsed_s", "nodes")


def as_json(job: Job, is_advised: bool = True) -> str:
    """Return the JSON of a job: the ledger's unchanged reply, or sacct's data in the same form;
    with timelines (null: records are left out) and advice (null: too little to judge)."""
    told: Json = {key: value for key, value in job.answer.items() if key not in ("ok", "advice")}
    told["id"], told["source"] = job.id, job.source
    if not job.answer:
        told["cluster"], told["summary"] = job.cluster, job.summary_text
        told["why_not_ledger"] = job.why_not_ledger or None
        if job.summary_text:
            told["totals"] = job.totals
    row = job.slurm
    told["slurm"] = row and {key: None if (value := getattr(row, key)) == "" else value
                             for key in SLURM}
    if is_advised and "judged" in job.answer:
        told["advice"] = advice.as_json(job.answer, one_job.slurm_of(job))
    return units.escape_json(json.dumps(told, ensure_ascii=False, separators=(",", ":")))


class Printer:
    def __init__(self, asked: Asked, source: record.Source) -> None:
        self.asked, self.source = asked, source
        self.query = {**jobs.USUAL_QUERY, **asked.values}
        self.is_first = True
        self.status = 0

    def groups(self) -> Iterator[Group]:
        """Return the jobs of each word of the command line, and print failures; in text only the
        first one of each word."""
        for word in self.asked.words:
            group = record.group(self.source, word, self.asked.restart)
            yield group
            for failure in group.failures[:None if self.asked.form or self.asked.columns else 1]:
                sys.stdout.flush()
                print(f"jobio: report: {failure}", file=sys.stderr)
                self.status = FAILED

    def block(self, text: str) -> None:
        print(text if self.is_first else "\n" + text, end="")
        self.is_first = False

    def print_job(self, job: Job) -> None:
        wanted = self.asked.values.get("advice")
        if self.asked.form == "csv":
            print(csv.line(job))
        elif self.asked.form == "json":
            print(as_json(job, wanted != "none"))
        else:
            shown = None if wanted == "none" else 1000 if wanted else one_job.ADVICE_SHOWN
            self.block(one_job.text(job, self.source, self.asked.has("verbose"), shown))

    def print_jobs(self) -> None:
        found = []
        for group in self.groups():
            if self.asked.columns:
                found += group.jobs
            elif group.is_family and group.jobs and not self.asked.form:
                self.block(one_job.family(group))
                group.failures = []  # it has printed them
            else:
                for job in group.jobs:
                    self.print_job(job)
        if found:
            print("\n".join(jobs.table(found, self.asked.columns)))

    def print_list(self) -> None:
        found = jobs.get(self.source, self.query, bool(self.asked.form),
                         self.asked.is_use_shown())
        if not self.asked.form:
            print(jobs.text(found, self.query, self.asked.columns), end="")
            return
        for job in found.jobs:
            self.print_job(job)

    def write_page(self) -> None:
        """Write the page of jobs, or of a list; into a folder: a page of each, and an index."""
        from report import page

        file: str = self.asked.values["html"]
        if record.is_id(file):
            raise Failure(f"--html: '{file}': a job ID, not a file: --html=job.html {file}", USAGE)
        folder = file if file.endswith("/") or os.path.isdir(file) else ""
        ready = page.prepare("page.html.j2" if self.asked.words else "list.html.j2")
        if self.asked.words:
            groups = list(self.groups())
            found = [job for group in groups for job in group.jobs]
            ready.join()
            if not found:
                return
            text = page.several(groups, bool(folder)) if len(groups) > 1 or groups[0].is_family \
                or folder else page.job(found[0])
        else:
            listed = jobs.get(self.source, self.query)
            ready.join()
            found, text = listed.jobs, page.listed(listed, self.query, bool(folder))
        if folder:
            self.source.form = "slim"
            page.write_folder(folder, text, (job if job.lines else self.source.job(job.id)
                                             for job in found if job.source == "ledger"))
        else:
            page.write(file, text)
        what = units.plural(len(found), "job") if self.asked.words else \
            f"the list of {units.plural(len(found), 'job')}"
        if os.path.isfile(file) or folder:
            print(f"{file}: {what}")


def run(asked: Asked, source: record.Source) -> int:
    printer = Printer(asked, source)
    if asked.form == "csv":
        print(csv.HEAD)
    if asked.has("html"):
        printer.write_page()
    elif asked.words:
        printer.print_jobs()
    else:
        printer.print_list()
    source.close()
    return printer.status
