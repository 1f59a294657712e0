# SPDX-License-Identifier: GPL-2.0-or-later
"""What jobio report prints or writes, in the form that was asked for."""
from __future__ import annotations

import json
import os
import sys

from report import advice, csv, jobs, record, units
from report import job as one_job
from report.command import FAILED, Failure
from report.record import Group, Job
from report.reporter import Asked
from report.types import Json

# of the member "slurm" of JSON
SLURM = ("name", "user", "account", "partition", "state", "exit_code", "signal", "start", "end",
         "elapsed_s", "nodes")


def as_json(job: Job, is_advised: bool = True) -> str:
    """The ledger's answer as it came, timelines (null: records are left out) and advice (null:
    too little to judge), or what sacct knows in the same form."""
    told: Json = {key: value for key, value in job.answer.items()
                            if key not in ("ok", "advice")}
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
        self.is_first = True
        self.status = 0
        if asked.form == "csv":
            print(csv.HEAD)

    def fail(self, failure: Failure) -> None:
        sys.stdout.flush()
        print(f"jobio: report: {failure}", file=sys.stderr)
        self.status = FAILED

    def job(self, job: Job) -> None:
        if self.asked.form == "csv":
            print(csv.line(job))
        elif self.asked.form == "json":
            print(as_json(job, self.asked.values.get("advice") != "none"))
        else:
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
            self.block(one_job.family(group))
            return
        for job in group.jobs:
            self.job(job)
        for failure in group.failures[:1 if not self.asked.form else None]:
            self.fail(failure)


def report_jobs(asked: Asked, source: record.Source, printer: Printer) -> None:
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
        query = {**jobs.USUAL_QUERY, **asked.values}
        listed = jobs.get(source, query)
        ready.join()
        found, text = listed.jobs, page.listed(listed, query, bool(folder))
    if folder:
        source.form = "slim"
        page.write_folder(folder, text, (job if job.lines else source.job(job.id)
                                         for job in found if job.source == "ledger"))
    else:
        page.write(file, text)


def report_list(asked: Asked, source: record.Source, printer: Printer) -> None:
    query = {**jobs.USUAL_QUERY, **asked.values}
    found = jobs.get(source, query, bool(asked.form))
    if not asked.form:
        print(jobs.text(found, query, asked.columns), end="")
        return
    for job in found.jobs:
        printer.job(job)


def run(asked: Asked, source: record.Source) -> int:
    printer = Printer(asked, source)
    if asked.has("html"):
        report_page(asked, source, printer)
    elif asked.words:
        report_jobs(asked, source, printer)
    else:
        report_list(asked, source, printer)
    source.close()
    return printer.status
