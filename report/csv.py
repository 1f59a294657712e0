# SPDX-License-Identifier: GPL-2.0-or-later
"""One line of comma-separated values for each job. Columns are never moved or removed; new ones are
last: jobio-report(5)."""
from __future__ import annotations

from report import sacct
from report.job import TOTALS, Job

HEAD = ("job,cluster,restart,source,nodes_seen,nodes_expected,io_cores,cpus,profile,read_bytes,"
        "read_calls,write_bytes,write_calls,scope,counted_by,quality,peak_read_Bps,peak_write_Bps,"
        "name,user,account,partition,state,exit_code,start,end,elapsed_s,nodes,advice,job_id,"
        "array_job,array_task,het_job,het_offset,signal,metadata_calls,filesystems,findings,"
        "gate_warned_tasks,gate_refused_tasks,io_share,io_s,failed_calls")


def cell(value: object) -> str:
    """Format a value: texts in quotes; a text that a spreadsheet would evaluate, after = + - @, is
    preceded by a single quote."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value)
    if value[:1] in ("=", "+", "-", "@"):
        value = "'" + value
    return '"' + value.replace('"', '""') + '"'


def line(*values: object) -> str:
    return ",".join(map(cell, values))


def of_job(job: Job) -> str:
    """Return the line of a job, with the columns of HEAD."""
    s = job.summary
    row = job.slurm or sacct.Row([""] * len(sacct.FIELDS))
    failed = " ".join(f"{name}:{calls}" for name, calls in s.failed.items())
    return line(
        job.id, job.cluster or "", job.run.restart, job.source, s.nodes_seen or 0,
        s.nodes_expected, s.cores, s.cpus, s.prof, *(job.totals[key] for key in TOTALS), s.scope,
        s.src, " ".join(s.flags), s.peak_read, s.peak_write, row.name, job.user, row.account,
        row.partition, row.state, row.exit_code, row.start, row.end, row.elapsed_s, job.node_count,
        " ".join(one.code for one in job.advice), job.number, *(job.array or (None, None)),
        *(job.het or (None, None)), row.signal, s.meta, s.fs, " ".join(job.run.findings),
        s.gate_warned, s.gate_refused, s.io_share and round(s.io_share, 5), s.io_seconds, failed)
