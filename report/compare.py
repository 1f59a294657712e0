# SPDX-License-Identifier: GPL-2.0-or-later
"""Shows two jobs side by side: the same script with two profiles, or two numbers
of io-cores. Several jobs on a side, or an array, are repeats. Marks differences
beyond chance: over the repeats or, where there are none, over the nodes; with
mean, spread (standard deviation) and count.

Exit status: 0; 1 when nothing is known of one of the jobs; 2 bad usage."""
from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from operator import itemgetter
from typing import NamedTuple

from report import job_id, sacct, samples, timeline, units
from report.command import USAGE, Failure
from report.job import Job
from report.options import Parser
from report.record import Io, ratio
from report.source import Source
from report.types import Json, Numbers

WORK_PERCENT = 10  # a larger difference is different work
SAME_PERCENT = 0.05


class Metric(NamedTuple):
    """A row of the comparison.

    unit: "B", "B/s", "s", "elapsed" (seconds in Slurm's form) or "" (a count)
    is_work: other values are other work, not another speed
    """

    key: str
    name: str
    unit: str
    of: Callable[[Numbers], float | None]
    is_work: bool = False

    def text(self, value: float) -> str:
        if self.unit == "elapsed":
            return units.elapsed(value)
        if self.unit == "s":
            return units.span(value * 1e9)
        return units.size(value) + self.unit[1:] if self.unit else units.count(value)


def quotient(over: str, under: str, scale: float = 1) -> Callable[[Numbers], float | None]:
    """Return a function for over / under / scale."""
    def of(numbers: Numbers) -> float | None:
        value = ratio(numbers[over], numbers[under])
        return None if value is None else value / scale
    return of


def way_metrics(way: str, name: str) -> list[Metric]:
    def rate(numbers: Numbers) -> float | None:
        return ratio(numbers[way + "_bytes"] or None, numbers[way + "_s"])

    return [Metric(way + "_bytes", name, "B", itemgetter(way + "_bytes"), True),
            Metric(way + "_Bps", "  rate", "B/s", rate),
            Metric(way + "_size", "  mean size", "B", quotient(way + "_bytes", way + "_calls")),
            Metric(way + "_call_s", "  mean latency", "s",
                   quotient(way + "_us", way + "_calls", 1e6))]


METRICS = [Metric("elapsed_s", "elapsed", "elapsed", itemgetter("elapsed_s")),
           *way_metrics("read", "read"), *way_metrics("write", "written"),
           Metric("meta", "metadata", "", itemgetter("meta"), True)]
WORDS = {"name": "name", "state": "state", "profile": "profile", "io_cores": "io-cores",
         "filesystems": "filesystems"}
SUMMED = ("read_bytes", "read_calls", "read_us", "write_bytes", "write_calls", "write_us")


# ---- numbers -----------------------------------------------------------------------

def total(job: Job, nodes: list[Io], elapsed_s: float | None, seconds: float) -> Numbers:
    """Return the sums of these nodes, for the job only.

    seconds: the time with I/O, without a timeline
    """
    values: Numbers = {name: units.known(node.number(name) for node in nodes) for name in SUMMED}
    values["elapsed_s"] = elapsed_s
    values["meta"] = units.known(node.operations for node in nodes)
    rows = timeline.total(job.run.lines)
    for way in ("read", "write"):
        active = sum(1 for value in rows.lane(way + "_bytes") if value) if rows else 0
        values[way + "_s"] = active * rows.width_s if rows and active else max(seconds, 0)
    return values


def of_job(job: Job) -> Numbers:
    seconds = job.time.seconds or 0
    if job.run.nodes and not job.run.left_out:
        return total(job, job.run.nodes, seconds or None, seconds)
    # the sum of some nodes is not that of the job
    return {**dict.fromkeys(SUMMED), **job.totals, "elapsed_s": seconds or None,
            "meta": job.summary.meta, "read_s": seconds, "write_s": seconds}


def word_of(job: Job, key: str) -> str:
    row, summary = job.slurm, job.summary
    words: dict[str, str] = {
        "name": row.name if row else "", "state": row.state if row and job.is_of_slurm else "",
        "profile": summary.prof, "io_cores": summary.cores, "filesystems": summary.fs}
    return words[key]


def values_of(found: list[Numbers]) -> dict[str, list[float]]:
    """Return the known values of each metric."""
    values = {metric.key: [metric.of(one) for one in found] for metric in METRICS}
    return {key: [value for value in some if value is not None] for key, some in values.items()}


class Side:
    """The jobs of one word of the command line.

    of_jobs, of_nodes: values of each metric
    """

    def __init__(self, text: str, jobs: list[Job]) -> None:
        self.text = text
        self.jobs = jobs
        self.of_jobs = values_of([of_job(job) for job in jobs])
        self.of_nodes = values_of([
            total(job, [node], None, (node.end or 0) - (node.start or 0))
            for job in jobs for node in job.run.nodes])

    def common(self, key: str) -> str:
        """Return one word for all jobs of a side."""
        words = {word_of(job, key) for job in self.jobs}
        return (words.pop() or "-") if len(words) == 1 else "mixed"

    def node_count(self) -> int | None:
        counts = {job.node_count for job in self.jobs}
        return counts.pop() if len(counts) == 1 else None


class Comparison:
    """over: "jobs" or "nodes", which the differences are judged by"""

    def __init__(self, one: Side, other: Side) -> None:
        self.sides = (one, other)
        self.over = "nodes" if len(one.jobs) < 2 and len(other.jobs) < 2 else "jobs"

    def values(self, metric: Metric) -> list[list[float]]:
        """Return the values of both sides for the test of significance."""
        return [(side.of_nodes if self.over == "nodes" else side.of_jobs)[metric.key]
                for side in self.sides]

    def differs(self, metric: Metric) -> bool | None:
        return samples.differ(*self.values(metric))

    def means(self, metric: Metric) -> list[float | None]:
        found = [side.of_jobs[metric.key] for side in self.sides]
        return [samples.mean(values) if values else None for values in found]

    def change(self, metric: Metric) -> float | None:
        """Return the change in percent; None: unknown, or from 0."""
        one, other = self.means(metric)
        if one is None or other is None or (one <= 0 < other):
            return None
        return (other - one) / one * 100 if one > 0 else 0.0

    def is_other_work(self, metric: Metric) -> bool:
        change = self.change(metric)
        if change is None:
            return None not in self.means(metric)
        return abs(change) > WORK_PERCENT

    def to_json(self) -> Json:
        top: Json = {"sides": [
            {"jobs": [job.id for job in side.jobs], **{key: side.common(key) for key in WORDS},
             "nodes": side.node_count()} for side in self.sides], "spread_over": self.over}
        for metric in METRICS:
            first, second = (samples.to_json(side.of_jobs[metric.key]) for side in self.sides)
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
    notes = {True: "  differs", False: "  within chance", None: ""}
    tail = ""
    if change is not None:
        tail = f"{change:+8.1f} %{notes[both.differs(metric)]}"
        if abs(change) < SAME_PERCENT:
            tail = "      same"
    return table_row(metric.name, texts[0], texts[1], tail)


def measured(metric: Metric, values: list[float]) -> str:
    """Return mean, spread and count: 1.00 GiB ± 12 MiB (4)."""
    sign = "±" if units.is_utf8() else "+-"
    mean, spread = samples.mean(values), samples.spread(values) or 0
    return f"{metric.text(mean)} {sign} {metric.text(spread)} ({len(values)})"


def differences(both: Comparison) -> list[str]:
    """Return lines of the differences beyond chance."""
    if all(both.differs(metric) is None for metric in METRICS):
        return ["what differs beyond chance is not known: one side is one job on one node; "
                "several jobs, A,B C,D, are repeats"]
    found = [metric for metric in METRICS
             if both.differs(metric) and abs(both.change(metric) or 1) >= SAME_PERCENT]
    if not found:
        return [f"nothing differs beyond chance (95 %, over the {both.over})"]
    lines = [f"differs beyond chance (95 %): mean of a {both.over[:-1]}, standard deviation "
             f"(number of {both.over})"]
    group = ""
    for metric in METRICS:
        name = metric.name
        if name.startswith(" "):
            name = f"{group}: {name.strip()}"
        else:
            group = name
        if metric in found:
            one, other = (measured(metric, values) for values in both.values(metric))
            lines.append(f"  {name:<22} {one:<28} {other}")
    return lines


def text(both: Comparison) -> str:
    one, other = both.sides
    counts = [str(n) if n is not None else "mixed" for n in (s.node_count() for s in both.sides)]
    words = [(name, one.common(key), other.common(key)) for key, name in WORDS.items()]
    lines = [table_row("job", one.text, other.text)]
    for name, a, b in [*words, ("nodes", *counts)]:
        lines.append(table_row(name, a, b, "" if a == b else "  differs"))
    lines += [metric_row(both, metric) for metric in METRICS
              if any(side.of_jobs[metric.key] for side in both.sides)]
    codes = [" ".join(one.code for one in side.jobs[0].advice) or "-" for side in both.sides]
    lines += [table_row("advice", codes[0], codes[1]), "", *differences(both)]
    for metric in METRICS:
        if metric.is_work and both.is_other_work(metric):
            lines.append(f"not the same work: {metric.name} differs by more than {WORK_PERCENT} %")
            break
    lines += [f"{side.text}: node-wide numbers, with whatever else ran there"
              for side in both.sides if side.jobs[0].is_node_wide]
    return "\n".join(lines)


# ---- the command -------------------------------------------------------------------

def side_of(source: Source, text: str) -> Side:
    """Return the jobs of 7, of array 7, or of 7_[1-3],8.

    Raises: Failure
    """
    jobs: list[Job] = []
    for word in job_id.split(text):
        found = source.group(word, form="slim")
        if found.failures:
            raise found.failures[0]
        jobs += found.jobs
    return Side(text, jobs)


def main(args: list[str]) -> int:
    parser = Parser("compare [OPTION]... JOB[,JOB]... JOB[,JOB]...", __doc__)
    parser.add("--json", "one JSON object")
    parser.add_conf()
    options, texts = parser.read(args)
    if len(texts) != 2:
        raise Failure("two jobs, or two lists of them; see jobio compare --help", USAGE)
    sides = [job_id.split(text) for text in texts]
    if not all(sides):
        raise Failure("which job?", USAGE)
    words = sides[0] + sides[1]
    for word in words:
        job_id.check(word)
    with closing(Source("compare", options.conf)) as source:
        source.start(sacct.query(jobs=job_id.for_sacct(words)))
        both = Comparison(*(side_of(source, text) for text in texts))
    if options.json:
        print(json.dumps(both.to_json(), separators=(",", ":")))
    else:
        print(text(both))
    return 0
