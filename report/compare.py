# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: jobio compare [OPTION]... JOB[,JOB]... JOB[,JOB]...

Shows two jobs side by side: the same script with two profiles, or two numbers of
io-cores. Several jobs on a side, or an array, are repeats. Says what differs beyond
chance: over the repeats or, where there are none, over the nodes; with mean, spread
(standard deviation) and count.

  --json        one JSON object
  --conf=FILE   instead of {conf}

Exit status: 0; 1 when nothing is known of one of the jobs; 2 bad usage."""
# jobio compare: two jobs, or two sets of them, side by side.
from __future__ import annotations

import json
import sys

from report import record, sacct, samples, timeline, units
from report.command import USAGE, Failure
from report.options import read, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from report.options import Spec
    from report.record import Job, Source

    Values = dict[str, list[float]]  # metric: of each job, or of each node

OPTIONS: dict[str, Spec] = {"json": ("", None), "conf": ("", text)}
WORK_PERCENT = 10  # more: it was not the same work


class Metric:
    def __init__(self, key: str, name: str, unit: str, is_work: bool = False) -> None:
        self.key, self.name, self.unit, self.is_work = key, name, unit, is_work

    def text(self, value: float) -> str:
        if self.unit == "elapsed":
            return units.elapsed(value)
        if self.unit == "s":
            return units.span(value * 1e9)
        return units.size(value) + self.unit[1:] if self.unit else units.count(value)


METRICS = [Metric("elapsed_s", "elapsed", "elapsed"),
           *(metric for way, verb in (("read", "read"), ("write", "written")) for metric in (
               Metric(way + "_bytes", verb, "B", True), Metric(way + "_Bps", "  rate", "B/s"),
               Metric(way + "_size", "  mean size", "B"),
               Metric(way + "_call_s", "  mean latency", "s"))),
           Metric("meta", "metadata", "", True)]
WORDS = {"name": "name", "state": "state", "profile": "profile", "io_cores": "io-cores",
         "filesystems": "filesystems"}


NUMBERS = ("read_bytes", "read_calls", "read_us", "write_bytes", "write_calls", "write_us")


class Side:
    def __init__(self, text: str, reports: list[Job]) -> None:
        self.text, self.reports = text, reports
        self.jobs: Values = {m.key: [] for m in METRICS}
        self.nodes: Values = {m.key: [] for m in METRICS}
        for report in reports:
            self.take(report)

    def take(self, job: Job) -> None:
        elapsed = job.time["seconds"] or 0
        if elapsed:
            self.jobs["elapsed_s"].append(elapsed)
        active = active_s(job)
        for node in job.nodes:
            add_io(self.nodes, total([node]), active, (node["end"] or 0) - (node["start"] or 0))
        if job.nodes and not job.answer.get("left_out"):
            add_io(self.jobs, total(job.nodes), active, elapsed)
        else:  # of some nodes, this is no number of the job
            add_io(self.jobs, {**job.totals, "meta": job.summary.meta}, {}, elapsed)

    def common(self, key: str) -> str:
        """One word for all jobs of a side."""
        words = {word_of(job, key) for job in self.reports}
        return (words.pop() or "-") if len(words) == 1 else "mixed"

    def node_count(self) -> int | None:
        counts = {job.node_count for job in self.reports}
        return counts.pop() if len(counts) == 1 else None


def word_of(job: Job, key: str) -> str:
    row, summary = job.slurm, job.summary
    words: dict[str, str] = {
        "name": row.name if row else "", "state": row.state if row and job.is_of_slurm else "",
        "profile": summary.prof, "io_cores": summary.cores, "filesystems": summary.fs}
    return words[key]


def total(nodes: list[dict[str, Any]]) -> dict[str, int | None]:
    """Of these nodes, what is of the job; what is unknown adds nothing."""
    sums: dict[str, int | None] = {}
    for key in NUMBERS:
        values = [node[key] for node in nodes if node.get(key) is not None]
        sums[key] = sum(values) if values else None
    calls = [n for node in nodes for n in (node.get("meta") or {}).values() if n is not None]
    sums["meta"] = sum(calls) if calls else None
    return sums


def active_s(job: Job) -> dict[str, int]:
    """Seconds in which it read and wrote, where its timeline says which."""
    rows = timeline.total(job.lines, None, None)
    return {way: sum(1 for v in rows.lanes.get(way + "_bytes", []) if v) * rows.width
            for way in ("read", "write")} if rows else {}


def add_io(values: Values, io: dict[str, int | None], active: dict[str, int], seconds: float,
           ) -> None:
    """Numbers of a job or a node; what is unknown adds nothing."""
    for way in ("read", "write"):
        moved, calls, us = (io.get(way + end) for end in ("_bytes", "_calls", "_us"))
        took = active.get(way) or seconds
        if moved is not None:
            values[way + "_bytes"].append(moved)
            if moved > 0 and took > 0:
                values[way + "_Bps"].append(moved / took)
            if calls:
                values[way + "_size"].append(moved / calls)
        if us is not None and calls:
            values[way + "_call_s"].append(us / calls / 1e6)
    meta = io.get("meta")
    if meta is not None:
        values["meta"].append(meta)


class Comparison:
    def __init__(self, one: Side, other: Side) -> None:
        self.sides = (one, other)
        self.is_of_nodes = len(one.reports) < 2 and len(other.reports) < 2
        self.over = "nodes" if self.is_of_nodes else "jobs"

    def values(self, metric: Metric) -> tuple[list[float], list[float]]:
        """What chance is judged by."""
        one, other = ((s.nodes if self.is_of_nodes else s.jobs)[metric.key] for s in self.sides)
        return one, other

    def differs(self, metric: Metric) -> bool | None:
        return samples.differ(*self.values(metric))

    def means(self, metric: Metric) -> tuple[float | None, float | None]:
        one, other = (samples.mean(v) if (v := s.jobs[metric.key]) else None for s in self.sides)
        return one, other

    def change(self, metric: Metric) -> float | None:
        """In percent; None: unknown, or from nothing to something."""
        one, other = self.means(metric)
        if one is None or other is None or (one <= 0 < other):
            return None
        return (other - one) / one * 100 if one > 0 else 0.0

    def is_other_work(self, metric: Metric) -> bool:
        change = self.change(metric)
        return (None not in self.means(metric) if change is None
                else abs(change) > WORK_PERCENT)

    def to_json(self) -> dict[str, Any]:
        top: dict[str, Any] = {"sides": [
            {"jobs": [r.id for r in side.reports], **{key: side.common(key) for key in WORDS},
             "nodes": side.node_count()} for side in self.sides], "spread_over": self.over}
        for metric in METRICS:
            first, second = (samples.to_json(side.jobs[metric.key]) for side in self.sides)
            change = self.change(metric)
            top[metric.key] = {"first": first, "second": second,
                               "change_percent": None if change is None else samples.plain(change),
                               "significant": self.differs(metric)}
        return top


# ---- text --------------------------------------------------------------------------

def table_row(name: str, one: str, other: str, tail: str = "") -> str:
    return f"{name:<15} {one:<20} {other:<20} {tail}".rstrip()


def metric_row(both: Comparison, metric: Metric) -> str:
    texts = ["unknown" if mean is None else metric.text(mean) for mean in both.means(metric)]
    change = both.change(metric)
    if change is None or abs(change) < 0.05:
        tail = "" if change is None else "      same"
    else:
        tail = f"{change:+8.1f} %" + {True: "  differs", False: "  within chance",
                                      None: ""}[both.differs(metric)]
    return table_row(metric.name, texts[0], texts[1], tail)


def measured(metric: Metric, values: list[float]) -> str:
    """1.00 GiB ± 12 MiB (4)"""
    sign = "±" if units.is_utf8() else "+-"
    return (f"{metric.text(samples.mean(values))} {sign} "
            f"{metric.text(samples.spread(values) or 0)} ({len(values)})")


def verdict(both: Comparison) -> list[str]:
    if all(both.differs(metric) is None for metric in METRICS):
        return ["what differs beyond chance is not known: one side is one job on one node; "
                "several jobs, A,B C,D, are repeats"]
    found = [m for m in METRICS if both.differs(m) and abs(both.change(m) or 1) >= 0.05]
    if not found:
        return [f"nothing differs beyond chance (95 %, over the {both.over})"]
    lines = [f"differs beyond chance (95 %): mean of a {both.over[:-1]}, standard deviation "
             f"(number of {both.over})"]
    group = ""
    for metric in METRICS:
        group = group if metric.name.startswith(" ") else metric.name
        if metric in found:
            name = group + (": " + metric.name.strip() if metric.name.startswith(" ") else "")
            one, other = (measured(metric, v) for v in both.values(metric))
            lines.append(f"  {name:<22} {one:<28} {other}")
    return lines


def table(both: Comparison) -> str:
    one, other = both.sides
    lines = [table_row("job", one.text, other.text)]
    words = [(WORDS[key], one.common(key), other.common(key)) for key in WORDS]
    counts = [str(n) if n is not None else "mixed" for n in (s.node_count() for s in both.sides)]
    for name, a, b in [*words, ("nodes", *counts)]:
        lines.append(table_row(name, a, b, "" if a == b else "  differs"))
    lines += [metric_row(both, m) for m in METRICS if any(s.jobs[m.key] for s in both.sides)]
    codes = [" ".join(a["code"] for a in side.reports[0].advice or []) or "-"
             for side in both.sides]
    lines += [table_row("advice", codes[0], codes[1]), "", *verdict(both)]
    for metric in METRICS:
        if metric.is_work and both.is_other_work(metric):
            lines.append(f"not the same work: {metric.name} differs by more than {WORK_PERCENT} %")
            break
    lines += [f"{side.text}: node-wide numbers, with whatever else ran there"
              for side in both.sides if side.reports[0].is_node_wide]
    return "\n".join(lines)


# ---- the command -------------------------------------------------------------------

def jobs_of(source: Source, word: str) -> list[Job]:
    """7, all of array 7, 7_[1-3]"""
    found = record.group(source, word, form="slim")
    if found.failures:
        raise found.failures[0]
    return found.jobs


def main(args: list[str]) -> int:
    options, words = read("compare", OPTIONS, args)
    if len(words) != 2:
        raise Failure("two jobs, or two lists of them; see jobio compare --help", USAGE)
    sides = [record.split(word) for word in words]
    for side in sides:
        if not side:
            raise Failure("which job?", USAGE)
        for word in side:
            record.check(word)
    source = record.Source("compare", options.get("conf"))
    try:
        source.start_sacct(sacct.query(jobs=record.bare(sides[0] + sides[1])))
        both = Comparison(*(Side(text, [job for word in side for job in jobs_of(source, word)])
                            for text, side in zip(words, sides)))
    finally:
        source.close()
    if "json" in options:
        json.dump(both.to_json(), sys.stdout, separators=(",", ":"))
        print()
    else:
        print(table(both))
    return 0
