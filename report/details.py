# SPDX-License-Identifier: GPL-2.0-or-later
"""The whole record of a job, with the names of its fields: jobio report -v."""
from __future__ import annotations

from collections.abc import Iterator

from report import units, words
from report.job import Job
from report.record import Change, Client, Cores, Io, Request
from report.screen import names, quality
from report.source import Source
from report.units import count, plural, size

NODES_SHOWN = 16
HISTOGRAMS = {"read_sizes": "read sizes", "write_sizes": "write sizes",
              "read_ns": "read latency", "write_ns": "write latency"}
BESIDE = {True: "the job had cores beside it", False: "the job had no core beside it",
          None: "unknown whether the job had cores beside it"}
APPLIED = {True: ", applied", False: ", not applied", None: ""}
RESTORED = {True: "put back", False: "NOT put back", None: "gone, or unknown whether put back"}


def entry(name: str, text: str) -> str:
    return f"  {name:<13} {text}"


def entries(name: str, texts: list[str]) -> Iterator[str]:
    """Return the lines of an entry; the first one has its name."""
    for text in texts:
        yield entry(name, text)
        name = ""


# ---- the job and its nodes ---------------------------------------------------------------

def request(request: Request, nodes: list[str]) -> str:
    parts = []
    if request.io_cores:
        parts.append(plural(request.io_cores, "io-core"))
    if request.profile:
        parts.append(f"profile {request.profile}{APPLIED[request.applied]}")
    return f"{', '.join(parts) or 'nothing'}: {names(nodes)}"


def cores(withheld: Cores, nodes: list[str]) -> str:
    return (f"{plural(withheld.count or 0, 'core')} {withheld.abstract or 'unknown'}, CPUs "
            f"{withheld.os_cpus or 'unknown'}: {names(nodes)}")


def client(client: Client, nodes: list[str]) -> Iterator[str]:
    cpus = f", CPUs {client.cpus}" if client.cpus else ""
    version = client.version or "of unknown version"
    yield f"{client.name}: {client.type} {version}{cpus}: {names(nodes)}"
    for mount in client.mounts:
        yield f"  {mount.mount} {mount.fstype} from {mount.source or 'unknown'}"
    card = client.card
    if card:
        numa = f", NUMA node {card.numa_nodes}" if card.numa_nodes else ""
        yield f"  card {card.names}{numa}: {BESIDE[card.beside]}"


def change(change: Change, nodes: list[str]) -> str:
    old, new = change.old or "", change.new or ""
    back = RESTORED[change.restored]
    if change.made is False:
        text = f"'{old}' stayed, '{new}' was not taken"
    elif change.made is None and "made" in change.json:
        text = f"unknown whether '{old}' became '{new}'; {back}"
    else:
        text = f"'{old}' became '{new}', {back}"
    return f"{change.what or '?'} {change.target or ''}: {text}: {names(nodes)}"


def setting(job: Job) -> Iterator[str]:
    time = job.time
    if time.first is not None:
        seconds = f" ({time.seconds:.1f} s)" if time.seconds else ""
        yield entry("time", f"{units.clock(time.first)} to {units.clock(time.last)}{seconds}")
    s = job.summary
    yield entry("nodes", f"{s.nodes_seen or 0:,} of {units.whole(s.nodes_expected)} have reported")
    yield from entries("request", [request(*one) for one in job.run.groups("request")])
    withheld = [cores(*one) for one in job.run.groups("io_cores")]
    if not withheld:
        withheld = [f"{s.cores}, CPUs {s.cpus or 'unknown'}" if s.cores else "none"]
    yield from entries("io-cores", withheld)
    clients = job.run.clients
    yield from entries("client", [line for one in clients for line in client(*one)])
    if not clients:
        yield entry("filesystems", s.fs or "none")
    yield from entries("changed", [change(*one) for one in job.run.groups("changes")])
    if not job.run.record_count and "chg" in s.words:
        put_back, made = s.pair("chg")
        yield entry("changed", f"{plural(made or 0, 'setting')}, {put_back or 0} put back")


# ---- counters -------------------------------------------------------------------------

def amount(value: int, unit: str) -> str:
    """Format a number of a quantity; unit: bytes, calls, us or s."""
    if unit == "bytes":
        return size(value)
    if unit == "us":
        return units.span(value * 1000)
    return f"{value} s" if unit == "s" else count(value)


def histogram(key: str, bins: list[int]) -> str:
    """Format a histogram; bin i counts 2^i .. 2^(i+1)-1 bytes or nanoseconds."""
    used = [i for i, value in enumerate(bins) if value > 0]
    if not used:
        return ""
    first, last = used[0], used[-1]
    show = units.span if key.endswith("_ns") else size
    low = show(2 ** first if first else 0)
    high = show(2 ** (last + 1))
    return f"{units.bars(bins[first:last + 1])}  {low} to {high}"


def means(line: Io) -> Iterator[tuple[str, str]]:
    for way in ("read", "write"):
        calls = line.number(way + "_calls")
        if not calls:
            continue
        total, us = line.number(way + "_bytes"), line.number(way + "_us")
        if total:
            yield f"mean size of {way}s", size(total / calls)
        if us is not None:
            yield f"mean latency of {way}s", units.span(us * 1000 / calls)


def relation(job: Job, line: Io) -> str:
    """Return the relation of client counters to requests of processes."""
    known = words.of("relations")
    for client, _ in job.run.clients:
        if client.name == line.client and client.app_to_wire:
            return ", ".join(known.get(word, word) for word in client.app_to_wire.split())
    return ""


def heading(job: Job, line: Io) -> str:
    """Return the kind, the filesystem, the source and the scope of counters."""
    of_client = line.kind == "wire"
    kinds = {"other": "other counters", "wire": "client"}
    source = words.of("sources").get(line.source, f"counted by {line.source}")
    if of_client:
        source = f"counted by the client {line.client or ''} ({line.source})"
    name = line.fs or ("whole node" if of_client else "all files")
    scope = "the job's alone"
    if line.scope == "node":
        scope = "NODE-WIDE, with whatever else ran there"
    text = f"{name}, {source}: {scope}"
    if line.nodes < job.run.record_count:
        text += f", on {line.nodes} of {plural(job.run.record_count, 'node')}"
    return entry(kinds.get(line.kind, "counters"), text)


def quantities(line: Io, known: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Return name and value of each number.

    known: unit and name of each quantity, by key (record/io.h)
    """
    for key, (unit, name) in known.items():
        value = line.json.get(key, line.peak.get(key))
        if isinstance(value, int):
            yield name, amount(value, unit)
        if key == "write_calls":
            yield from means(line)


def counters(job: Job, line: Io, known: dict[str, list[str]]) -> Iterator[str]:
    rows = list(quantities(line, known))
    meta = [f"{name} {count(calls)}" for name, calls in line.meta.items() if calls]
    rows.append(("metadata", ", ".join(meta)))
    for error, classes in line.errors.items():
        failed = [f"{name} {count(calls)}" for name, calls in classes.items()]
        rows.append((f"failed with {error}", ", ".join(failed)))
    rows += [(name, histogram(key, line.histogram(key))) for key, name in HISTOGRAMS.items()]
    if line.kind == "wire":
        rows.append(("beside the counters", relation(job, line)))
    yield ""
    yield heading(job, line)
    for name, text in rows:
        if text:
            yield f"                {name:<28} {text}"


def by_node(job: Job) -> Iterator[str]:
    """Return lines with the I/O of each node for the job."""
    nodes = job.run.nodes
    if len(nodes) < 2:
        return
    yield ""
    rows = [f"{node.node:<12} read {size(node.read_bytes)}, written {size(node.write_bytes)}"
            for node in nodes[:NODES_SHOWN]]
    if len(nodes) > NODES_SHOWN:
        rows.append(f"{len(nodes) - NODES_SHOWN} more nodes: --json has them")
    yield from entries("by node", rows)
    ratio, busiest = job.summary.at("imb")
    if busiest:
        wide = "NODE-WIDE, " if job.is_node_wide else ""
        yield entry("balance", f"{wide}{busiest} moved {ratio} times as much as the mean node")
    spent, slowest = job.summary.at("slow")
    if slowest:
        yield entry("slowest", f"processes of {slowest} spent {spent} in read and write calls")


def text(job: Job, source: Source) -> list[str]:
    """Return the lines of jobio report -v between I/O and advice."""
    known: dict[str, list[str]] = source.config.get("quantities") or {}
    run = job.run
    lines = ["", *setting(job)]
    for line in run.lines:
        lines += counters(job, line, known)
    if run.lines_left_out:
        lines.append(entry("", f"{plural(run.lines_left_out, 'more line')} of counters: --json "
                           "has them"))
    lines += by_node(job)
    lines += ["", *entries("quality", quality(job))]
    if job.summary_text:
        lines.append(entry("summary", job.summary_text))
    if run.state not in (None, "written"):
        lines.append(entry("sacct", f"has no summary of it yet: {run.error or run.state}"))
    return lines
