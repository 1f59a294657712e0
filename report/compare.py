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
from collections.abc import Callable
from contextlib import closing

from report import record, sacct, samples, timeline, units
from report.command import USAGE, Failure
from report.job import advice_of, ratio
from report.options import read
from report.record import Job, Source
from report.types import Io, Json

Values = dict[str, list[float]]  # {metric: values of the jobs, or of the nodes}

WORK_PERCENT = 10  # a larger difference is different work


class Metric:
    def __init__(self, key: str, name: str, unit: str, of: Callable[[Io], float | None],
                 is_work: bool = False) -> None:
        self.key, self.name, self.unit, self.of, self.is_work = key, name, unit, of, is_work

    def text(self, value: float) -> str:
        if self.unit == "elapsed":
            return units.elapsed(value)
        if self.unit == "s":
            return units.span(value * 1e9)
        return units.size(value) + self.unit[1:] if self.unit else units.count(value)


def quotient(over: str, under: str, scale: float = 1) -> Callable[[Io], float | None]:
    def of(io: Io) -> float | None:
        value = ratio(io.get(over), io.get(under))
        return None if value is None else value / scale
    return of


def ways(way: str, verb: str) -> list[Metric]:
    return [Metric(way + "_bytes", verb, "B", lambda io: io.get(way + "_bytes"), True),
            Metric(way + "_Bps", "  rate", "B/s",
                   lambda io: ratio(io.get(way + "_bytes") or None, io.get(way + "_s"))),
            Metric(way + "_size", "  mean size", "B", quotient(way + "_bytes", way + "_calls")),
            Metric(way + "_call_s", "  mean latency", "s",
                   quotient(way + "_us", way + "_calls", 1e6))]


METRICS = [Metric("elapsed_s", "elapsed", "elapsed", lambda io: io.get("elapsed_s") or None),
           *ways("read", "read"), *ways("write", "written"),
           Metric("meta", "metadata", "", lambda io: io.get("meta"), True)]
WORDS = {"name": "name", "state": "state", "profile": "profile", "io_cores": "io-cores",
         "filesystems": "filesystems"}
NUMBERS = ("read_bytes", "read_calls", "read_us", "write_bytes", "write_calls", "write_us")


def values_of(found: list[Io]) -> Values:
    return {metric.key: [value for io in found if (value := metric.of(io)) is not None]
            for metric in METRICS}


class Side:
    def __init__(self, text: str, reports: list[Job]) -> None:
        self.text, self.reports = text, reports
        self.jobs = values_of([of_job(job) for job in reports])
        self.nodes = values_of([
            {**total([node]), **active_s(job, (node["end"] or 0) - (node["start"] or 0))}
            for job in reports for node in job.nodes])

    def common(self, key: str) -> str:
        """Return one word for all jobs of a side."""
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


def of_job(job: Job) -> Io:
    seconds = job.time["seconds"] or 0
    if job.nodes and not job.answer.get("left_out"):
        return {"elapsed_s": seconds, **total(job.nodes), **active_s(job, seconds)}
    # the sum of some nodes is not that of the job
    return {"elapsed_s": seconds, **job.totals, "meta": job.summary.meta, "read_s": seconds,
            "write_s": seconds}


def total(nodes: list[Json]) -> Io:
    """Return the sums of these nodes for the job only."""
    return {**{key: units.known(node.get(key) for node in nodes) for key in NUMBERS},
            "meta": units.known(n for node in nodes for n in (node.get("meta") or {}).values())}


def active_s(job: Job, seconds: float) -> Io:
    """Return the seconds with I/O by the timeline."""
    rows = timeline.total(job.lines, None, None)
    active = {way: sum(1 for v in rows.lanes.get(way + "_bytes", []) if v) * rows.width
              for way in ("read", "write")} if rows else {}
    return {way + "_s": active.get(way) or max(seconds, 0) for way in ("read", "write")}


class Comparison:
    def __init__(self, one: Side, other: Side) -> None:
        self.sides = (one, other)
        self.is_of_nodes = len(one.reports) < 2 and len(other.reports) < 2
        self.over = "nodes" if self.is_of_nodes else "jobs"

    def values(self, metric: Metric) -> list[list[float]]:
        """Return the values of both sides for the test of significance."""
        return [(s.nodes if self.is_of_nodes else s.jobs)[metric.key] for s in self.sides]

    def differs(self, metric: Metric) -> bool | None:
        return samples.differ(*self.values(metric))

    def means(self, metric: Metric) -> list[float | None]:
        return [samples.mean(v) if (v := s.jobs[metric.key]) else None for s in self.sides]

    def change(self, metric: Metric) -> float | None:
        """Return the change in percent; None: unknown, or from 0."""
        one, other = self.means(metric)
        if one is None or other is None or (one <= 0 < other):
            return None
        return (other - one) / one * 100 if one > 0 else 0.0

    def is_other_work(self, metric: Metric) -> bool:
        change = self.change(metric)
        return (None not in self.means(metric) if change is None
                else abs(change) > WORK_PERCENT)

    def to_json(self) -> Json:
        top: Json = {"sides": [
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
    """Return mean, spread and count: 1.00 GiB ± 12 MiB (4)."""
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
    codes = [" ".join(one.code for one in advice_of(side.reports[0])) or "-" for side in both.sides]
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
    """Return the jobs of 7, of array 7, or of 7_[1-3]."""
    found = record.group(source, word, form="slim")
    if found.failures:
        raise found.failures[0]
    return found.jobs


def main(args: list[str]) -> int:
    options, words = read(__doc__, args)
    if len(words) != 2:
        raise Failure("two jobs, or two lists of them; see jobio compare --help", USAGE)
    sides = [record.split(word) for word in words]
    for side in sides:
        if not side:
            raise Failure("which job?", USAGE)
        for word in side:
            record.check(word)
    with closing(record.Source("compare", options.get("conf"))) as source:
        source.start(sacct.query(jobs=record.bare(sides[0] + sides[1])))
        both = Comparison(*(Side(text, [job for word in side for job in jobs_of(source, word)])
                            for text, side in zip(words, sides)))
    if "json" in options:
        json.dump(both.to_json(), sys.stdout, separators=(",", ":"))
        print()
    else:
        print(table(both))
    return 0
