# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages of jobio report --html: one file each, without network and without script.

Numbers are computed here; layout and words are in the templates (*.j2), which a site can replace
in SYSCONFDIR/slurm/jobio. All values in a page are escaped.
"""
from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from threading import Thread

from report import chart, files, jobs, paths, sacct, units, words
from report import job as one_job
from report.command import Failure
from report.record import Group, Job
from report.types import Any, Json

FS_DRAWN = 6  # filesystems with separate pictures
MINOR = 0.02  # share of the largest time and bytes: below, the pictures are folded
NODES_NAMED = 3
EVEN = 1.05  # times the mean: below, no node is busier than the others
KINDS_DRAWN = 4  # kinds of nodes, by the position of their CPUs
ROWS_MAX = 200  # different changes and findings
LIST_ROWS = 1000
NAME_MAX = 60
WHAT_MAX = 70  # characters of advice in a line of a list
ADVISED_MAX = 50  # jobs of a list with complete advice
CPUS_MAX = 1024

# {class of calls: quantity with its time}
CLASSES = {key[:-3]: key for key in one_job.TIMES}


# ---- templates -----------------------------------------------------------------------


def of_site(name: str) -> tuple[str, str, None] | None:
    """Return text and path of the site's template; None: none, or not trusted."""
    path = paths.site(name)
    if not files.is_trusted(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read(), path, None


@cache
def environment() -> Any:
    from jinja2 import (
        ChoiceLoader,
        Environment,
        FileSystemLoader,
        FunctionLoader,
        ModuleLoader,
    )
    from markupsafe import Markup

    def clean(value: object) -> object:
        """Replace characters that move the cursor or change the direction of the text."""
        if isinstance(value, str) and not isinstance(value, Markup):
            return units.clean(value)
        return "" if value is None else value

    loader = ChoiceLoader([FunctionLoader(of_site), ModuleLoader(compiled()),
                           FileSystemLoader(paths.REPORT)])
    env = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True,
                      finalize=clean, optimized=False)
    for filter_ in (units.size, units.count, units.whole, units.span, units.elapsed, units.clock,
                    units.plural, units.percent, us, names, chart.stack):
        env.filters[filter_.__name__] = given(filter_)
    env.globals["words"] = words.read(words.REPORT)
    return env


def compiled() -> str:
    """Return the folder of our templates as Python modules, from make: jinja2 compiles them longer
    than a page takes. Those of another version of jinja2 are not used."""
    import jinja2

    return os.path.join(paths.COMPILED, getattr(jinja2, "__version__", "unknown"))


def compile_templates() -> None:
    """Compile the templates, for make; without jinja2 there are no pages."""
    with suppress(ImportError):
        from jinja2 import FileSystemLoader

        ours = environment().overlay(loader=FileSystemLoader(paths.REPORT))
        ours.compile_templates(compiled(), zip=None, extensions=["j2"], ignore_errors=False)


def given(filter_: Callable[..., Any]) -> Callable[..., Any]:
    """Make a filter that returns None for undefined values."""
    from jinja2 import Undefined

    return lambda value, *more: filter_(None if isinstance(value, Undefined) else value, *more)


def prepare(name: str) -> Thread:
    """Load a template in parallel to sacct and the ledger: it takes as long as these."""
    def load() -> None:
        with suppress(Failure):  # render() reports it
            for one in (name, "base.html.j2", "macros.html.j2", "style.css.j2"):
                template(one)

    thread = Thread(target=load)
    thread.start()
    return thread


def template(name: str) -> Any:
    """Return the site's template, or ours."""
    paths.add_packages()
    try:
        from jinja2 import TemplateError
    except ImportError:
        raise Failure("--html: Python's jinja2 is not installed: apt install python3-jinja2, or "
                      "dnf install python3-jinja2") from None
    try:
        return environment().get_template(name)
    except (TemplateError, OSError, UnicodeDecodeError) as error:
        raise broken(name, error) from None


def render(name: str, view: Json) -> str:
    made = template(name)
    try:
        text: str = made.render(view, package=paths.PACKAGE)
    except Exception as error:  # any error of a site's template
        raise broken(name, error) from error
    return text


def broken(name: str, error: Exception) -> Failure:
    """Return a Failure with the line of the template, usually the site's."""
    where, line = getattr(error, "filename", None), getattr(error, "lineno", None)
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename.endswith(".j2"):
            where, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    return Failure(f"--html: template {where or name}{f', line {line}' if line else ''}: {error}; "
                   f"jobio's own is in {paths.REPORT}")


def write(file: str, text: str) -> None:
    """Write a page.

    Raises: Failure
    """
    try:
        files.replace(file, text.encode(errors="replace"))
    except OSError as error:
        raise Failure(f"--html: cannot write '{file}': {error.strerror}") from None


def write_folder(folder: str, index: str, found: Iterable[Job]) -> None:
    """Write index.html, and a page of each job."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise Failure(f"--html: cannot write '{folder}': {error.strerror}") from None
    for one in found:
        write(os.path.join(folder, f"{one.id}.html"), job(one))
    write(os.path.join(folder, "index.html"), index)


def natural(name: str) -> list[tuple[int, str]]:
    """Return a sort key: n2 before n10."""
    return [(int(part), "") if part.isdecimal() else (-1, part)
            for part in re.split(r"(\d+)", name) if part]


def names(nodes: Sequence[str], whole: int = 0) -> str:
    """Return "n01, n02, n03 and 7 more", or "all 16 nodes"."""
    if len(nodes) == whole and whole > NODES_NAMED:
        return f"all {whole:,} nodes"
    text = ", ".join(sorted(nodes, key=natural)[:NODES_NAMED])
    return text if len(nodes) <= NODES_NAMED else f"{text} and {len(nodes) - NODES_NAMED:,} more"


def us(value: float | None, unknown: str = "-") -> str:
    """Format microseconds, the unit of most times."""
    return unknown if value is None else units.span(value * 1000)


# ---- numbers ---------------------------------------------------------------------------


def cpu_list(text: str | None) -> list[int]:
    """Return the numbers of "0-3,8"; an invalid list is empty."""
    return sorted(units.parse_cpus(text or "", CPUS_MAX))[:CPUS_MAX]


# ---- a job: filesystems -----------------------------------------------------------------


def filesystem(line: Json, time: Json) -> Json:
    """Return a line of I/O with the values of its pictures and its row."""
    timeline = line.get("timeline")
    life = line.get("thread_us")
    by_class = [(kind, line[key], line[key] / life if life else None)
                for kind, key in CLASSES.items() if line.get(key)]
    hists = {key: line.get(key) or []
             for key in ("read_sizes", "write_sizes", "read_ns", "write_ns")}
    found = {
        **line, "meta_calls": one_job.operations(line), "waited_us": one_job.io_us(line),
        "share": one_job.io_share(line), "classes": by_class,
        "slowest": one_job.slowest_share(line),
        "read_mean": one_job.ratio(line.get("read_bytes"), line.get("read_calls")),
        "write_mean": one_job.ratio(line.get("write_bytes"), line.get("write_calls")),
        "by_operation": sorted(((key, n) for key, n in (line.get("meta") or {}).items() if n),
                             key=lambda pair: -pair[1]),
        "failed": [(word, kind, n) for word, kinds in (line.get("errors") or {}).items()
                   for kind, n in kinds.items() if n],
        "times": None, "waits": None, "is_minor": True,
        "moved": units.known([line.get("read_bytes"), line.get("write_bytes")]),
        "sizes": chart.histogram(hists["read_sizes"], hists["write_sizes"], False),
        "latencies": chart.histogram(hists["read_ns"], hists["write_ns"], True),
        "tails": {key: [bin_end(counts, part, key.endswith("_ns")) for part in (0.5, 0.99)]
                  for key, counts in hists.items() if any(counts)},
    }
    if timeline and any(timeline.get("read_bytes") or timeline.get("write_bytes") or []):
        found["times"] = chart.times(timeline, time.get("first"), time.get("last"))
    if timeline and (not found["times"] or (found["share"] or 0) >= 0.01):
        found["waits"] = chart.waits(timeline, time.get("first"), time.get("last"))
    return found


def bin_end(counts: Sequence[int], part: float, is_time: bool) -> str:
    number = chart.tail(counts, part)
    return "" if number is None else chart.bin_text(number + 1, is_time)


def filesystems(job: Job) -> list[Json]:
    """Return the I/O of the job, the longest time in I/O first."""
    types = one_job.fstypes(job)
    lines = [{**filesystem(line, job.time), "type": types.get(line.get("fs") or "", "")}
             for line in job.lines if line["kind"] == "app"]
    mark_minor(lines)
    return sorted(lines, key=lambda one: (-(one["waited_us"] or 0), -(one["moved"] or 0)))


def mark_minor(found: list[Json]) -> None:
    """Mark the lines that are folded."""
    for key in ("waited_us", "moved"):
        most = max((one[key] or 0 for one in found), default=0)
        for one in found:
            one["is_minor"] &= (one[key] or 0) < most * MINOR


def others(job: Job) -> list[Json]:
    """Return the lines of other counters, and those of clients."""
    return [{**line, "meta_calls": line.get("meta_calls", one_job.operations(line)),
             "read_latency": one_job.ratio(line.get("read_us"), line.get("read_calls")),
             "write_latency": one_job.ratio(line.get("write_us"), line.get("write_calls"))}
            for line in job.lines if line["kind"] != "app"]


# ---- a job: nodes ------------------------------------------------------------------------


def node_rows(job: Job) -> list[Json]:
    return [{"node": one["node"], "read": one.get("read_bytes"), "write": one.get("write_bytes"),
             "meta": one_job.operations(one), "waited_us": one_job.io_us(one)}
            for one in sorted(job.nodes, key=lambda one: natural(one["node"]))]


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


def kinds(job: Job) -> tuple[list[Json], int]:
    """Return the kinds of nodes, with the CPUs of each of their parts; and the number of nodes of
    further kinds."""
    told = [(key, value, nodes) for key in ("machine", "io_cores", "client", "more_clients")
            for value, nodes in job.same(key)]
    looks: dict[str, list[int]] = {}
    for at, (_, _, nodes) in enumerate(told):
        for node in nodes:
            looks.setdefault(node, []).append(at)
    groups: dict[tuple[int, ...], list[str]] = {}
    for node, look in looks.items():
        groups.setdefault(tuple(look), []).append(node)
    drawn = [kind for look, nodes in groups.items()
             if (kind := kind_of([told[at][:2] for at in look], nodes))]
    return drawn[:KINDS_DRAWN], sum(len(kind["nodes"]) for kind in drawn[KINDS_DRAWN:])


def kind_of(has: list[tuple[str, Any]], nodes: list[str]) -> Json | None:
    """Return a kind of node; None: neither reserved cores nor CPUs of a client are known."""
    of: Json = dict(has)
    clients = [value for key, value in has if key in ("client", "more_clients")]
    machine = of.get("machine", {})
    reserved = set(cpu_list(of.get("io_cores", {}).get("os_cpus")))
    client = {cpu for one in clients for cpu in cpu_list(one.get("cpus"))}
    job = set(cpu_list(machine.get("job_cpus")))
    if not reserved and not client:
        return None
    parts = machine.get("parts") or [
        {"cpus": f"0-{min(max(reserved | client | job), CPUS_MAX)}"}]
    sockets = [part.get("socket") for part in parts]
    looks = {cpu: "c3" if cpu in client and cpu in reserved else "c1" if cpu in reserved else "c2"
             for cpu in reserved | client}
    drawn = []
    for part in parts:
        numbers = cpu_list(part.get("cpus"))
        numa_node = part.get("numa_node")
        drawn.append({
            "socket": part.get("socket"), "numa_node": numa_node, "cpus": part.get("cpus"),
            "is_split": sockets.count(part.get("socket")) > 1,
            "chart": chart.cpus(numbers, looks, job), "cards": cards(clients, numa_node),
            **{name: units.format_cpus(set(numbers) & cpus)
               for name, cpus in (("reserved", reserved), ("client", client), ("job", job))}})
    return {"nodes": nodes, "parts": drawn, "has_job": bool(job), "has_client": bool(client)}


def cards(clients: list[Json], numa_node: int | None) -> list[str]:
    """Return the clients' cards on this NUMA node; for cards on several nodes the record does not
    have the node of each."""
    found = []
    for client in clients:
        card = client.get("card") or {}
        there = cpu_list(card.get("numa_nodes"))
        if numa_node is not None and numa_node in there:
            one_of = "one of " if len(there) > 1 else ""
            found.append(f"{one_of}{card['names']} of {client.get('name') or client.get('type')}")
    return found


def limited(job: Job, key: str) -> Json:
    """Return the first values as "KEY", and the number of others as "KEY_more"."""
    rows = job.same(key)
    return {key: rows[:ROWS_MAX], key + "_more": max(0, len(rows) - ROWS_MAX)}


# ---- a job --------------------------------------------------------------------------------


def efficiency(row: sacct.Row | None, found: list[Json]) -> Json:
    """Return the values of the tiles; None: unknown."""
    worst: Json = max(found, key=lambda one: one["share"] or 0, default={})
    nodes = row.nodes or 1 if row else 1
    used, given = (row.memory_used, row.memory_given) if row else (None, None)
    return {
        **{key: getattr(row, name, None) for key, name in (
            ("cpu", "cpu_share"), ("cpus", "cpus"), ("memory", "memory_share"),
            ("gpu", "gpu_share"), ("gpus", "gpus"))},
        "memory_of": one_job.memory_of(used / nodes, given / nodes) if used and given else "",
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
    mounts = {mount["mount"] for client, _ in job.clients for mount in client.get("mounts") or []}
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
    drawn, otherwise = kinds(job)
    advice = one_job.advice_of(job)
    return render("page.html.j2", {
        "job": job, "slurm": row, "summary": job.summary, "time": job.time, "advice": advice,
        "silence": "" if advice else one_job.why_no_advice(job),
        "asks": [] if advice else one_job.asks(job),
        "tone": one_job.state_tone(row.word) if row else "", "use": efficiency(row, found),
        "totals_on": totals_on(job, found), "mounts": mounts_of(job),
        "filesystems": found, "drawn": found[:FS_DRAWN], "others": others(job),
        "weighty": weigh(found), "refused": job.same("refused"), "lacks": list(one_job.lacks(job)),
        "errors": one_job.errors_of(job), "rows": rows, "heats": heats(rows), "kinds": drawn,
        "kinds_more": otherwise, **limited(job, "changes"), **limited(job, "findings"),
        "quality": one_job.quality(job)})


# ---- many jobs ----------------------------------------------------------------------------


def remark(job: Job) -> list[str]:
    s, told = job.summary, []
    if s.nodes_expected is not None and (s.nodes_seen or 0) < s.nodes_expected:
        told.append(f"{s.nodes_seen or 0:,} of {units.plural(s.nodes_expected, 'node')} reported"
                    + (f", not {s.miss}" if s.miss else ""))
    if s.lacks:
        told.append("not given: " + one_job.not_given(job))
    if job.slurm and not job.is_old_run and job.is_before_slurm:
        told.append(f"the run before the one that is {job.slurm.state}")
    return told


def cells(job: Job, columns: list[jobs.Column], row: Sequence[str]) -> list[tuple[str, str]]:
    """Return class and text of each cell."""
    tone = one_job.state_tone(job.slurm.word) if job.slurm else ""
    kinds = {"state": f"t {tone}", "jobname": "t name"}
    return [("" if is_number else kinds.get(name, "t"), cell)
            for (name, _, is_number, _), cell in zip(columns, row)]


def lines(found: list[Job], links: bool, remarks: bool) -> Json:
    """Return the values of a table of jobs; columns without values are left out."""
    shown = found[:LIST_ROWS]
    columns = jobs.columns_of(shown, [(name, NAME_MAX) for name in jobs.USUAL[:-1]], jobs.USUAL)
    if remarks and any(notes := ["; ".join(remark(one)) for one in shown]):
        columns.append(("remark", "Remarks", False, notes))
    told = [(one, one_job.advice_of(one)) for one in shown]
    advised = [one.id for one, advice in told if advice][:ADVISED_MAX]
    return {
        "columns": [column[:3] for column in columns], "more": len(found) - len(shown),
        "rows": [{"id": one.id, "code": advice[0].code if advice else "",
                  "what": jobs.cut(advice[0].what, WHAT_MAX) if advice else "",
                  "cells": cells(one, columns[1:], row[1:]),
                  "href": f"{one.id}.html" if links and one.source == "ledger" else "",
                  "anchor": f"advice-{one.id}" if one.id in advised else ""}
                 for (one, advice), row in zip(told, zip(*(column[3] for column in columns)))],
        "advised": [(one, advice) for one, advice in told if one.id in advised],
        "is_wide": any(one.is_node_wide for one in found), "limit": LIST_ROWS,
        "is_all_files": any("all_files" in one.summary.flags for one in found)}


def moment(text: str) -> str:
    """Return "now" and other times as the time of the page; words that only sacct parses stay."""
    from report import site

    try:
        return site.slurm_time(site.when("starttime", text, int(time.time())))
    except Failure:
        return text


def listed(found: jobs.List, query: Json, links: bool = False) -> str:
    """Return the page of jobio report -u, -A, -S ..."""
    users = {one.user for one in found.jobs}
    return render("list.html.j2", {
        "title": f"Jobs of {users.pop()}" if len(users) == 1 else "Jobs", "query": query,
        "since": moment(query["starttime"]), "until": moment(query["endtime"]),
        "count": len(found.jobs) + found.left_out, "found": found, "groups": [],
        "why_sacct": found.why_not_ledger, **lines(found.jobs, links, False)})


def several(groups: Sequence[Group], links: bool = False) -> str:
    """Return the page of the given jobs; for an array with the sum of its tasks."""
    found = [one for group in groups for one in group.jobs]
    family = groups[0] if len(groups) == 1 and groups[0].is_family else None
    sums = {group.jobs[0].id: summed(group) for group in groups if group.is_family and group.jobs}
    from_sacct = [one for one in found if one.source == "sacct"]
    return render("list.html.j2", {
        "title": title(groups), "count": len(found), "groups": groups, "sums": sums,
        "family": family, "common": common(found),
        "why_sacct": from_sacct[0].why_not_ledger if from_sacct else "",
        "from_sacct": [one.id for one in from_sacct],
        **lines(found, links, True)})


def common(found: list[Job]) -> Json:
    """Return the values that all jobs share, and their first start and last end."""
    users, clusters = {one.user for one in found}, {one.cluster for one in found}
    firsts = [one.time["first"] for one in found if one.time["first"]]
    lasts = [one.time["last"] for one in found if one.time["last"]]
    return {"user": users.pop() if len(users) == 1 else "",
            "cluster": clusters.pop() if len(clusters) == 1 else "",
            "first": min(firsts, default=None), "last": max(lasts, default=None)}


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
