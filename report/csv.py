# SPDX-License-Identifier: GPL-2.0-or-later
"""A line of comma-separated values for each job. jobio-report(5) promises that no column ever
moves or goes: new ones come last."""
from __future__ import annotations

from report import job as one_job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from report.record import Job

HEAD = ("job,cluster,restart,source,nodes_seen,nodes_expected,io_cores,cpus,profile,read_bytes,"
        "read_calls,write_bytes,write_calls,scope,counted_by,quality,peak_read_Bps,peak_write_Bps,"
        "name,user,account,partition,state,exit_code,start,end,elapsed_s,nodes,advice,job_id,"
        "array_job,array_task,het_job,het_offset,signal,metadata_calls,filesystems,findings,"
        "gate_warned_tasks,gate_refused_tasks,io_share,io_s,failed_calls")


def text(value: str | None) -> str:
    """In quotes; a spreadsheet takes what begins with = + - @ for a formula, so it does not."""
    value = value or ""
    if value[:1] in ("=", "+", "-", "@"):
        value = "'" + value
    return '"' + value.replace('"', '""') + '"'


def number(value: float | None) -> str:
    return "" if value is None else str(value)


def slurm(job: Job) -> list[str]:
    row = job.slurm
    codes = text(" ".join(line.code for line in one_job.advice_of(job)))
    if not row:
        return [text(""), text(job.user), *[text("")] * 3, *[""] * 4, number(job.node_count), codes]
    return [text(row.name), text(job.user), text(row.account), text(row.partition),
            text(row.state), number(row.exit_code), number(row.start), number(row.end),
            number(row.elapsed_s), number(job.node_count), codes]


def line(job: Job) -> str:
    s = job.summary
    array, het = job.array or (None, None), job.het or (None, None)
    cells = [
        text(job.id), text(job.cluster), number(job.restart), text(job.source),
        number(s.nodes_seen or 0), number(s.nodes_expected), text(s.cores), text(s.cpus),
        text(s.prof), number(job.totals["read_bytes"]), number(job.totals["read_calls"]),
        number(job.totals["write_bytes"]), number(job.totals["write_calls"]), text(s.scope),
        text(s.src), text(" ".join(s.flags)), number(s.peak_read), number(s.peak_write),
        *slurm(job), number(job.number), number(array[0]), number(array[1]), number(het[0]),
        number(het[1]), number(job.slurm.signal if job.slurm else None), number(s.meta),
        text(s.fs), text(" ".join(job.findings)), number(s.gate_warned), number(s.gate_refused),
        number(s.io_share and round(s.io_share, 5)), number(s.io_seconds),
        text(" ".join(f"{name}:{calls}" for name, calls in s.failed.items()))]
    return ",".join(cells)
