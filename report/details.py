# SPDX-License-Identifier: GPL-2.0-or-later
"""The whole record of a job, with the names of its fields: jobio report -v."""
from __future__ import annotations

from collections.abc import Iterator

from report import units, words
from report.job import names, quality
from report.record import Job, Source
from report.types import Json
from report.units import count, plural, size

NODES_SHOWN = 16
HISTOGRAMS = {"read_sizes": "read sizes", "write_sizes": "write sizes",
              "read_ns": "read latency", "write_ns": "write latency"}


def entry(name: str, text: str) -> str:
    return f"  {name:<13} {text}"


def entries(name: str, texts: list[str]) -> Iterator[str]:
    for text in texts:
        yield entry(name, text)
        name = ""


# ---- the job and its nodes ---------------------------------------------------------------

def answer(value: bool | None, yes: str, no: str, unknown: str) -> str:
    return unknown if value is None else yes if value else no


def request(told: Json, nodes: list[str]) -> str:
    words = [plural(told["io_cores"], "io-core")] if told.get("io_cores") else []
    if told.get("profile"):
        words.append(f"profile {told['profile']}" + answer(
            told.get("applied"), ", applied", ", not applied", ""))
    return f"{', '.join(words) or 'nothing'}: {names(nodes)}"


def cores(told: Json, nodes: list[str]) -> str:
    return f"{plural(told.get('count') or 0, 'core')} {told.get('abstract') or 'unknown'}, CPUs " \
        f"{told.get('os_cpus') or 'unknown'}: {names(nodes)}"


def client(told: Json, nodes: list[str]) -> Iterator[str]:
    cpus = f", CPUs {told['cpus']}" if told.get("cpus") else ""
    yield f"{told.get('name')}: {told.get('type')} {told.get('version') or 'of unknown version'}" \
        f"{cpus}: {names(nodes)}"
    for mount in told.get("mounts") or []:
        yield f"  {mount['mount']} {mount['fstype']} from {mount.get('source') or 'unknown'}"
    card = told.get("card")
    if card:
        numa = f", NUMA node {card['numa_nodes']}" if card.get("numa_nodes") else ""
        beside = answer(card.get("beside"), "the job had cores beside it",
                        "the job had no core beside it",
                        "unknown whether the job had cores beside it")
        yield f"  card {card['names']}{numa}: {beside}"


def change(told: Json, nodes: list[str]) -> str:
    old, new, made = told.get("old") or "", told.get("new") or "", told.get("made")
    what = f"{told.get('what') or '?'} {told.get('target') or ''}: "
    back = answer(told.get("restored"), "put back", "NOT put back",
                  "gone, or unknown whether put back")
    if made is None and "made" in told:
        what += f"unknown whether '{old}' became '{new}'; {back}"
    elif made is False:
        what += f"'{old}' stayed, '{new}' was not taken"
    else:
        what += f"'{old}' became '{new}', {back}"
    return f"{what}: {names(nodes)}"


def setting(job: Job) -> Iterator[str]:
    time = job.time
    if time["first"] is not None:
        took = f" ({time['seconds']:.1f} s)" if time["seconds"] else ""
        yield entry("time", f"{units.clock(time['first'])} to {units.clock(time['last'])}{took}")
    s = job.summary
    yield entry("nodes", f"{s.nodes_seen or 0:,} of {units.whole(s.nodes_expected)} have reported")
    yield from entries("request", [request(*one) for one in job.same("request")])
    yield from entries("io-cores", [cores(*one) for one in job.same("io_cores")])
    if not job.same("io_cores"):
        yield entry("io-cores", f"{s.cores}, CPUs {s.cpus or 'unknown'}" if s.cores else "none")
    yield from entries("client", [line for one in job.clients for line in client(*one)])
    if not job.clients:
        yield entry("filesystems", s.fs or "none")
    yield from entries("changed", [change(*one) for one in job.same("changes")])
    if not job.record_count and "chg" in s.words:
        put_back, made = s.pair("chg")
        yield entry("changed", f"{plural(made or 0, 'setting')}, {put_back or 0} put back")


# ---- counters -------------------------------------------------------------------------

def amount(value: int, unit: str) -> str:
    if unit == "us":
        return units.span(value * 1000)
    return size(value) if unit == "bytes" else f"{value} s" if unit == "s" else count(value)


def histogram(key: str, bins: list[int]) -> str:
    """Format a histogram; bin i counts 2^i .. 2^(i+1)-1 bytes or nanoseconds."""
    used = [i for i, value in enumerate(bins) if value > 0]
    if not used:
        return ""
    show = units.span if key.endswith("_ns") else size
    low, high = show(2 ** used[0] if used[0] else 0), show(2 ** (used[-1] + 1))
    return f"{units.bars(bins[used[0]:used[-1] + 1])}  {low} to {high}"


def means(line: Json) -> Iterator[tuple[str, str]]:
    for kind in ("read", "write"):
        calls = line.get(f"{kind}_calls")
        if calls and line.get(f"{kind}_bytes"):
            yield f"mean size of {kind}s", size(line[f"{kind}_bytes"] / calls)
        if calls and line.get(f"{kind}_us") is not None:
            yield f"mean latency of {kind}s", units.span(line[f"{kind}_us"] * 1000 / calls)


def relation(job: Job, line: Json) -> str:
    """Return the relation of client counters to requests of processes."""
    known = words.of("relations")
    for told, _ in job.clients:
        if told.get("name") == line.get("client") and told.get("app_to_wire"):
            return ", ".join(known.get(word, word) for word in told["app_to_wire"].split())
    return ""


def counters(job: Job, line: Json, known: dict[str, list[str]]) -> Iterator[str]:
    wire = line["kind"] == "wire"
    source = words.of("sources").get(line["source"], f"counted by {line['source']}")
    if wire:
        source = f"counted by the client {line.get('client') or ''} ({line['source']})"
    name = line.get("fs") or ("whole node" if wire else "all files")
    scope = "NODE-WIDE, with whatever else ran there" if line["scope"] == "node" else \
        "the job's alone"
    on = f", on {line['nodes']} of {plural(job.record_count, 'node')}" \
        if line["nodes"] < job.record_count else ""
    yield ""
    kind = "other counters" if line["kind"] == "other" else "client" if wire else "counters"
    yield entry(kind, f"{name}, {source}: {scope}{on}")
    told: list[tuple[str, str]] = []
    for key, (unit, what) in known.items():
        value = line.get(key, line.get("peak", {}).get(key))
        if isinstance(value, int):
            told.append((what, amount(value, unit)))
        if key == "write_calls":
            told += means(line)
    meta = [f"{key} {count(value)}" for key, value in (line.get("meta") or {}).items() if value]
    told += [("metadata", ", ".join(meta))] if meta else []
    for name, classes in (line.get("errors") or {}).items():
        told.append((f"failed with {name}",
                     ", ".join(f"{key} {count(value)}" for key, value in classes.items())))
    told += [(what, histogram(key, line.get(key) or [])) for key, what in HISTOGRAMS.items()]
    told += [("beside the counters", relation(job, line))] if wire else []
    for what, text in told:
        if text:
            yield f"                {what:<28} {text}"


def by_node(job: Job) -> Iterator[str]:
    """Return lines with the I/O of each node for the job."""
    if len(job.nodes) < 2:
        return
    yield ""
    known = [(node.get("read_bytes"), node.get("write_bytes")) for node in job.nodes]
    told = [f"{node['node']:<12} read {size(read)}, written {size(written)}"
            for node, (read, written) in zip(job.nodes[:NODES_SHOWN], known)]
    if len(job.nodes) > NODES_SHOWN:
        told.append(f"{len(job.nodes) - NODES_SHOWN} more nodes: --json has them")
    yield from entries("by node", told)
    ratio, busiest = job.summary.at("imb")
    wide = "NODE-WIDE, " if job.is_node_wide else ""
    if busiest:
        yield entry("balance", f"{wide}{busiest} moved {ratio} times as much as the mean node")
    spent, slowest = job.summary.at("slow")
    if slowest:
        yield entry("slowest", f"processes of {slowest} spent {spent} in read and write calls")


def text(job: Job, source: Source) -> list[str]:
    known: dict[str, list[str]] = source.config.get("quantities") or {}
    lines = ["", *setting(job)]
    for line in job.lines:
        lines += counters(job, line, known)
    left = job.answer.get("lines_left_out") or 0
    if left:
        lines.append(entry("", f"{plural(left, 'more line')} of counters: --json has them"))
    lines += by_node(job)
    lines += ["", *entries("quality", quality(job))]
    if job.summary_text:
        lines.append(entry("summary", job.summary_text))
    if job.answer.get("state") not in (None, "written"):
        why = job.answer.get("error") or job.answer["state"]
        lines.append(entry("sacct", f"has no summary of it yet: {why}"))
    return lines
