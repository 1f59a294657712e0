# SPDX-License-Identifier: GPL-2.0-or-later
"""Plan and results of a calibration, and the constants for a site.

Setting: io-cores (0: none) and a profile (None: none). Shape: a kind of I/O of fio. Job: one
setting, with all shapes in random order. Run: one shape in one job. A job with missing runs or
unmet requests is not used.
"""
from __future__ import annotations

import json
import random
import time
from argparse import Namespace
from dataclasses import dataclass, field
from math import floor, sqrt

from report import job as one_job
from report import samples
from report.command import USAGE, Failure
from report.types import Json, Setting

MIB = 1 << 20
LARGE_KIB, SMALL_KIB, HUGE_KIB = 1024, 4, 65536
DEPTHS = {SMALL_KIB: 32, LARGE_KIB: 4}  # requests of a process with libaio
RUN_MORE_S = 60  # seconds that a run may take longer
JOB_MORE_S = 300  # for prolog, epilog and restarts of the client
SLOWEST_MBS = 20  # minimum rate of creating the files
SHORT_MS = 1000
GROWS = 0.8  # minimum gain of a core, as a share of the first core's
FLAT = 0.9  # share of the maximum: more processes gain nothing


def setting_text(setting: Setting) -> str:
    cores, profile = setting
    return (f"{cores or 'no'} io-core{'' if cores == 1 else 's'}, "
            + (f"profile {profile}" if profile else "no profile"))


@dataclass(frozen=True)
class Shape:
    block_kib: int
    is_write: bool
    is_direct: bool
    is_async: bool = False
    processes: int = 1
    depth: int = 1
    is_alone: bool = False  # one process, with and without O_DIRECT

    @property
    def name(self) -> str:
        size = f"{self.block_kib // 1024}m" if self.block_kib >= 1024 else f"{self.block_kib}k"
        if self.is_alone:
            return f"{size}-{self.way}-{'direct' if self.is_direct else 'buffered'}"
        return f"{size}-{self.way}-{'async' if self.is_async else 'sync'}-{self.processes}"

    @property
    def way(self) -> str:
        return "write" if self.is_write else "read"

    @property
    def engine(self) -> str:
        return "libaio" if self.is_async else "psync"


LAYOUT = Shape(LARGE_KIB, True, False)  # creates the files


def all_shapes(processes: list[int]) -> list[Shape]:
    grid = [Shape(size, write, True, aio, count,
                  DEPTHS[size] if aio else 1)
            for size in (LARGE_KIB, SMALL_KIB) for aio in (False, True)
            for write in (False, True) for count in processes]
    return grid + [Shape(size, write, direct, is_alone=True) for size in (HUGE_KIB, SMALL_KIB)
                   for direct in (False, True) for write in (False, True)]


# ---- results of fio and of records -------------------------------------------------

@dataclass
class Run:
    shape: Shape
    bytes: int
    calls: int
    ms: int
    latency_us: float  # mean of one call; 0: unknown

    def rate(self, is_bytes: bool) -> float:
        return (self.bytes if is_bytes else self.calls) * 1000 / self.ms


def read_fio(text: str, shape: Shape) -> Run:
    """Parse the JSON of fio 3, after any notes before it.

    Raises: Failure
    """
    try:
        (job,) = json.loads(text[text.index("{"):])["jobs"]
        way = job[shape.way]
        latency_ns = float(way.get("lat_ns", {}).get("mean", 0))
        run = Run(shape, int(way["io_bytes"]), int(way["total_ios"]), int(way["runtime"]) or 1,
                  latency_ns / 1000)
        error = int(job.get("error", 0))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Failure("fio: its output is invalid") from None
    if error:
        raise Failure(f"fio: error {error}")
    if run.bytes <= 0 or run.calls <= 0 or run.ms < 0:
        raise Failure("fio: it moved nothing")
    return run


@dataclass
class Job:
    setting: Setting
    repeat: int
    id: str = ""
    node: str = ""
    mount: str = ""
    fstype: str = ""
    runs: dict[str, Run] = field(default_factory=dict)
    layout: Run | None = None
    record: Json | None = None  # its I/O in jobio's record
    quality: list[str] = field(default_factory=list)
    why: str = ""  # the first fault
    is_unmet: bool = False  # a request was not met
    agrees: bool = False  # fio and the record agree

    def set_fault(self, why: str) -> None:
        """Set the fault, unless there is one already."""
        self.why = self.why or why

    def fio(self, is_aio: bool = False) -> dict[str, int]:
        """Return bytes and calls by fio, or only those of libaio."""
        runs = [run for run in (self.layout, *self.runs.values())
                if run and (run.shape.is_async or not is_aio)]
        return {f"{way}_{what}": sum(getattr(run, what) for run in runs if run.shape.way == way)
                for way in ("read", "write") for what in ("bytes", "calls")}


class Calibration:
    """Plan and results of a calibration.

    Settings are shuffled in each round: an hour with busy servers is spread over all of them.
    """

    def __init__(self, settings: list[Setting], options: Namespace) -> None:
        """Make the plan.

        options: of the command line: repeats, seconds, processes, space, max_bytes, max_time
        Raises: Failure, if space or time are not sufficient
        """
        self.settings = settings
        self.repeats: int = options.repeats
        self.seconds: int = options.seconds
        self.profiles = list(dict.fromkeys(profile for _, profile in settings))
        self.processes: list[int] = options.processes
        self.shapes = all_shapes(self.processes)
        self.jobs = [Job(setting, repeat) for repeat in range(self.repeats)
                     for setting in random.sample(settings, len(settings))]
        most, least = self.processes[-1], HUGE_KIB // 1024
        self.file_bytes: int = options.space // most // MIB * MIB
        if self.file_bytes < least * MIB:
            raise Failure(f"--space: {most} files of at least {least} MiB need {most * least} MiB",
                          USAGE)
        runs, least = len(self.jobs) * len(self.shapes), max(most, least)
        self.run_bytes: int = options.max_bytes // (runs + 1)
        if self.run_bytes < least * MIB:
            raise Failure(f"--max-bytes: {runs} runs of at least {least} MiB need "
                          f"{(runs + 1) * least} MiB; fewer --io-cores, --profiles, --processes or "
                          "--repeats need less", USAGE)
        if self.all_s() // 60 > options.max_time // 60:
            raise Failure(f"--max-time: {len(self.jobs)} jobs of {len(self.shapes)} runs take "
                          f"about {self.all_s() // 60} minutes; more time, or fewer --io-cores, "
                          "--profiles, --processes, --repeats or --seconds", USAGE)

    def job_s(self) -> int:
        return len(self.shapes) * (self.seconds + 1)

    def all_s(self, jobs: int | None = None) -> int:
        """Return the seconds of so many jobs without time in the queue."""
        return (len(self.jobs) if jobs is None else jobs) * (self.job_s() + 10)

    def layout_s(self) -> int:
        return RUN_MORE_S + self.file_bytes * self.processes[-1] // MIB // SLOWEST_MBS

    def job_limit_s(self) -> int:
        return 2 * self.job_s() + self.layout_s() + JOB_MORE_S

    def text(self) -> str:
        """Return the lines of a job, NAME LIMIT_S OPTION...; the first creates the files, one for
        each process, with the same names in all runs."""
        always = ("--filename_format=data.$jobnum --group_reporting --randrepeat=0 --norandommap "
                  "--fallocate=none")
        lines = [f"layout {self.layout_s()} --rw=write --bs=1m --numjobs={self.processes[-1]} "
                 f"--size={self.file_bytes} --ioengine=psync --end_fsync=1 {always}"]
        for s in random.sample(self.shapes, len(self.shapes)):
            is_random = s.block_kib == SMALL_KIB and not s.is_alone
            flush = " --end_fsync=1" if s.is_write and not s.is_direct else ""
            lines.append(
                f"{s.name} {self.seconds + RUN_MORE_S} --rw={'rand' if is_random else ''}{s.way} "
                f"--bs={s.block_kib}k --numjobs={s.processes} --size={self.file_bytes} "
                f"--io_size={self.run_bytes // s.processes} --runtime={self.seconds} "
                f"--ioengine={s.engine} --iodepth={s.depth} "
                f"--direct={int(s.is_direct)}{flush} {always}")
        return "\n".join(lines) + "\n"

    # ---- results

    def add_run(self, job: Job, name: str, text: str) -> None:
        """Add fio's output of a run; name: that of a shape, or "layout"."""
        shape = next((s for s in self.shapes if s.name == name), LAYOUT)
        try:
            run = read_fio(text, shape)
        except Failure as failure:
            job.set_fault(f"{name}: {failure}")
            return
        if shape is LAYOUT:
            job.layout = run
        else:
            job.runs[name] = run

    def has_all_runs(self, job: Job) -> bool:
        return len(job.runs) == len(self.shapes)

    def is_whole(self, job: Job) -> bool:
        return not job.is_unmet and self.has_all_runs(job)

    def whole(self, setting: Setting) -> list[Job]:
        return [j for j in self.jobs if j.setting == setting and self.is_whole(j)]

    def cell(self, setting: Setting, shape: str) -> dict[str, list[float]]:
        runs = [job.runs[shape] for job in self.whole(setting)]
        return {"Bps": [r.rate(True) for r in runs], "iops": [r.rate(False) for r in runs],
                "latency_us": [r.latency_us for r in runs if r.latency_us > 0],
                "short": [r.ms for r in runs if r.ms < SHORT_MS]}

    def mean(self, setting: Setting, shape: str, what: str) -> float:
        values = self.cell(setting, shape)[what]
        return samples.mean(values) if values else 0


# ---- lines over io-cores, and constants --------------------------------------------

@dataclass(frozen=True)
class Metric:
    """A quantity that a core of the client limits, with the best number of processes and engine of
    each job."""
    name: str
    words: str
    is_write: bool
    is_bytes: bool
    key: str  # of [advice]

    def is_of(self, shape: Shape) -> bool:
        return (not shape.is_alone and shape.is_write == self.is_write
                and shape.block_kib == (LARGE_KIB if self.is_bytes else SMALL_KIB))

    def best(self, data: Calibration, job: Job) -> float:
        return max(job.runs[s.name].rate(self.is_bytes) for s in data.shapes if self.is_of(s))

    def of(self, data: Calibration, setting: Setting) -> list[float]:
        return [self.best(data, job) for job in data.whole(setting)]


METRICS = (Metric("read_Bps", "1 MiB read", False, True, "core_read_mbs"),
           Metric("write_Bps", "1 MiB written", True, True, "core_write_mbs"),
           Metric("read_iops", "4 KiB read", False, False, "core_read_iops"),
           Metric("write_iops", "4 KiB written", True, False, "core_write_iops"))


@dataclass
class Line:
    """value = per_core * io-cores, up to the number of cores where it stops growing."""
    count: int
    per_core: float
    spread: float | None
    grows_to: int
    profile: str | None


def fit(data: Calibration, profile: str | None, metric: Metric) -> Line | None:
    """Fit by least squares through the origin; None: no job with io-cores."""
    points = {cores: values for cores, of in sorted(data.settings, key=lambda s: s[0])
              if of == profile and cores and (values := metric.of(data, (cores, of)))}
    if not points:
        return None
    last = min(points)
    before = samples.mean(points[last])
    one = before / last
    for cores in list(points)[1:]:
        now = samples.mean(points[cores])
        if now - before < GROWS * one * (cores - last):
            break
        last, before = cores, now
    used = [(cores, value) for cores, values in points.items() if cores <= last
            for value in values]
    return Line(len(used), sum(c * v for c, v in used) / sum(c * c for c, _ in used),
                samples.spread([v / c for c, v in used]), last, profile)


def best_line(data: Calibration, metric: Metric) -> Line | None:
    """Return the line of the profile with the highest throughput of a core."""
    lines = [line for p in data.profiles if (line := fit(data, p, metric))]
    return max(lines, key=lambda line: line.per_core, default=None)


def best_setting(data: Calibration, metric: Metric) -> Setting | None:
    rates = {s: samples.mean(v) for s in data.settings if (v := metric.of(data, s))}
    return max(rates, key=lambda s: rates[s], default=None)


def enough(data: Calibration, setting: Setting, is_write: bool) -> int:
    """Return the fewest synchronous processes that reach nearly the maximum."""
    rates = {s.processes: data.mean(setting, s.name, "iops") for s in data.shapes
             if not s.is_alone and not s.is_async and s.block_kib == SMALL_KIB
             and s.is_write == is_write}
    return min(n for n, rate in rates.items() if rate >= FLAT * max(rates.values()))


def constants(data: Calibration, fstype: str) -> list[tuple[str, int, str]]:
    """Return keys of [advice] in jobio.conf(5), with values and their measurements."""
    found: list[tuple[str, int, str]] = []

    def add(key: str, value: float, origin: str) -> None:
        if 1 <= value <= 1e8:
            found.append((key, floor(value + 0.5), origin))

    rate: dict[str, float] = {}
    for metric in METRICS:
        line = best_line(data, metric)
        if line:
            rate[metric.name] = line.per_core
            add(metric.key, line.per_core / (1e6 if metric.is_bytes else 1),
                f"profile {line.profile or 'none'}, in proportion up to io-cores={line.grows_to}, "
                f"jobs: {line.count}" + (f", spread {line.spread / line.per_core * 100:.0f} %"
                                         if line.spread is not None else ""))
    for way in ("read", "write"):
        if rate.get(way + "_iops"):
            add(f"small_{way}_kb", rate[way + "_Bps"] / rate[way + "_iops"] / 1000,
                f"core_{way}_mbs / core_{way}_iops")
    calls = [us for s in data.settings for way in ("read", "write")
             if (us := data.mean(s, f"4k-{way}-direct", "latency_us"))]
    if calls:
        add("sync_call_us", max(min(calls), 1), "4 KiB, direct, one process")
    reads, writes = (best_setting(data, m) for m in METRICS[2:])
    if reads and writes and len({s.processes for s in data.shapes if not s.is_alone}) > 1:
        need = enough(data, reads, False), enough(data, writes, True)
        add("io_processes", max(need), f"4 KiB, synchronous: {need[0]} processes read "
            f"{FLAT * 100:.0f} % of the most, {need[1]} write it")
    if fstype == "lustre":
        direct, buffered = (max(data.mean(s, f"64m-write-{way}", "Bps") for s in data.settings)
                            for way in ("direct", "buffered"))
        if direct > buffered > 0:
            add("lustre_write_mbs", sqrt(direct * buffered) / 1e6, f"64 MiB: {direct / 1e6:.0f} "
                f"MB/s direct, {buffered / 1e6:.0f} buffered")
    if fstype.startswith("nfs") and reads:
        add("nfs_ops_per_s", samples.mean(METRICS[2].of(data, reads)), "4 KiB read, one node")
    return found


# ---- calibration.json and advice.conf ----------------------------------------------

def stamp(when_s: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when_s))


def six(value: float) -> float:
    return float(f"{value:.6g}")


def shape_json(data: Calibration, setting: Setting, s: Shape) -> Json:
    cell = data.cell(setting, s.name)
    return {"shape": s.name, "block_bytes": s.block_kib * 1024, "write": s.is_write,
            "direct": s.is_direct, "engine": s.engine, "processes": s.processes, "depth": s.depth,
            **{key: samples.to_json(cell[key], six) for key in ("Bps", "iops", "latency_us")},
            "short_runs": len(cell["short"])}


def job_json(data: Calibration, job: Job) -> Json:
    return {"job": job.id or None, "node": job.node or None, "io_cores": job.setting[0],
            "profile": job.setting[1], "repeat": job.repeat, "counts": data.is_whole(job),
            "fio": job.fio(), "record": job.record and {**job.record, "quality": job.quality},
            "agrees": job.agrees, "why": job.why or None,
            "runs": [{"shape": name, "bytes": r.bytes, "calls": r.calls, "ms": r.ms,
                      "latency_us": six(r.latency_us)} for name, r in job.runs.items()]}


def to_json(data: Calibration, about: Json, advice: list[tuple[str, int, str]],
            ) -> Json:
    """Return the object of calibration.json, described in jobio-calibrate(1)."""
    lines = [(p, m, line) for p in data.profiles for m in METRICS if (line := fit(data, p, m))]
    return {
        "jobio_calibration": 1, **about,
        "settings": [{"io_cores": s[0], "profile": s[1],
                      "shapes": [shape_json(data, s, shape) for shape in data.shapes]}
                     for s in data.settings],
        "per_core": [{"profile": p, "metric": m.name, "per_core": six(line.per_core),
                      "spread": line.spread and six(line.spread), "grows_to": line.grows_to,
                      "samples": line.count} for p, m, line in lines],
        "advice": {key: value for key, value, _ in advice},
        "jobs": [job_json(data, job) for job in data.jobs]}


def advice_conf(about: Json, advice: list[tuple[str, int, str]]) -> str:
    words = [about["end"], about["cluster"] and "cluster " + about["cluster"]]
    head = (f"# jobio calibrate, {', '.join(filter(None, words))}: "
            f"{', '.join(filter(None, (about['directory'], about['fstype'])))}\n"
            "# in jobio.conf: [advice] calibration = /path/of/this/file\n[advice]\n")
    return head + "".join(f"# {origin}\n{key} = {value}\n" for key, value, origin in advice)


# ---- fio and jobio -----------------------------------------------------------------

# Bytes that a record may differ by: fio's own output, and a rounded summary; with all_files also
# libraries, /proc and /sys, and messages of fio's processes, for each run.
UNMET = {"started": "a node refused it", "profile": "its profile was not applied",
         "cores": "the client did not work on its io-cores"}
AGREE_BYTES, AGREE_FILES_BYTES = MIB, 4 * MIB
# With these flags a record may have fewer bytes.
LESS = frozenset((
    "baseline_missing", "node_rebooted", "no_step", "step_missing", "counter_reset", "remounted",
    "unmounted", "mount_below", "mounted_late", "private_mount", "plugin_away", "truncated",
    "other"))


def disagreement(job: Job, shapes: int) -> str:
    """Return the difference of fio and the record that no flag of the record explains, or ""."""
    flags, fio, aio, record = set(job.quality), job.fio(), job.fio(True), job.record or {}
    for way, name in (("read", "read"), ("write", "written")):
        key = way + "_bytes"
        moved, recorded = fio[key], record.get(key)
        slack = moved // 100 + AGREE_BYTES
        least, most = moved - slack, moved + slack
        may_be_less = bool(flags & (LESS | {"lower_bound_" + way}))
        if "aio_missing" in flags:
            least -= aio[key]
        if flags & {"all_files", "includes_stepd"}:
            most += AGREE_FILES_BYTES * (shapes + 1)
        if recorded is None:
            if not may_be_less:
                return f"its record has no number of bytes {name}"
        elif recorded > most or (recorded < least and not may_be_less):
            return (f"bytes {name}: {moved} by fio, {recorded} in jobio's record "
                    f"({record['source']}), and no flag of the record explains it")
    return ""


def is_above(mount: str | None, folder: str) -> bool:
    """Return True for a mount point above the folder, and for None: all files."""
    return mount is None or (folder + "/").startswith(mount.rstrip("/") + "/")


def unmet(job: Job, words: list[str]) -> str:
    """Return the first request of the job that was not met; "": none.

    words: of the summary
    """
    requested = {"profile": job.setting[1], "cores": job.setting[0]}
    found = [why for word, why in UNMET.items() if word in words and requested.get(word, True)]
    return found[0] if found else ""


def judge(data: Calibration, job: Job, found: one_job.Job, folder: str) -> None:
    """Compare a job with its record; the fault is set in job.why."""
    record: Json | None = None
    s = found.summary
    if found.run.nodes:
        lines = [line for line in found.run.lines if line.kind == "app" and line.scope == "job"
                 and is_above(line.fs, folder)]
        nearest = max(lines, key=lambda line: len(line.fs or ""), default=None)
        record = nearest.json if nearest else None
        job.node = found.run.nodes[0].node
    elif s.scope == "job":
        record = {**found.totals, "source": s.src or "summary"}
    mounts = [mount for mount in found.run.mounts if is_above(mount.mount, folder)]
    if mounts:
        mount = max(mounts, key=lambda mount: len(mount.mount))
        job.mount, job.fstype = mount.mount, mount.fstype or ""
    job.quality = s.flags
    if record:
        job.record = {key: record.get(key) for key in (*job.fio(), "source")}
        why = disagreement(job, len(data.shapes))
    else:
        why = "its record has nothing of the job alone about these files"
    job.agrees = not why
    fault = unmet(job, s.unmet)
    job.is_unmet = bool(fault)
    job.set_fault(f"{fault}; see jobio report -v {job.id}" if fault else why)
