# SPDX-License-Identifier: GPL-2.0-or-later
"""The screen of one job: efficiency, I/O and advice."""
from __future__ import annotations

from collections.abc import Iterator

from report import advice, sacct, timeline, units, words
from report.record import WHY_NO_SUMMARY, Group, Job, Source
from report.types import Json
from report.units import count, percent, plural, size, tone

ADVICE_SHOWN = 5
NAMES_SHOWN = 8
TIMES = ("read_us", "write_us", "meta_us", "sync_us", "close_us", "mapped_us", "async_us")
BOUNDS = {"baseline_missing", "node_rebooted", "no_step", "step_missing", "start_unknown",
          "counter_reset", "remounted", "unmounted", "image_mounted", "mounted_late",
          "lower_bound_read", "lower_bound_write", "lower_bound_ops", "times_skipped",
          "shared_node", "client_unreadable", "clock_set", "clocks_apart", "truncated"}
SKIPPED = {"lower_bound_read": "read", "lower_bound_write": "write", "lower_bound_ops": "meta",
           "times_skipped": "times"}
NODE_WIDE = "NODE-WIDE: with whatever else ran on its nodes"


def names(nodes: list[str]) -> str:
    """Return "c1, c2 and 6 more nodes"."""
    text = ", ".join(nodes[:NAMES_SHOWN])
    more = len(nodes) - NAMES_SHOWN
    return text + (f" and {plural(more, 'more node')}" if more > 0 else "")


def state_tone(word: str) -> str:
    if word == "COMPLETED":
        return "good"
    return "faint" if sacct.is_early(word) else "bad"


# ---- head -----------------------------------------------------------------------------

def errors_of(job: Job) -> str:
    """Return the errors of calls: "Disk quota exceeded on /scratch (EDQUOT, 3 calls)"."""
    found: dict[tuple[str, str], int] = {}
    for line in job.lines:
        for name, classes in (line.get("errors") or {}).items():
            if line["kind"] == "app":
                key = name, f" on {line.get('fs') or 'a file'}"
                found[key] = found.get(key, 0) + sum(classes.values())
    if not job.lines:
        found = {(name, ""): calls for name, calls in job.summary.failed.items()}
    known = words.of("errors")
    return "; ".join(f"{known[name]}{place} ({name}, {plural(calls, 'call')})"
                     for (name, place), calls in found.items() if name in known)


def title(job: Job) -> str:
    row = job.slurm
    told = [f"Job {job.id}"]
    if row and row.name:
        told[0] += "  " + tone("strong", row.name)
    if "_" not in job.id and "+" not in job.id:
        if job.array:
            told.append(f"task {job.array[0]}_{job.array[1]} of array {job.array[0]}")
        elif job.het:
            told.append(f"component {job.het[0]}+{job.het[1]} of job {job.het[0]}")
    if job.run:
        told.append(f"run {job.run[0]} of {job.run[1]}")
    told.append("  ".join(word for word in (job.user, row and row.account, row and row.partition,
                                            None if row else job.cluster) if word))
    told.append(state(job))
    return "    ".join(word for word in told if word)


def state(job: Job) -> str:
    row = job.slurm if job.is_of_slurm else None
    if job.source == "live" and not (row and row.word == "SUSPENDED"):
        return tone("faint", "RUNNING")
    if not row:
        return "" if job.slurm else "state unknown to sacct"
    text = tone(state_tone(row.word), row.state)
    if row.exit_code is not None:
        text += f" {row.exit_code}:{row.signal or 0}"
    errors = errors_of(job)
    return f"{text}: {tone('bad', errors)}" if errors else text


def efficiency(job: Job) -> str:
    """Return "16 nodes  00:59:20 of 02:00:00   CPU 87 % of 1,024 CPUs   memory 41 of 192 GiB a
    node"."""
    row = job.slurm if job.is_of_slurm else None
    told = [plural(job.node_count, "node")] if job.node_count else []
    if job.time["seconds"]:
        text = units.elapsed(row.elapsed_s if row and row.elapsed_s is not None
                             else job.time["seconds"])
        told.append(text + (f" of {units.elapsed(row.limit_s)}" if row and row.limit_s else ""))
    line = "  ".join(told)
    if row and row.cpu_share is not None:
        line += f"   CPU {percent(row.cpu_share)} of {plural(row.cpus or 0, 'CPU')}"
    if row and row.memory_share is not None:
        nodes = row.nodes or 1
        used, given = (row.memory_used or 0) / nodes, (row.memory_given or 0) / nodes
        line += f"   memory {memory_of(used, given)}{' a node' if nodes > 1 else ''}" \
            f" ({percent(row.memory_share)})"
    if row and row.gpu_share is not None:
        line += f"   GPU {percent(row.gpu_share)} of {plural(row.gpus, 'GPU')}"
    return line


def where(job: Job) -> str:
    """Return "started 2026-11-21 09:34:22 on c[1-2]"."""
    row = job.slurm if job.is_of_slurm else None
    nodes = row.fields["NodeList"] if row else ""
    if not nodes and job.nodes and len(job.nodes) == job.node_count:
        nodes = names([node["node"] for node in job.nodes])
    start = row.start if row and row.start else job.time["first"]
    told = [f"started {units.clock(start)}"] if start else []
    told += [f"on {nodes}"] if nodes and (job.node_count or 0) <= NAMES_SHOWN else []
    return " ".join(told)


def memory_of(used: float, given: float) -> str:
    """Return "41 of 192 GiB"."""
    a, b = size(used).split(" "), size(given).split(" ")
    return f"{a[0]} of {b[0]} {b[1]}" if a[1:] == b[1:] else f"{' '.join(a)} of {' '.join(b)}"


def head(job: Job) -> Iterator[str]:
    yield title(job)
    for line in (where(job), efficiency(job)):
        if line:
            yield "  " + line
    s = job.summary
    if s.cores or s.prof:
        told = [f"io-cores {s.cores}"] if s.cores else []
        told += [f"profile {s.prof}"] if s.prof else []
        yield "  " + ", ".join(told)
    if s.lacks:
        yield "  " + tone("warn", "not given: ") + not_given(job)
    yield from lacks(job)
    if job.slurm and not job.is_old_run and not job.is_of_slurm:
        if sacct.is_early(job.slurm.word):
            yield f"  the job has been requeued and is {job.slurm.state}: this is its last run " \
                "that ended"
        else:
            yield f"  the job has run again and is {job.slurm.state}, and there is no record of " \
                "that: this is a run before it"
    if s.miss or (s.nodes_seen or 0) < (s.nodes_expected or 0):
        yield f"  {s.nodes_seen or 0:,} of {units.whole(s.nodes_expected)} nodes have reported" \
            + (f"; missing: {s.miss}" if s.miss else "")


def not_given(job: Job) -> str:
    return ", ".join(words.of("unmet").get(word, word) for word in job.summary.lacks)


def lacks(job: Job) -> Iterator[str]:
    """Return lines with the unmet requests of each node."""
    refused = {node for _, nodes in job.same("refused") for node in nodes}
    for request, nodes in job.same("request"):
        nodes = [node for node in nodes if node not in refused]
        if nodes and request.get("applied") is False and request.get("profile"):
            yield f"    on {names(nodes)}: profile {request['profile']} was not applied"
        if nodes and request.get("cores_met") is False:
            yield f"    on {names(nodes)}: the client did not work on the io-cores alone"
    for gate, nodes in job.same("gate"):
        if gate.get("warned") and gate.get("text"):
            yield f"    on {names(nodes)}: {gate['text']}"


# ---- filesystems ----------------------------------------------------------------------

def io_us(line: Json) -> int | None:
    return units.known(line.get(key) for key in TIMES)


def ratio(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def io_share(line: Json) -> float | None:
    """Return the time in I/O as a share of the threads' elapsed time."""
    return ratio(io_us(line), line.get("thread_us"))


def slowest_share(line: Json) -> float | None:
    """Return the share of the thread that waited longest, if it is above the mean; None for a
    thread that ran only a short time."""
    life = line.get("slowest_life_us") or 0
    share, slowest = io_share(line), ratio(line.get("slowest_us"), life)
    threads = line.get("threads") or 0
    if threads and life * 2 * threads < (line.get("thread_us") or 0):
        return None
    if share is None or slowest is None or slowest < share or percent(slowest) == percent(share):
        return None
    return slowest


def fstypes(job: Job) -> dict[str, str]:
    told = [word.rpartition(":") for word in job.summary.fs.split(",")]
    mounts = [mount for client, _ in job.clients for mount in client.get("mounts") or []]
    return {**{mount: kind for mount, colon, kind in told if colon},
            **{mount["mount"]: mount["fstype"] for mount in mounts}}


def moved(total: int | None, calls: int | None) -> tuple[str, str]:
    """Return bytes, and calls with their mean size: "2.51 TiB", "2.6 M x 1 MiB"."""
    if total is None:
        return "unknown", ""
    if not total or not calls:
        return size(total), f"{count(calls)} calls" if calls else ""
    return size(total), f"{count(calls)} x {size(total / calls)}"


MAPPED_LEAST = 1 << 20  # below: only programs and libraries


def moved_by(line: Json, way: str) -> tuple[str, str]:
    """Return moved(), with the bytes of mapped files if they are more: "0", "596 MiB mapped"."""
    total, calls = line.get(f"{way}_bytes"), line.get(f"{way}_calls")
    mapped = line.get(f"mmap_{way}_bytes") or 0
    text, of = moved(total, calls)
    if mapped < MAPPED_LEAST or mapped < (total or 0):
        return text, of
    return text, f"{of} + {size(mapped)} mapped" if of else f"{size(mapped)} mapped"


def operations(line: Json) -> int | None:
    return units.known((line.get("meta") or {}).values())


def filesystems(job: Job) -> list[list[str]]:
    """Return rows of the table: filesystem, type, read, calls, written, calls, metadata, time."""
    types = fstypes(job)
    rows = []
    for line in job.lines:
        if line["kind"] != "app":
            continue
        share, slowest = io_share(line), slowest_share(line)
        spent = percent(share, "") + (f", slowest {percent(slowest)}" if slowest else "")
        name = line.get("fs") or "all files"
        kind = types.get(name, "") if line.get("fs") else "and pipes"
        wide = line["scope"] == "node"
        rows.append([name, kind + (" *" if wide else ""),
                     *moved_by(line, "read"), *moved_by(line, "write"),
                     count(operations(line), ""), spent])
    s = job.summary
    if not rows and s.scope:
        kinds = [] if "all_files" in s.flags else list(types.values())
        rows.append([", ".join(types) if kinds else "all files",
                     kinds[0] if len(kinds) == 1 else "",
                     *moved(job.totals["read_bytes"], job.totals["read_calls"]),
                     *moved(job.totals["write_bytes"], job.totals["write_calls"]),
                     count(s.meta, ""), ""])
    return rows


def table(rows: list[list[str]]) -> Iterator[str]:
    cells = [pad(list(column)) for column in zip(*rows)]
    columns = [["filesystem", *join(cells[0], cells[1])], ["read", *join(cells[2], cells[3])],
               ["written", *join(cells[4], cells[5])], ["metadata", *cells[6]],
               ["time of a process" if any(row[7] for row in rows) else "", *cells[7]]]
    for row in zip(*map(pad, columns)):
        yield "  " + "   ".join(row).rstrip()


def join(one: list[str], other: list[str]) -> list[str]:
    return [f"{a}  {b}".rstrip() for a, b in zip(one, other)]


def pad(column: list[str]) -> list[str]:
    most = max(map(len, column))
    return [cell.ljust(most) for cell in column]


def io_text(job: Job) -> Iterator[str]:
    rows = filesystems(job)
    if job.source == "sacct" and not job.summary_text:
        yield ""
        yield from units.wrap(f"I/O is not known: {WHY_NO_SUMMARY} ({job.why_not_ledger})", "  ")
        return
    if not rows:
        yield ""
        yield "  I/O was not counted" + (
            ": " + "; ".join(quality(job)) if job.summary.flags else "")
        return
    yield ""
    yield from table(rows)
    if job.is_node_wide or any(row[1].endswith("*") for row in rows):
        yield "  " + tone("warn", NODE_WIDE)
    if "all_files" in job.summary.flags:
        yield "  counted over all files, pipes and sockets, not by filesystem"
    yield from course(job)
    for text in quality(job, BOUNDS):
        yield f"  {text}"


def quality(job: Job, wanted: set[str] | None = None) -> list[str]:
    known = job.answer.get("quality_words") or {}
    return [(known.get(flag) or flag.replace("_", " ")) + missing(job, SKIPPED.get(flag, ""))
            for flag in job.summary.flags if wanted is None or flag in wanted]


def calls_of(line: Json, kind: str) -> int:
    if kind == "times":
        return sum(calls_of(line, kind) for kind in ("read", "write", "meta"))
    return (operations(line) if kind == "meta" else line.get(kind + "_calls")) or 0


def missing(job: Job, kind: str) -> str:
    """How many calls programs that the kernel skipped may have missed: " (up to 0.4 %)"."""
    lines = [line for line in job.lines if line["kind"] == "app" and line.get("fs")]
    skipped = sum(line.get(kind + "_skipped") or 0 for line in lines)
    calls = sum(calls_of(line, kind) for line in lines)
    if not skipped or not calls:
        return ""
    return f" (up to {100 * skipped / (skipped + calls):.2g} %)"


# ---- over time ------------------------------------------------------------------------

def peak(job: Job, key: str) -> tuple[int, str]:
    """Return the maximum of one node in a second, and the node."""
    return max(((node.get("peak", {}).get(key) or 0, node["node"]) for node in job.nodes),
               default=(0, ""))


def course(job: Job) -> Iterator[str]:
    time = job.time
    line = timeline.total(job.lines, time["first"], time["last"])
    if not line:
        return
    lanes = (("read", "read_bytes", "read_Bps"), ("written", "write_bytes", "write_Bps"),
             ("in I/O", "io_us", ""))
    shown = [lane for lane in lanes if any(line.lanes.get(lane[1], []))]
    if shown:
        yield ""
    for name, lane, key in shown:
        most, node = peak(job, key) if key else (0, "")
        text = f"   peak {size(most)}/s" + (f" on {node}" if len(job.nodes) > 1 else "")
        yield f"  {name:<7}  {units.bars(line.lanes[lane])}" + (text if most else "")
    if shown:
        form = "%H:%M" if line.width * line.count > 600 else "%H:%M:%S"
        end = units.clock(line.start + line.width * line.count, form)
        yield "           " + units.clock(line.start, form).ljust(
            max(line.count - len(end), len(end) + 1)) + end
        without = timeline.missing(job.lines)
        if without:
            yield f"           without {', '.join(without)}"
        if time["apart"]:
            yield f"           clocks of nodes are {time['apart']:.0f} s apart"


# ---- advice ---------------------------------------------------------------------------

def slurm_of(job: Job) -> Json | None:
    """Return sacct's values for advice."""
    if not job.slurm or not job.is_of_slurm:
        return None
    share = job.slurm.gpu_share
    return {"state": job.slurm.state, "gpu_percent": share and share * 100}


def advice_of(job: Job) -> list[advice.Advice]:
    return advice.lines(job.answer, slurm_of(job)) if job.record_count else []


def why_no_advice(job: Job) -> str:
    """Return the reason why there is no advice."""
    if not job.record_count:
        return "the ledger shows no records of this job"
    if job.is_node_wide:
        return "the counters are those of whole nodes, other jobs included"
    return advice.silence(job.answer)


def asks(job: Job) -> list[str]:
    """Return lines with the options for the next job, from sacct's use of CPUs, memory and time."""
    from report import usage

    row = job.slurm if job.is_of_slurm else None
    return list(usage.lines(row, bool(job.summary.cores))) if row else []


def advice_text(job: Job, shown: int = ADVICE_SHOWN) -> Iterator[str]:
    lines = advice_of(job)
    yield ""
    if not lines and job.summary_text:
        yield from units.wrap(f"no advice: {why_no_advice(job)}", "  ")
    for number, line in enumerate(lines[:shown], 1):
        yield from units.wrap(f"{line.what.rstrip('.')} ({line.how_sure}).", f"  {number}  ")
        for cure in line.cure.splitlines():
            # a command is not wrapped
            yield from units.wrap(cure, " " * 5) if cure.endswith(".") else [" " * 5 + cure]
    if len(lines) > shown:
        yield f"  {len(lines) - shown} more: --advice=all"
    if not lines:
        yield from ("  " + line for line in asks(job))


# ---- findings -------------------------------------------------------------------------

def refusal(job: Job) -> Iterator[str]:
    for why, nodes in job.same("refused"):
        yield f"  {tone('bad', 'refused')} on {names(nodes)}: {why}"
    for finding, _ in job.same("findings"):
        if finding["severity"] == "error" and finding.get("cure"):
            yield f"  {finding['cure']}"


def findings(job: Job, everything: bool) -> Iterator[str]:
    """Return lines of the findings that the job's owner can act on, or of all."""
    s = job.summary
    for finding, nodes in job.same("findings"):
        if everything or finding.get("users"):
            cure = finding.get("cure") or ""
            yield f"  {finding['severity']} {finding['code']} on {names(nodes)}: " \
                f"{finding.get('text') or ''}" + (f"; {cure}" if cure else "")
    if not everything and (s.errors or s.warnings):
        told = [plural(number, word) for number, word in
                ((s.errors, "error"), (s.warnings, "warning")) if number]
        yield f"  {' and '.join(told)} of the nodes' checks" \
            + (": jobio report -v " + job.id if job.record_count else "")


def notes(job: Job) -> Iterator[str]:
    left: int = job.answer.get("left_out") or 0
    if left:
        yield f"  {plural(left, 'record')} of nodes are not shown: the ledger keeps more than " \
            "one report holds"
    if job.source == "sacct" and job.summary_text:
        why = job.why_not_ledger
        yield "  from sacct alone, three digits and no details: " + why + (
            " (its owner, root and SlurmUser may)" if "you may read" in why else "")


# ---- job and family -------------------------------------------------------------------

def text(job: Job, source: Source, verbose: bool = False, shown: int | None = ADVICE_SHOWN,
         ) -> str:
    """Return the text of a job.

    shown: number of lines of advice; None: no advice.
    """
    lines = list(head(job))
    if job.summary.refused or job.same("refused"):
        lines += refusal(job)
        if not verbose:
            return "\n".join([*lines, ""])
    lines += io_text(job)
    if verbose:
        from report import details

        lines += details.text(job, source)
    if shown is not None and job.source != "live":
        lines += advice_text(job, shown)
    more = [*findings(job, verbose), *notes(job)]
    return "\n".join([*lines, *([""] if more else []), *more]) + "\n"


def family(group: Group) -> str:
    """Return the text of an array or a heterogeneous job: the sum, and a line for each part."""
    from report import jobs

    first = group.jobs[0]
    kind = "task" if "_" in first.id else "component"
    total = jobs.total(group.jobs)
    told = [f"Job {group.word}", f"{plural(len(group.jobs), kind)} "
            + ("of an array" if kind == "task" else "of a heterogeneous job"), first.user]
    lines = ["    ".join(word for word in told if word),
             f"  read {size(total['read_bytes'])} in {count(total['read_calls'])} calls, written "
             f"{size(total['write_bytes'])} in {count(total['write_calls'])} calls", ""]
    lines += jobs.table(group.jobs)
    if group.failures:
        lines.append(f"nothing is known of {len(group.failures)} more")
    lines.append(f"one in full: jobio report {first.id}")
    return "\n".join(lines) + "\n"
