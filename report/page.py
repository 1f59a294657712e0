# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages of jobio report --html: one file each, without network and without script.

Numbers are computed here; layout and words are in the templates (*.j2), which a site can replace
in SYSCONFDIR/slurm/jobio: template.py.
"""
from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence

from report import chart, files, jobs, sacct, screen, units
from report.command import Failure
from report.details import HISTOGRAMS
from report.job import Job
from report.record import TIMES, Client, Io, Machine, Part, Time, ratio
from report.source import Group
from report.template import natural, render
from report.types import Any, Json, Options

FS_DRAWN = 6  # filesystems with separate pictures
MINOR = 0.02  # share of the largest time and bytes: below, the pictures are folded
EVEN = 1.05  # times the mean: below, no node is busier than the others
KINDS_DRAWN = 4  # kinds of nodes, by the position of their CPUs
ROWS_MAX = 200  # different changes and findings
LIST_ROWS = 1000
NAME_MAX = 60
WHAT_MAX = 70  # characters of advice in a line of a list
ADVISED_MAX = 50  # jobs of a list with complete advice
CPUS_MAX = 1024

# {class of calls: quantity with its time}
CLASSES = {key[:-3]: key for key in TIMES}


# ---- files -----------------------------------------------------------------------------

def write(path: str, text: str) -> None:
    """Write a page.

    Raises: Failure
    """
    try:
        files.replace(path, text.encode(errors="replace"))
    except OSError as error:
        raise Failure(f"--html: cannot write '{path}': {error.strerror}") from None


def write_folder(folder: str, index: str, found: Iterable[Job]) -> None:
    """Write index.html, and a page of each job.

    Raises: Failure
    """
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise Failure(f"--html: cannot write '{folder}': {error.strerror}") from None
    for one in found:
        write(os.path.join(folder, f"{one.id}.html"), job(one))
    write(os.path.join(folder, "index.html"), index)


# ---- a job: filesystems -----------------------------------------------------------------

def filesystem(line: Io, type_: str, time: Time) -> Json:
    """Return the variables of a filesystem: the members of its JSON, and values of its pictures."""
    life_us = line.thread_us
    times = {kind: line.number(key) for kind, key in CLASSES.items()}
    histograms = {key: line.histogram(key) for key in HISTOGRAMS}
    meta = sorted(line.meta.items(), key=lambda item: -(item[1] or 0))
    found = {
        **line.json, "meta_calls": line.operations, "waited_us": line.waited_us, "type": type_,
        "share": line.share, "slowest": line.slowest_share, "is_minor": True,
        "classes": [(kind, us, us / life_us if life_us else None)
                    for kind, us in times.items() if us],
        "read_mean": ratio(line.read_bytes, line.read_calls),
        "write_mean": ratio(line.write_bytes, line.write_calls),
        "by_operation": [item for item in meta if item[1]],
        "failed": [(error, kind, calls) for error, kinds in line.errors.items()
                   for kind, calls in kinds.items() if calls],
        "moved": units.known([line.read_bytes, line.write_bytes]),
        "sizes": chart.histogram(histograms["read_sizes"], histograms["write_sizes"], False),
        "latencies": chart.histogram(histograms["read_ns"], histograms["write_ns"], True),
        "tails": {key: tails(counts, key.endswith("_ns"))
                  for key, counts in histograms.items() if any(counts)},
        "times": None, "waits": None}
    rows = line.timeline
    if rows and any(rows.lane("read_bytes") or rows.lane("write_bytes")):
        found["times"] = chart.times(rows, time.first, time.last)
    if rows and (not found["times"] or (line.share or 0) >= 0.01):
        found["waits"] = chart.waits(rows, time.first, time.last)
    return found


def tails(counts: Sequence[int], is_time: bool) -> list[str]:
    """Return the upper bounds of half, and of 99 % of the calls in a histogram."""
    bins = [chart.tail(counts, share) for share in (0.5, 0.99)]
    return ["" if last is None else chart.bin_text(last + 1, is_time) for last in bins]


def filesystems(job: Job) -> list[Json]:
    """Return the I/O of the job, the longest time in I/O first."""
    types = screen.fstypes(job)
    found = [filesystem(line, types.get(line.fs or "", ""), job.time)
             for line in job.run.lines if line.kind == "app"]
    for key in ("waited_us", "moved"):
        most = max((one[key] or 0 for one in found), default=0)
        for one in found:
            one["is_minor"] &= (one[key] or 0) < most * MINOR
    return sorted(found, key=lambda one: (-(one["waited_us"] or 0), -(one["moved"] or 0)))


def others(job: Job) -> list[Json]:
    """Return the variables of other counters, and of those of clients."""
    return [{**line.json,
             "meta_calls": line.operations if line.meta_calls is None else line.meta_calls,
             "read_latency": ratio(line.read_us, line.read_calls),
             "write_latency": ratio(line.write_us, line.write_calls)}
            for line in job.run.lines if line.kind != "app"]


# ---- a job: nodes ------------------------------------------------------------------------

def node_rows(job: Job) -> list[Json]:
    nodes = sorted(job.run.nodes, key=lambda node: natural(node.node))
    return [{"node": node.node, "read": node.read_bytes, "write": node.write_bytes,
             "meta": node.operations, "waited_us": node.waited_us} for node in nodes]


def heats(rows: list[Json]) -> list[Json]:
    """Return a heat bar for each quantity with values."""
    found = []
    for key in ("read", "write", "meta", "waited_us"):
        values = [row[key] or 0 for row in rows]
        most = max(values, default=0)
        if most and len(rows) > 1:
            above = most * len(rows) / sum(values)
            found.append({"key": key, "most": most, "node": rows[values.index(most)]["node"],
                          "above": above, "chart": chart.heat(values) if above >= EVEN else None})
    return found


# ---- a job: settings, findings, cores ------------------------------------------------------

def cpu_list(text: str | None) -> list[int]:
    """Return the numbers of "0-3,8"; an invalid list is empty."""
    return sorted(units.parse_cpus(text or "", CPUS_MAX))[:CPUS_MAX]


class Kind:
    """Nodes with the same machine, io-cores and clients."""

    def __init__(self, nodes: list[str], found: list[tuple[str, Any]]) -> None:
        of = dict(found)
        machine = of.get("machine") or Machine({})
        self.nodes = nodes
        self.parts: list[Part] = machine.parts
        self.clients: list[Client] = [value for _, value in found if isinstance(value, Client)]
        self.reserved = set(cpu_list(of["io_cores"].os_cpus if "io_cores" in of else ""))
        self.client_cpus = {cpu for one in self.clients for cpu in cpu_list(one.cpus)}
        self.job_cpus = set(cpu_list(machine.job_cpus))
        if not self.parts:
            last = max(self.reserved | self.client_cpus | self.job_cpus, default=0)
            self.parts = [Part({"cpus": f"0-{min(last, CPUS_MAX)}"})]

    def class_of(self, cpu: int) -> str:
        """Return the class of a CPU of the client, or of one that is reserved."""
        if cpu not in self.reserved:
            return "c2"
        return "c3" if cpu in self.client_cpus else "c1"

    def cards(self, numa_node: int | None) -> list[str]:
        """Return the clients' cards on this NUMA node; for cards on several nodes the record does
        not have the node of each."""
        found = []
        for client in self.clients:
            there = cpu_list(client.card.numa_nodes if client.card else "")
            if client.card and numa_node is not None and numa_node in there:
                one_of = "one of " if len(there) > 1 else ""
                found.append(f"{one_of}{client.card.names} of {client.name or client.type}")
        return found

    def part_view(self, part: Part) -> Json:
        cpus = cpu_list(part.cpus)
        classes = {cpu: self.class_of(cpu) for cpu in self.reserved | self.client_cpus}
        sockets = [one.socket for one in self.parts]
        return {
            "socket": part.socket, "numa_node": part.numa_node, "cpus": part.cpus,
            "is_split": sockets.count(part.socket) > 1,
            "chart": chart.cpus(cpus, classes, self.job_cpus), "cards": self.cards(part.numa_node),
            "reserved": units.format_cpus(self.reserved.intersection(cpus)),
            "client": units.format_cpus(self.client_cpus.intersection(cpus)),
            "job": units.format_cpus(self.job_cpus.intersection(cpus))}

    def view(self) -> Json:
        return {"nodes": self.nodes, "parts": [self.part_view(part) for part in self.parts],
                "has_job": bool(self.job_cpus), "has_client": bool(self.client_cpus)}


def kinds(job: Job) -> tuple[list[Json], int]:
    """Return the variables of the kinds of nodes; and the number of nodes of further kinds."""
    values = [(key, value, nodes) for key in ("machine", "io_cores", "client", "more_clients")
              for value, nodes in job.run.groups(key)]
    positions: dict[str, list[int]] = {}
    for at, (_, _, nodes) in enumerate(values):
        for node in nodes:
            positions.setdefault(node, []).append(at)
    groups: dict[tuple[int, ...], list[str]] = {}
    for node, found in positions.items():
        groups.setdefault(tuple(found), []).append(node)
    made = [Kind(nodes, [values[at][:2] for at in found]) for found, nodes in groups.items()]
    drawn = [kind for kind in made if kind.reserved or kind.client_cpus]
    return ([kind.view() for kind in drawn[:KINDS_DRAWN]],
            sum(len(kind.nodes) for kind in drawn[KINDS_DRAWN:]))


def limited(job: Job, key: str) -> Json:
    """Return the first values as "KEY", and the number of others as "KEY_more"."""
    rows = job.run.groups(key)
    return {key: rows[:ROWS_MAX], key + "_more": max(0, len(rows) - ROWS_MAX)}


# ---- a job --------------------------------------------------------------------------------

def efficiency(row: sacct.Row | None, found: list[Json]) -> Json:
    """Return the values of the tiles; None: unknown."""
    worst: Json = max(found, key=lambda one: one["share"] or 0, default={})
    shares = {"cpu": "cpu_share", "cpus": "cpus", "memory": "memory_share", "gpu": "gpu_share",
              "gpus": "gpus"}
    return {
        **{key: getattr(row, name, None) for key, name in shares.items()},
        "memory_of": screen.memory(row) if row else "",
        "io": worst.get("share"), "io_fs": worst.get("fs"), "slowest": worst.get("slowest"),
        "waited_us": units.known(one["waited_us"] for one in found),
        "classes": {kind for one in found for kind, _, _ in one["classes"]}}


def mounts_of(job: Job) -> list[str]:
    """Return the clients' mounts in the summary: "/scratch wekafs"."""
    from urllib.parse import unquote

    return [" ".join(unquote(part) for part in word.split(":"))
            for word in job.summary.fs.split(",") if word]


def totals_on(job: Job, found: list[Json]) -> str:
    """Return the clients' filesystems if the job used others as well: totals are of these."""
    mounts = {mount.mount for mount in job.run.mounts}
    used = {one["fs"] for one in found if one.get("fs")}
    return ", ".join(sorted(used & mounts)) if used - mounts else ""


def weigh(found: list[Json]) -> list[Json]:
    """Return the filesystems with time in I/O, with bars relative to the largest."""
    most = max((one["waited_us"] or 0 for one in found), default=0)
    weighty = [one for one in found if one["classes"] and one["waited_us"] * 100 >= most
               and (one["share"] is None or one["share"] >= 0.001)]
    for one in weighty:
        one["parts"] = [(kind, us / most) for kind, us, _ in one["classes"]]
    return weighty


def job(job: Job) -> str:
    """Return the page of one job."""
    row = job.slurm if job.is_of_slurm else None
    found = filesystems(job)
    rows = node_rows(job)
    drawn, others_number = kinds(job)
    advice = job.advice
    return render("page.html.j2", {
        "job": job, "slurm": row, "summary": job.summary, "time": job.time, "advice": advice,
        "silence": "" if advice else job.why_no_advice,
        "asks": [] if advice else screen.next_options(job),
        "tone": screen.state_tone(row.word) if row else "", "use": efficiency(row, found),
        "totals_on": totals_on(job, found), "mounts": mounts_of(job),
        "filesystems": found, "drawn": found[:FS_DRAWN], "others": others(job),
        "weighty": weigh(found), "refused": job.run.groups("refused"),
        "unmet": list(screen.unmet(job)), "later_run": screen.later_run(job),
        "errors": screen.errors(job), "rows": rows, "heats": heats(rows), "kinds": drawn,
        "kinds_more": others_number, **limited(job, "changes"), **limited(job, "findings"),
        "quality": screen.quality(job)})


# ---- many jobs ----------------------------------------------------------------------------

def remarks(job: Job) -> str:
    s = job.summary
    found = []
    seen, expected = s.nodes_seen or 0, s.nodes_expected
    if expected is not None and seen < expected:
        missing = f", not {s.miss}" if s.miss else ""
        found.append(f"{seen:,} of {units.plural(expected, 'node')} reported{missing}")
    if s.unmet:
        found.append("not given: " + screen.not_given(job))
    if job.slurm and not job.is_old_run and job.is_before_slurm:
        found.append(f"the run before the one that is {job.slurm.state}")
    return "; ".join(found)


def cells(job: Job, columns: list[jobs.Column], row: Sequence[str]) -> list[tuple[str, str]]:
    """Return class and text of each cell."""
    tone = screen.state_tone(job.slurm.word) if job.slurm else ""
    kinds = {"state": f"t {tone}", "jobname": "t name"}
    return [("" if is_number else kinds.get(name, "t"), cell)
            for (name, _, is_number, _), cell in zip(columns, row)]


def lines(found: list[Job], is_linked: bool, has_remarks: bool) -> Json:
    """Return the variables of a table of jobs; columns without values are left out."""
    shown = found[:LIST_ROWS]
    columns = jobs.columns_of(shown, [(name, NAME_MAX) for name in jobs.USUAL[:-1]], jobs.USUAL)
    notes = [remarks(one) for one in shown] if has_remarks else []
    if any(notes):
        columns.append(("remark", "Remarks", False, notes))
    advised = [(one, one.advice) for one in shown]
    whole = [(one, advice) for one, advice in advised if advice][:ADVISED_MAX]
    anchors = {one.id for one, _ in whole}
    rows = []
    for (one, advice), row in zip(advised, zip(*(column[3] for column in columns))):
        rows.append({
            "id": one.id, "code": advice[0].code if advice else "",
            "what": jobs.cut(advice[0].what, WHAT_MAX) if advice else "",
            "cells": cells(one, columns[1:], row[1:]),
            "href": f"{one.id}.html" if is_linked and one.source == "ledger" else "",
            "anchor": f"advice-{one.id}" if one.id in anchors else ""})
    return {"columns": [column[:3] for column in columns], "more": len(found) - len(shown),
            "rows": rows, "advised": whole, "limit": LIST_ROWS,
            "is_wide": any(one.is_node_wide for one in found),
            "is_all_files": any("all_files" in one.summary.flags for one in found)}


def moment(text: str) -> str:
    """Return "now" and other times as the time of the page; words that only sacct parses stay."""
    from report import site

    try:
        return site.slurm_time(site.when("starttime", text, int(time.time())))
    except Failure:
        return text


def listed(found: jobs.List, query: Options, is_linked: bool = False) -> str:
    """Return the page of jobio report -u, -A, -S ..."""
    users = {one.user for one in found.jobs}
    return render("list.html.j2", {
        "title": f"Jobs of {users.pop()}" if len(users) == 1 else "Jobs", "query": query,
        "since": moment(query.starttime), "until": moment(query.endtime),
        "count": len(found.jobs) + found.left_out, "found": found, "groups": [],
        "why_sacct": found.why_not_ledger, **lines(found.jobs, is_linked, False)})


def several(groups: Sequence[Group], is_linked: bool = False) -> str:
    """Return the page of the given jobs; for an array with the sum of its tasks."""
    found = [one for group in groups for one in group.jobs]
    families = [group for group in groups if group.is_family and group.jobs]
    from_sacct = [one for one in found if one.source == "sacct"]
    return render("list.html.j2", {
        "title": title(groups), "count": len(found), "groups": groups,
        "sums": {group.jobs[0].id: summed(group) for group in families},
        "family": families[0] if len(groups) == 1 and families else None,
        "common": common(found), "from_sacct": [one.id for one in from_sacct],
        "why_sacct": from_sacct[0].why_not_ledger if from_sacct else "",
        **lines(found, is_linked, True)})


def common(found: list[Job]) -> Json:
    """Return the values that all jobs share, and their first start and last end."""
    users, clusters = {one.user for one in found}, {one.cluster for one in found}
    times = [one.time for one in found]
    return {"user": users.pop() if len(users) == 1 else "",
            "cluster": clusters.pop() if len(clusters) == 1 else "",
            "first": min((time.first for time in times if time.first), default=None),
            "last": max((time.last for time in times if time.last), default=None)}


def title(groups: Sequence[Group]) -> str:
    if len(groups) == 1 and groups[0].is_family:
        kind = "task" if "_" in groups[0].jobs[0].id else "component"
        return f"Job {groups[0].word}: {units.plural(len(groups[0].jobs), kind)}"
    if len(groups) > 8:
        return f"{len(groups)} jobs"
    return "Jobs " + ", ".join(group.word for group in groups)


def summed(group: Group) -> Json:
    """Return the sum of the tasks of an array; "word": the job of the command line."""
    total = jobs.total(group.jobs)
    completed = sum(bool(one.slurm and one.slurm.word == "COMPLETED") for one in group.jobs)
    wide = "*" if any(one.is_node_wide for one in group.jobs) else ""
    return {"word": group.word, "read": units.size(total["read_bytes"], "-") + wide,
            "written": units.size(total["write_bytes"], "-") + wide, **total,
            "meta": units.known(one.summary.meta for one in group.jobs),
            "state": f"{completed} of {len(group.jobs)} COMPLETED",
            "tone": "good" if completed == len(group.jobs) else "bad"}


# ---- the site -----------------------------------------------------------------------------

def site(view: Json) -> str:
    """Return the page of site.view(): tables with bars of bytes read and written."""
    for one in view["tables"]:
        moved = [(row["read_bytes"] or 0) + (row["write_bytes"] or 0) for row in one["rows"]]
        most = max(moved, default=0) or 1
        for row in one["rows"]:
            row["parts"] = [("read", (row["read_bytes"] or 0) / most),
                            ("write", (row["write_bytes"] or 0) / most)]
    return render("site.html.j2", view)
