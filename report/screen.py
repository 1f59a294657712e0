# SPDX-License-Identifier: GPL-2.0-or-later
"""The text of one job: efficiency, I/O, advice and findings."""
from __future__ import annotations

from collections.abc import Iterator

from report import sacct, timeline, units, words
from report.job import Job
from report.record import Io
from report.source import WHY_NO_SUMMARY, Group, Source
from report.units import count, percent, plural, size, tone

ADVICE_SHOWN = 5
NAMES_SHOWN = 8
MAPPED_LEAST = 1 << 20  # bytes of mapped files: fewer are of programs and libraries
# flags of the numbers that are a lower bound or unknown
BOUNDS = {"baseline_missing", "node_rebooted", "no_step", "step_missing", "start_unknown",
          "counter_reset", "remounted", "unmounted", "image_mounted", "mounted_late",
          "lower_bound_read", "lower_bound_write", "lower_bound_ops", "times_skipped",
          "shared_node", "client_unreadable", "clock_set", "clocks_apart", "truncated"}
# their quantities of calls that may be missing, without "_skipped"
SKIPPED = {"lower_bound_read": "read", "lower_bound_write": "write", "lower_bound_ops": "meta",
           "times_skipped": "times"}
NODE_WIDE = "NODE-WIDE: with whatever else ran on its nodes"
LANES = (("read", "read_bytes", "read_Bps"), ("written", "write_bytes", "write_Bps"),
         ("in I/O", "io_us", ""))


def names(nodes: list[str]) -> str:
    """Return "c1, c2 and 6 more nodes"."""
    text = ", ".join(nodes[:NAMES_SHOWN])
    more = len(nodes) - NAMES_SHOWN
    return f"{text} and {plural(more, 'more node')}" if more > 0 else text


def state_tone(state: str) -> str:
    """Return the tone of a state, for units.tone()."""
    if state == "COMPLETED":
        return "good"
    return "faint" if sacct.is_early(state) else "bad"


# ---- head -----------------------------------------------------------------------------

def errors(job: Job) -> str:
    """Return the failed calls: "Disk quota exceeded on /scratch (EDQUOT, 3 calls)"."""
    found: dict[tuple[str, str], int] = {}
    for line in job.run.lines:
        if line.kind != "app":
            continue
        where = f" on {line.fs or 'a file'}"
        for name, classes in line.errors.items():
            found[name, where] = found.get((name, where), 0) + sum(classes.values())
    if not job.run.lines:
        found = {(name, ""): calls for name, calls in job.summary.failed.items()}
    known = words.of("errors")
    return "; ".join(f"{known[name]}{where} ({name}, {plural(calls, 'call')})"
                     for (name, where), calls in found.items() if name in known)


def family_name(job: Job) -> str:
    """Return the job's place in its family; "" if the job's ID has it."""
    if "_" in job.id or "+" in job.id:
        return ""
    if job.array:
        return f"task {job.array[0]}_{job.array[1]} of array {job.array[0]}"
    if job.het:
        return f"component {job.het[0]}+{job.het[1]} of job {job.het[0]}"
    return ""


def title(job: Job) -> str:
    row = job.slurm
    name = f"Job {job.id}"
    if row and row.name:
        name += "  " + tone("strong", row.name)
    run = f"run {job.run_number[0]} of {job.run_number[1]}" if job.run_number else ""
    places = (row.account, row.partition) if row else (job.cluster,)
    owner = "  ".join(word for word in (job.user, *places) if word)
    parts = [name, family_name(job), run, owner, state(job)]
    return "    ".join(part for part in parts if part)


def state(job: Job) -> str:
    row = job.slurm if job.is_of_slurm else None
    if job.source == "live" and not (row and row.word == "SUSPENDED"):
        return tone("faint", "RUNNING")
    if not row:
        return "" if job.slurm else "state unknown to sacct"
    text = tone(state_tone(row.word), row.state)
    if row.exit_code is not None:
        text += f" {row.exit_code}:{row.signal or 0}"
    failed = errors(job)
    return f"{text}: {tone('bad', failed)}" if failed else text


def efficiency(job: Job) -> str:
    """Return "16 nodes  00:59:20 of 02:00:00   CPU 87 % of 1,024 CPUs   memory 41 of 192 GiB a
    node"."""
    row = job.slurm if job.is_of_slurm else None
    seconds = job.time.seconds
    line = plural(job.node_count, "node") if job.node_count else ""
    if seconds:
        if row and row.elapsed_s is not None:
            seconds = row.elapsed_s
        line += ("  " if line else "") + units.elapsed(seconds)
        if row and row.limit_s:
            line += f" of {units.elapsed(row.limit_s)}"
    if not row:
        return line
    if row.cpu_share is not None:
        line += f"   CPU {percent(row.cpu_share)} of {plural(row.cpus or 0, 'CPU')}"
    if row.memory_share is not None:
        a_node = " a node" if (row.nodes or 1) > 1 else ""
        line += f"   memory {memory(row)}{a_node} ({percent(row.memory_share)})"
    if row.gpu_share is not None:
        line += f"   GPU {percent(row.gpu_share)} of {plural(row.gpus, 'GPU')}"
    return line


def memory(row: sacct.Row) -> str:
    """Return used and allocated memory of a node, "41 of 192 GiB"; "": unknown."""
    if not row.memory_used or not row.memory_given:
        return ""
    nodes = row.nodes or 1
    used, given = size(row.memory_used / nodes), size(row.memory_given / nodes)
    number, _, unit = used.partition(" ")
    return f"{number} of {given}" if given.endswith(" " + unit) else f"{used} of {given}"


def place(job: Job) -> str:
    """Return "started 2026-11-21 09:34:22 on c[1-2]"."""
    row = job.slurm if job.is_of_slurm else None
    nodes = row.fields["NodeList"] if row else ""
    if not nodes and job.run.nodes and len(job.run.nodes) == job.node_count:
        nodes = names([node.node for node in job.run.nodes])
    start = row.start if row and row.start else job.time.first
    text = f"started {units.clock(start)}" if start else ""
    if nodes and (job.node_count or 0) <= NAMES_SHOWN:
        text += f" on {nodes}"
    return text.strip()


def later_run(job: Job) -> str:
    """Return the state of a later run of the job; "": there is none."""
    if not job.slurm or job.is_old_run or job.is_of_slurm:
        return ""
    if sacct.is_early(job.slurm.word):
        return (f"the job has been requeued and is {job.slurm.state}: this is its last run that "
                "ended")
    return (f"the job has run again and is {job.slurm.state}, and there is no record of that: "
            "this is a run before it")


def reports(job: Job) -> str:
    """Return the number of nodes that have reported; "": all."""
    s = job.summary
    seen, expected = s.nodes_seen or 0, s.nodes_expected or 0
    if not s.miss and seen >= expected:
        return ""
    missing = f"; missing: {s.miss}" if s.miss else ""
    return f"{seen:,} of {units.whole(s.nodes_expected)} nodes have reported{missing}"


def head(job: Job) -> Iterator[str]:
    yield title(job)
    s = job.summary
    asked = [f"io-cores {s.cores}" if s.cores else "", f"profile {s.prof}" if s.prof else ""]
    lines = [place(job), efficiency(job), ", ".join(filter(None, asked))]
    if s.unmet:
        lines.append(tone("warn", "not given: ") + not_given(job))
    lines += ["  " + line for line in unmet(job)]
    lines += [later_run(job), reports(job)]
    yield from ("  " + line for line in lines if line)


def not_given(job: Job) -> str:
    known = words.of("unmet")
    return ", ".join(known.get(word, word) for word in job.summary.unmet)


def unmet(job: Job) -> Iterator[str]:
    """Return lines with the unmet requests of each node."""
    refused = {node for _, nodes in job.run.groups("refused") for node in nodes}
    for asked, on in job.run.groups("request"):
        nodes = [node for node in on if node not in refused]
        if nodes and asked.profile and asked.applied is False:
            yield f"on {names(nodes)}: profile {asked.profile} was not applied"
        if nodes and asked.cores_met is False:
            yield f"on {names(nodes)}: the client did not work on the io-cores alone"
    for gate, nodes in job.run.groups("gate"):
        if gate.warned and gate.text:
            yield f"on {names(nodes)}: {gate.text}"


# ---- filesystems ----------------------------------------------------------------------

def fstypes(job: Job) -> dict[str, str]:
    """Return the type of each mount point of a client."""
    found = [word.rpartition(":") for word in job.summary.fs.split(",")]
    types = {mount: kind for mount, colon, kind in found if colon}
    return {**types, **{mount.mount: mount.fstype for mount in job.run.mounts}}


def moved(total: int | None, calls: int | None) -> tuple[str, str]:
    """Return bytes, and calls with their mean size: "2.51 TiB", "2.6 M x 1 MiB"."""
    if total is None:
        return "unknown", ""
    if not calls:
        return size(total), ""
    return size(total), f"{count(calls)} x {size(total / calls)}" if total else \
        f"{count(calls)} calls"


def moved_by(line: Io, way: str) -> tuple[str, str]:
    """Return moved() with the bytes of mapped files, if they are more: "0", "596 MiB mapped".

    way: "read" or "write"
    """
    total = line.number(way + "_bytes")
    mapped = line.number(f"mmap_{way}_bytes") or 0
    text, calls = moved(total, line.number(way + "_calls"))
    if mapped >= max(MAPPED_LEAST, total or 0):
        calls += (" + " if calls else "") + f"{size(mapped)} mapped"
    return text, calls


def time_spent(line: Io) -> str:
    slowest = line.slowest_share
    text = percent(line.share, "")
    return f"{text}, slowest {percent(slowest)}" if slowest else text


def filesystems(job: Job) -> list[list[str]]:
    """Return rows of the table: filesystem, type, read, calls, written, calls, metadata, time."""
    types = fstypes(job)
    rows = []
    for line in job.run.lines:
        if line.kind == "app":
            kind = types.get(line.fs, "") if line.fs else "and pipes"
            if line.scope == "node":
                kind += " *"
            rows.append([line.fs or "all files", kind, *moved_by(line, "read"),
                         *moved_by(line, "write"), count(line.operations, ""), time_spent(line)])
    if not rows and job.summary.scope:
        rows.append(summary_row(job, types))
    return rows


def summary_row(job: Job, types: dict[str, str]) -> list[str]:
    """Return the row of all filesystems, from the summary."""
    s, totals = job.summary, job.totals
    kinds = [] if "all_files" in s.flags else list(types.values())
    return [", ".join(types) if kinds else "all files", kinds[0] if len(kinds) == 1 else "",
            *moved(totals["read_bytes"], totals["read_calls"]),
            *moved(totals["write_bytes"], totals["write_calls"]), count(s.meta, ""), ""]


def table(rows: list[list[str]]) -> Iterator[str]:
    cells = [pad(column) for column in zip(*rows)]
    last = "time of a process" if any(row[7] for row in rows) else ""
    columns = [["filesystem", *join(cells[0], cells[1])], ["read", *join(cells[2], cells[3])],
               ["written", *join(cells[4], cells[5])], ["metadata", *cells[6]], [last, *cells[7]]]
    for row in zip(*map(pad, columns)):
        yield "  " + "   ".join(row).rstrip()


def join(one: list[str], other: list[str]) -> list[str]:
    return [f"{a}  {b}".rstrip() for a, b in zip(one, other)]


def pad(column: list[str] | tuple[str, ...]) -> list[str]:
    width = max(map(len, column))
    return [cell.ljust(width) for cell in column]


def io_lines(job: Job) -> Iterator[str]:
    yield ""
    rows = filesystems(job)
    if job.source == "sacct" and not job.summary_text:
        yield from units.wrap(f"I/O is not known: {WHY_NO_SUMMARY} ({job.why_not_ledger})", "  ")
        return
    if not rows:
        why = ": " + "; ".join(quality(job)) if job.summary.flags else ""
        yield "  I/O was not counted" + why
        return
    yield from table(rows)
    if job.is_node_wide or any(row[1].endswith("*") for row in rows):
        yield "  " + tone("warn", NODE_WIDE)
    if "all_files" in job.summary.flags:
        yield "  counted over all files, pipes and sockets, not by filesystem"
    yield from over_time(job)
    for text in quality(job, BOUNDS):
        yield "  " + text


def quality(job: Job, wanted: set[str] | None = None) -> list[str]:
    """Return the descriptions of the summary's flags.

    wanted: these flags only
    """
    known = job.run.quality_words
    return [(known.get(flag) or flag.replace("_", " ")) + skipped(job, SKIPPED.get(flag, ""))
            for flag in job.summary.flags if wanted is None or flag in wanted]


def calls_of(line: Io, kind: str) -> int:
    """Return the calls of a kind of SKIPPED."""
    if kind == "times":
        return sum(calls_of(line, one) for one in ("read", "write", "meta"))
    return (line.operations if kind == "meta" else line.number(kind + "_calls")) or 0


def skipped(job: Job, kind: str) -> str:
    """Return how many calls may be missing because the kernel skipped programs: " (up to 0.4 %)".

    kind: of SKIPPED, or ""
    """
    missing = total = 0
    for line in job.run.lines if kind else []:
        if line.kind == "app" and line.fs:
            missing += line.number(kind + "_skipped") or 0
            total += calls_of(line, kind)
    if not missing or not total:
        return ""
    return f" (up to {100 * missing / (missing + total):.2g} %)"


# ---- over time ------------------------------------------------------------------------

def peak(job: Job, key: str) -> str:
    """Return the maximum of one node in a second: "   peak 2.1 GiB/s on c2"; "": unknown."""
    peaks = [(node.peak.get(key) or 0, node.node) for node in job.run.nodes]
    most, node = max(peaks, default=(0, ""))
    if not most:
        return ""
    return f"   peak {size(most)}/s" + (f" on {node}" if len(peaks) > 1 else "")


def over_time(job: Job) -> Iterator[str]:
    time = job.time
    line = timeline.total(job.run.lines, time.first, time.last)
    shown = [lane for lane in LANES if line and any(line.lane(lane[1]))]
    if not line or not shown:
        return
    yield ""
    for name, lane, key in shown:
        yield f"  {name:<7}  {units.bars(line.lane(lane))}{peak(job, key)}"
    seconds = line.width_s * line.count
    form = "%H:%M" if seconds > 600 else "%H:%M:%S"
    end = units.clock(line.start + seconds, form)
    width = max(line.count - len(end), len(end) + 1)
    yield f"           {units.clock(line.start, form):<{width}}{end}"
    without = timeline.missing(job.run.lines)
    if without:
        yield f"           without {', '.join(without)}"
    if time.apart:
        yield f"           clocks of nodes are {time.apart:.0f} s apart"


# ---- advice ---------------------------------------------------------------------------

def next_options(job: Job) -> list[str]:
    """Return lines with the options for the next job, from sacct's use of CPUs, memory and time."""
    from report import usage

    row = job.slurm if job.is_of_slurm else None
    return list(usage.lines(row, bool(job.summary.cores))) if row else []


def advice_lines(job: Job, shown: int) -> Iterator[str]:
    yield ""
    found = job.advice
    for number, one in enumerate(found[:shown], 1):
        yield from units.wrap(f"{one.what.rstrip('.')} ({one.how_sure}).", f"  {number}  ")
        for cure in one.cure.splitlines():
            # a command is not wrapped
            yield from units.wrap(cure, " " * 5) if cure.endswith(".") else [" " * 5 + cure]
    if len(found) > shown:
        yield f"  {len(found) - shown} more: --advice=all"
    if found:
        return
    if job.summary_text:
        yield from units.wrap(f"no advice: {job.why_no_advice}", "  ")
    yield from ("  " + line for line in next_options(job))


# ---- findings -------------------------------------------------------------------------

def refusal(job: Job) -> Iterator[str]:
    for why, nodes in job.run.groups("refused"):
        yield f"  {tone('bad', 'refused')} on {names(nodes)}: {why}"
    for finding, _ in job.run.groups("findings"):
        if finding.severity == "error" and finding.cure:
            yield f"  {finding.cure}"


def findings(job: Job, is_verbose: bool) -> Iterator[str]:
    """Return lines of the findings that the job's owner can act on or, if verbose, of all."""
    for finding, nodes in job.run.groups("findings"):
        if is_verbose or finding.users:
            cure = f"; {finding.cure}" if finding.cure else ""
            yield (f"  {finding.severity} {finding.code} on {names(nodes)}: "
                   f"{finding.text or ''}{cure}")
    s = job.summary
    if not is_verbose and (s.errors or s.warnings):
        counts = [plural(number, word) for number, word in
                  ((s.errors, "error"), (s.warnings, "warning")) if number]
        more = f": jobio report -v {job.id}" if job.run.record_count else ""
        yield f"  {' and '.join(counts)} of the nodes' checks{more}"


def notes(job: Job) -> Iterator[str]:
    if job.run.left_out:
        yield (f"  {plural(job.run.left_out, 'record')} of nodes are not shown: the ledger keeps "
               "more than one report holds")
    if job.source == "sacct" and job.summary_text:
        why = job.why_not_ledger
        if "you may read" in why:
            why += " (its owner, root and SlurmUser may)"
        yield f"  from sacct alone, three digits and no details: {why}"


# ---- job and family -------------------------------------------------------------------

def text(job: Job, source: Source, is_verbose: bool = False, shown: int | None = ADVICE_SHOWN,
         ) -> str:
    """Return the text of a job.

    shown: lines of advice; None: none, and no reason for none
    """
    lines = list(head(job))
    if job.summary.refused or job.run.groups("refused"):
        lines += refusal(job)
        if not is_verbose:
            return "\n".join([*lines, ""])
    lines += io_lines(job)
    if is_verbose:
        from report import details

        lines += details.text(job, source)
    if shown is not None and job.source != "live":
        lines += advice_lines(job, shown)
    more = [*findings(job, is_verbose), *notes(job)]
    if more:
        lines += ["", *more]
    return "\n".join(lines) + "\n"


def family(group: Group) -> str:
    """Return the text of an array or a heterogeneous job: the sum, and a line for each part."""
    from report import jobs

    first = group.jobs[0]
    number = len(group.jobs)
    of = f"{plural(number, 'task')} of an array" if "_" in first.id else \
        f"{plural(number, 'component')} of a heterogeneous job"
    title = "    ".join(word for word in (f"Job {group.word}", of, first.user) if word)
    total = jobs.total(group.jobs)
    lines = [title,
             f"  read {size(total['read_bytes'])} in {count(total['read_calls'])} calls, written "
             f"{size(total['write_bytes'])} in {count(total['write_calls'])} calls", ""]
    lines += jobs.table(group.jobs)
    if group.failures:
        lines.append(f"nothing is known of {len(group.failures)} more")
    lines.append(f"one in full: jobio report {first.id}")
    return "\n".join(lines) + "\n"
