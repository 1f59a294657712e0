# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: jobio calibrate --dir=DIR [OPTION]... [-- SBATCH-OPTION...]

Measures with fio, in jobs of its own, what one node reads and writes below DIR
with each number of io-cores and each profile, compares jobio's records of these
jobs with fio, and writes calibration.json, three plots and the constants for
advice.

  --dir=DIR            a folder of yours on the filesystem
  --output=FOLDER      where the results go; default calibration
  --io-cores=LIST      0,1,2; default 0 and all that site and nodes allow
  --profiles=LIST      none,stream; default none and all of jobio.conf
  --processes=LIST     of fio; default 1,2,4,8,16,32
  --repeats=N          of each; default 3
  --seconds=N          that each run lasts at most; default 3
  --max-time=TIME      for all, waiting included; default 8:00:00
  --max-bytes=SIZE     to read and write in all; default 16T
  --space=SIZE         of the files; default 8G
  --fio=PATH           of fio on the nodes; default fio
  --dry-run            say what would be done, and refuse what would fail
  --conf=FILE          instead of {conf}

Exit status: 0; 1 when a job failed, or its record and fio disagree; 2 bad
usage; 130 after Ctrl-C."""
# jobio calibrate: measure what io-cores, profiles and ways of I/O are worth, with fio in jobs
# of its own.
from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import sys
import tempfile
import threading
import time
from functools import partial
from importlib.util import find_spec
from math import ceil

from report import calibration, paths, record, sacct, units
from report.calibration import Calibration, Job, Plan, setting_text
from report.command import FAILED, USAGE, Failure, nearest
from report.ledger import Ledger
from report.options import VALUE, Option, number, parse, usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn, TypeVar

    from report.calibration import Setting

    Settings = dict[str, Any]

    T = TypeVar("T")

OPTIONS = [*(Option(name, value=VALUE) for name in (
    "dir", "output", "io-cores", "profiles", "processes", "repeats", "seconds", "max-time",
    "max-bytes", "space", "fio", "conf")), Option("dry-run")]
PREFIX = "jobio-calibrate."
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
COMMAND_S = 30  # for a command of Slurm's, or a look at the filesystem
REMOVE_S = 300
PATIENCE_S = 20  # a prolog on this host may be mounting the filesystem anew
POLL_FIRST_S, POLL_MAX_S = 0.2, 10.0
SQUEUE_DOWN_S = 300  # slurmctld restarts
END_S = 90  # for cancelled jobs to end
FAILED_MAX = 3  # before any job has succeeded
# slurm_protocol_defs.c:job_state_reason_string(): those that wait for a person
HOPELESS = ("BadConstraints", "JobHeldAdmin", "JobHeldUser", "PartitionNodeLimit",
            "PartitionTimeLimit", "PartitionInactive", "DependencyNeverSatisfied",
            "AccountNotAllowed", "QOSNotAllowed", "InvalidAccount", "InvalidQOS")


class Stopped(Exception):
    """Ctrl-C, SIGTERM or SIGHUP."""


def say(text: str) -> None:
    print("jobio: calibrate: " + text, file=sys.stderr)


# ---- the command line --------------------------------------------------------------

def size(name: str, text: str) -> int:
    match = re.fullmatch(r"([1-9]\d{0,11})([KMGT]?)", text)
    if match and (not match[2] or len(match[1]) < 8):
        return int(match[1]) << 10 * " KMGT".index(match[2] or " ")
    raise Failure(f"--{name}: '{text}': expected a size like 800M, 8G or 16T", USAGE)


def duration(name: str, text: str) -> int:
    """"480", "480:00" and "8:00:00" are the same, as in sbatch --time."""
    total = 0
    if re.fullmatch(r"\d{1,6}(:[0-5]?\d){0,2}", text):
        for part in text.split(":"):
            total = total * 60 + int(part)
    if not total:
        raise Failure(f"--{name}: '{text}': expected minutes, minutes:seconds or "
                      "hours:minutes:seconds", USAGE)
    return total if ":" in text else total * 60


def numbers(name: str, text: str, least: int, most: int, room: int) -> list[int]:
    found = [number(name, word, least, most) for word in text.split(",") if word]
    if not found or sorted(set(found)) != found or len(found) > room:
        raise Failure(f"--{name}: '{text}': expected at most {room} numbers, each larger than the "
                      "one before", USAGE)
    return found


class Wish:
    """What the command line says."""

    def __init__(self, args: list[str]) -> None:
        given, self.extra = parse("calibrate", OPTIONS, args, words_last=True)
        if self.extra and "--" not in args:
            raise Failure(f"'{self.extra[0]}': one word too many; what is for sbatch stands "
                          "behind --", USAGE)
        self.given = dict(given)
        self.repeats = number("repeats", self.text("repeats", "3"), 1, 100)
        self.seconds = number("seconds", self.text("seconds", "3"), 1, 3600)
        self.max_s = duration("max-time", self.text("max-time", "8:00:00"))
        self.max_bytes = size("max-bytes", self.text("max-bytes", "16T"))
        self.space_bytes = size("space", self.text("space", "8G"))
        self.output = self.text("output", "calibration")
        self.fio = self.text("fio", "fio")
        self.dir = self.given.get("dir") or ""

    def text(self, name: str, default: str) -> str:
        return self.given.get(name) or default


# ---- which settings ----------------------------------------------------------------

def settings_of(conf: str | None) -> Settings:
    """What jobio.conf lets jobs ask for (tools/settings.h)."""
    ledger = Ledger(conf)
    told = ledger.ask(op="settings")
    ledger.close()
    if not told.get("ok"):
        raise Failure(str(told.get("error")))
    return {**told, "own_cores": {p["name"]: p["io_cores"] for p in told["profiles"]}}


def wanted_profiles(wish: Wish, conf: Settings) -> list[str | None]:
    text = wish.given.get("profiles")
    own, default = conf["own_cores"], conf["profile_default"]
    names = text.split(",") if text else [*([] if default else ["none"]), *own]
    for name in names:
        if name == "none" and default:
            raise Failure(f"--profiles: 'none': a job that names none gets {default} here "
                          "(profile_default)", USAGE)
        if name != "none" and name not in own:
            near = nearest(name, list(own))
            raise Failure(f"--profiles: '{name}': no such [profile]"
                          + (f"; is it '{near}'?" if near else ""), USAGE)
    return [None if name == "none" else name for name in names]


def wanted_cores(wish: Wish, conf: Settings) -> list[int]:
    least, most = conf["io_cores_min"], conf["io_cores_max"]
    text = wish.given.get("io-cores")
    if not text:
        return [0, *range(least, most + 1)]
    cores = numbers("io-cores", text, 0, most, most + 1)
    for core in cores:
        if 0 < core < least:
            raise Failure(f"--io-cores: '{core}': this site allows 0, and {least} to {most}", USAGE)
    return cores


def given_cores(setting: Setting, conf: Settings) -> str:
    """What makes a job without io-cores impossible: it gets those of its profile, or of the
    site."""
    cores, profile = setting
    own, default = conf["own_cores"].get(profile), conf["io_cores_default"]
    if cores or not (own or default):
        return ""
    return (f"[profile {profile}] io_cores = {own}" if own
            else f"[option] io_cores_default = {default}") + " gives it some"


def keep(settings: list[Setting], speaks_against: Callable[[Setting], str], is_strict: bool,
         ) -> list[Setting]:
    """Those that nothing speaks against; the others are left out or, where they were asked for,
    refused."""
    kept, why = [], ""
    for setting in settings:
        no = speaks_against(setting)
        if not no:
            kept.append(setting)
            continue
        why = f"{setting_text(setting)}: {no}"
        if is_strict:
            raise Failure(why)
        say(why + "; left out")
    if not kept:
        raise Failure(f"nothing is left to measure: {why}")
    return kept


# ---- Slurm and the filesystem ------------------------------------------------------

class Slurm:
    def __init__(self, wish: Wish) -> None:
        self.name = "jobio-calibrate-" + secrets.token_hex(6)
        self.wish = wish
        self.limit_s = 0  # of a job
        self.script = os.path.join(paths.REPORT, "calibrate-job")

    def words(self, setting: Setting, folder: str, job: int, more: list[str]) -> list[str]:
        cores, profile = setting
        return ["--parsable", "--job-name=" + self.name, *more, "--nodes=1", "--ntasks=1",
                "--exclusive", "--no-requeue", f"--time={ceil(self.limit_s / 60)}",
                "--chdir=" + folder, f"--output={job}.out",
                *([f"--io-cores={cores}"] if cores else []),
                *(["--io-profile=" + profile] if profile else []),
                *self.wish.extra, self.script, folder, str(job), self.wish.fio]

    def refuses(self, setting: Setting) -> str:
        """What Slurm says against such a job; nothing is submitted."""
        try:
            sacct.run_program("sbatch", self.words(setting, "/", 0, ["--test-only"]))
        except Failure as failure:
            return str(failure)
        return ""

    def submit(self, setting: Setting, folder: str, job: int) -> str:
        words = self.words(setting, folder, job, ["--dependency=singleton"])
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # half a submission may be a job
        try:
            said = sacct.run_program("sbatch", words).split("\n")[0]
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        number_ = said.split(";")[0]
        if not number_.isdigit():
            raise Failure(f"sbatch: '{said}': not a job id")
        return number_

    def queue(self) -> dict[str, list[str]]:
        """Job: state, reason, node."""
        out = sacct.run_program("squeue", ["-h", "--name=" + self.name, "-o", "%i|%T|%r|%N"])
        rows = [line.split("|") for line in out.splitlines()]
        return {row[0]: row[1:] for row in rows if len(row) == 4}

    def cancel(self, job: str = "") -> None:
        sacct.run_program("scancel", ["--name=" + self.name, *([job] if job else [])])


def bounded(what: str, seconds: float, call: Callable[[], T]) -> T:
    """A filesystem may hang: nobody waits for it for ever."""
    done: list[Any] = []

    def work() -> None:
        try:
            done.append((call(), None))
        except (OSError, Failure) as error:
            done.append((None, error))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if not done:
        raise Failure(f"'{what}': no answer within {seconds:.0f} s")
    value, error = done[0]
    if isinstance(error, OSError):
        raise Failure(f"'{error.filename or what}': {error.strerror}")
    if error:
        raise error
    return value  # type: ignore[no-any-return]


def check_folder(folder: str, need: int) -> str:
    """The folder's real name: it is there, writable, and has room."""
    try:
        real = os.path.realpath(folder, strict=True) if sys.version_info >= (3, 10) \
            else os.path.realpath(folder)
        fs = os.statvfs(real)
    except OSError as error:
        raise Failure(f"'{folder}': cannot be used: {error.strerror}") from None
    free = fs.f_bavail * fs.f_frsize
    if free < need:
        raise Failure(f"'{folder}': {free >> 20} MiB are free, and {need >> 20} MiB are needed; "
                      "see --space")
    if not os.path.isdir(real) or not os.access(real, os.W_OK | os.X_OK):
        raise Failure(f"'{folder}': cannot make a folder there")
    return real


def await_folder(path: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not os.path.exists(path) and time.monotonic() < end:
        time.sleep(0.2)


def put(path: str, text: str) -> None:
    """Whole, or not at all."""
    await_folder(os.path.dirname(path))
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def read_folder(folder: str, job: int) -> dict[str, str]:
    """What a job has written: NAME of NUMBER.NAME, and the text."""
    await_folder(folder)
    texts = {}
    for entry in os.listdir(folder):
        if entry.startswith(f"{job}."):
            with open(os.path.join(folder, entry), encoding="utf-8", errors="replace") as file:
                texts[entry.split(".", 1)[1]] = file.read(1 << 20)
    return texts


# ---- the work ----------------------------------------------------------------------

class Watch:
    def __init__(self, wish: Wish, plan: Plan, slurm: Slurm, patience_s: float) -> None:
        self.wish, self.plan, self.slurm, self.patience_s = wish, plan, slurm, patience_s
        self.data = Calibration(plan.settings, plan.shapes, [Job(*turn) for turn in plan.turns])
        self.folder = self.cluster = self.doing = ""
        self.start, self.start_s = time.monotonic(), time.time()
        self.heard = self.start  # squeue's last answer
        self.waiting: list[int] = []

    def progress(self, text: str) -> None:
        minutes = int(time.monotonic() - self.start) // 60
        print(f"[{minutes:3} min] {text}", file=sys.stderr)

    def submit(self) -> None:
        for at, job in enumerate(self.data.jobs):
            text, path = self.plan.text(), os.path.join(self.folder, f"{at}.plan")
            bounded(path, COMMAND_S, partial(put, path, text))
            job.id = self.slurm.submit(job.setting, self.folder, at)
        self.waiting = list(range(len(self.data.jobs)))

    def collect(self, at: int) -> None:
        job, said = self.data.jobs[at], ""
        try:
            texts = bounded(self.folder, COMMAND_S, lambda: read_folder(self.folder, at))
        except Failure as failure:
            texts = {}
            job.blame(str(failure))
        for name, text in texts.items():
            if name == "out":
                said = text.split("\n")[0]
            elif name.endswith(".json"):
                self.data.take(job, name[:-5], text)
        if len(job.runs) < len(self.plan.shapes):
            job.blame(f"{len(job.runs)} of {len(self.plan.shapes)} runs"
                      + (f": {said}" if said else ""))
        self.waiting.remove(at)

    def look(self, at: int, state: str, reason: str, node: str) -> None:
        """What a queued job does; one that will never start is cancelled."""
        job = self.data.jobs[at]
        is_running = state != "PENDING"
        if not is_running and (reason in HOPELESS
                               or reason.startswith(("launch failed", "launch_failed"))):
            job.blame(f"Slurm does not start it: {reason}")
            self.slurm.cancel(job.id)
        if is_running:
            job.node = job.node or node
        if is_running or not self.doing:
            self.doing = (f"; job {job.id} "
                          + (f"runs on {node}" if is_running else f"waits: {reason}")
                          + f" ({setting_text(job.setting)})")

    def give_up(self, why: str) -> None:
        say(why + ": the jobs that are left are cancelled")
        for at in self.waiting:
            self.data.jobs[at].blame(why + self.doing)
        self.waiting = []
        self.slurm.cancel()

    def over(self) -> list[Job]:
        return [job for at, job in enumerate(self.data.jobs) if at not in self.waiting]

    def is_hopeless(self) -> bool:
        """Nothing has worked so far. A gate may refuse all jobs without io-cores, and those
        alone."""
        failed = [job for job in self.over() if job.why]
        return (FAILED_MAX <= len(failed) == len(self.over()) and
                {job.setting[0] > 0 for job in failed} == {s[0] > 0 for s in self.plan.settings})

    def tell(self) -> None:
        failed = sum(1 for job in self.over() if job.why)
        self.progress(f"{len(self.over())} of {len(self.data.jobs)} over"
                      + (f", {failed} failed" if failed else "")
                      + f", about {(self.plan.all_s(len(self.waiting)) + 30) // 60} min to go"
                      + self.doing)

    def ask(self) -> None:
        """Look at what is queued, and collect what is no more."""
        queued = self.slurm.queue()
        self.heard, self.doing = time.monotonic(), ""
        for at in list(self.waiting):
            if self.data.jobs[at].id in queued:
                self.look(at, *queued[self.data.jobs[at].id])
            else:
                self.collect(at)

    def wait(self) -> None:
        poll, before = POLL_FIRST_S, ""
        while self.waiting:
            count = len(self.waiting)
            try:
                self.ask()
            except Failure:
                if time.monotonic() - self.heard > SQUEUE_DOWN_S:
                    raise
            if self.waiting and self.is_hopeless():
                self.give_up("the first jobs have all failed")
            elif self.waiting and time.monotonic() - self.start >= self.plan.max_s:
                self.give_up("--max-time is over")
            is_news = len(self.waiting) < count
            if is_news or self.doing != before:
                self.tell()
            poll = POLL_FIRST_S if is_news else min(poll * 1.5, POLL_MAX_S)
            before = self.doing
            time.sleep(poll if self.waiting else 0)

    # ---- jobio's own records

    def judge(self) -> None:
        """Wait for the records of the jobs, and compare them."""
        left = [j for j in self.data.jobs if j.id and len(j.runs) == len(self.plan.shapes)]
        end = time.monotonic() + self.patience_s
        why, before = "", len(left) + 1
        while left:
            why = self.judge_all(left)
            if not left or time.monotonic() > end:
                break
            if len(left) < before:
                self.progress(f"waiting for jobio's records, missing: {len(left)}")
            before = len(left)
            time.sleep(1)
        for job in left:
            job.disagrees = True
            job.blame("jobio has no record of it" + (f": {why}" if why else ""))

    def judge_all(self, left: list[Job]) -> str:
        """Those that have a record are judged, and not left; why others have none."""
        source, why = record.Source("calibrate", self.wish.given.get("conf"), advice=False), ""
        try:
            source.start_sacct(sacct.query(jobs=",".join(job.id for job in left)))
            for job in list(left):
                try:
                    found = source.job(job.id)
                except Failure as failure:
                    why = str(failure)
                    continue
                if found.nodes or found.summary.nodes_seen:
                    self.cluster = found.cluster or self.cluster
                    self.judge_one(job, found)
                    left.remove(job)
        finally:
            source.close()
        return why

    def judge_one(self, job: Job, found: record.Job) -> None:
        told, mounts = None, []
        if found.nodes:
            lines = [line for line in found.lines if line["kind"] == "app"
                     and line["scope"] == "job"]
            told = calibration.nearest(self.folder, lines, "fs")
            mounts = [m for client, _ in found.clients for m in client.get("mounts") or []]
        elif found.summary.scope == "job":
            told = {**found.totals, "source": found.summary.src or "summary"}
        calibration.judge(self.data, job, told, found.nodes[0]["node"] if found.nodes else "",
                          found.summary.flags, lack_of(job, found.summary.lacks), mounts,
                          self.folder)

    # ---- results

    def problems(self) -> int:
        wrong = [job for job in self.data.jobs if job.why]
        for job in wrong:
            say(f"job {job.id or '-'}{' on ' + job.node if job.node else ''} "
                f"({setting_text(job.setting)}): {job.why}")
        return len(wrong)

    def write(self) -> None:
        place = next((job for job in self.data.jobs if job.mount), self.data.jobs[0])
        plan, output = self.plan, self.wish.output
        about: dict[str, Any] = {
            "jobio": paths.PACKAGE.split()[-1], "start": calibration.stamp(self.start_s),
            "end": calibration.stamp(time.time()), "cluster": self.cluster or None,
            "directory": os.path.dirname(self.folder), "mount": place.mount,
            "fstype": place.fstype, "repeats": plan.repeats, "seconds": plan.seconds,
            "file_bytes": plan.file_bytes, "run_bytes": plan.run_bytes}
        advice = calibration.constants(self.data, place.fstype)
        data = calibration.to_json(self.data, about, advice)
        names = ["calibration.json", "advice.conf"]
        put(f"{output}/{names[0]}", json.dumps(data) + "\n")
        put(f"{output}/{names[1]}", calibration.advice_conf(about, advice))
        if find_spec("matplotlib"):
            from report import calibration_plots

            for name, text in calibration_plots.draw(self.data).items():
                put(f"{output}/{name}", text)
                names.append(name)
        for key, value, origin in advice:
            print(f"{key:<16} {value:>10}  {origin}")
        print(f"written: {output}/{{{','.join(names)}}}")

    def end(self) -> bool:
        """Cancel what is left, remove the folder; False: something may be left."""
        is_clean = self.cancel_all()
        try:
            if self.folder:
                bounded(self.folder, REMOVE_S, lambda: shutil.rmtree(self.folder))
        except Failure as failure:
            say(str(failure))
            return False
        return is_clean

    def cancel_all(self) -> bool:
        try:
            end, poll = time.monotonic() + END_S, 0.2
            left = self.slurm.queue()
            if left:
                self.slurm.cancel()
            while left and time.monotonic() < end:
                time.sleep(poll)
                poll = min(poll + 0.1, 1)
                left = self.slurm.queue()
            why = "they do not end" if left else ""
        except Failure as failure:
            why = str(failure)
        if why:
            say(f"jobs may be left: {why}; scancel --name={self.slurm.name}")
        return not why


def lack_of(job: Job, lacks: list[str]) -> str:
    if "started" in lacks:
        return "a node refused it"
    if job.setting[1] and "profile" in lacks:
        return "its profile was not applied"
    if job.setting[0] and "cores" in lacks:
        return "the client did not work on its io-cores"
    return ""


# ---- main --------------------------------------------------------------------------

def check(wish: Wish, plan: Plan, slurm: Slurm) -> str:
    """All that can be known before: --dry-run and the run refuse the same. The folder's real
    name."""
    if not os.access(slurm.script, os.R_OK):
        raise Failure(f"'{slurm.script}': cannot read it: jobio is not installed whole")
    for name in ("sbatch", "squeue", "scancel"):
        if not paths.program(name):
            raise Failure(f"{name}: there is no {name} in PATH")
    output, parent = wish.output, os.path.dirname(os.path.abspath(wish.output))
    place = output if os.path.lexists(output) else parent
    if not os.path.isdir(place):
        raise Failure(f"--output: '{output}': cannot write there: Not a directory")
    if not os.access(place, os.W_OK | os.X_OK):
        raise Failure(f"--output: '{output}': cannot write there: Permission denied")
    if not find_spec("matplotlib"):
        say("matplotlib is missing: no plots will be drawn; install python3-matplotlib")
    return bounded(wish.dir, COMMAND_S, lambda: check_folder(wish.dir, plan.space_bytes))


def say_plan(plan: Plan, folder: str) -> None:
    jobs, settings = len(plan.turns), len(plan.settings)
    files = units.size(plan.file_bytes * plan.processes[-1])
    print(f"{jobs} job{'s' if jobs > 1 else ''} of {len(plan.shapes)} runs ({settings} "
          f"setting{'s' if settings > 1 else ''}, repeats: {plan.repeats}), about "
          f"{ceil(plan.all_s() / 60)} min when none waits; files of {files} below {folder}, at "
          f"most {units.size(plan.max_bytes)} read and written", file=sys.stderr)


def make_folder(real: str) -> tuple[int, str]:
    """How many others there are, and ours."""
    count = sum(1 for name in os.listdir(real) if name.startswith(PREFIX))
    return count, tempfile.mkdtemp(prefix=PREFIX, dir=real)


def work(watch: Watch, real: str) -> int:
    wish = watch.wish
    count, watch.folder = bounded(wish.dir, COMMAND_S, lambda: make_folder(real))
    if count:
        say(f"'{wish.dir}': others run there, or were killed ({PREFIX}*: {count}): if they run, "
            "all measure less")
    watch.submit()
    watch.wait()
    watch.judge()
    wrong = watch.problems()
    if not any(watch.data.is_whole(job) for job in watch.data.jobs):
        raise Failure("no job has measured anything")
    os.makedirs(wish.output, exist_ok=True)
    watch.write()
    return FAILED if wrong else 0


def stop(signum: int, frame: object) -> NoReturn:
    for number_ in SIGNALS:
        signal.signal(number_, signal.SIG_IGN)
    raise Stopped


def measure(watch: Watch, real: str) -> int:
    status = FAILED
    for number_ in SIGNALS:
        signal.signal(number_, stop)
    try:
        status = work(watch, real)
    except Stopped:
        say("stopped; cancelling its jobs, removing its files")
        status = 130
    except (Failure, OSError) as error:
        say(str(error))
    finally:
        for number_ in SIGNALS:
            signal.signal(number_, signal.SIG_IGN)
        is_clean = watch.end()
    return status if is_clean else status or FAILED


def main(args: list[str]) -> int:
    wish = Wish(args)
    if "help" in wish.given:
        return usage(__doc__)
    if not wish.dir:
        raise Failure("--dir: which folder?", USAGE)
    conf = settings_of(wish.given.get("conf"))
    slurm = Slurm(wish)
    processes = numbers("processes", wish.text("processes", "1,2,4,8,16,32"), 1, 1024, 8)
    wanted = [(c, p) for p in wanted_profiles(wish, conf) for c in wanted_cores(wish, conf)]

    def plan_of(settings: list[Setting]) -> Plan:
        plan = Plan(settings, processes, wish.repeats, wish.seconds, wish.max_s, wish.space_bytes,
                    wish.max_bytes)
        plan.make()
        return plan

    plan = plan_of(keep(wanted, lambda setting: given_cores(setting, conf), False))
    real = check(wish, plan, slurm)
    slurm.limit_s = plan.job_limit_s()
    plan = plan_of(keep(plan.settings, slurm.refuses, "io-cores" in wish.given))
    say_plan(plan, wish.dir)
    if "dry-run" in wish.given:
        return 0
    patience_s = conf["ledger"]["grace_s"] + 2 * conf["ledger"]["send_timeout_ms"] / 1000
    return measure(Watch(wish, plan, slurm, patience_s), real)
