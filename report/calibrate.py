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
# jobio calibrate: measure the throughput of io-cores, profiles and kinds of I/O with jobs of fio.
from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from importlib.util import find_spec
from math import ceil

from report import calibration, files, paths, program, record, sacct, units
from report.calibration import Calibration, Job, setting_text
from report.command import FAILED, SIGNALS, USAGE, Failure, nearest, on_signals
from report.ledger import Ledger
from report.options import number, numbered, read
from report.types import Json, Setting, Take

PREFIX = "jobio-calibrate."
LOOK_S = 30  # timeout of a query of the filesystem
PATIENCE_S = 20  # a prolog on this host may be remounting the filesystem
POLL_FIRST_S, POLL_MAX_S = 0.2, 10.0
SQUEUE_DOWN_S = 300  # slurmctld restarts
END_S = 90  # for cancelled jobs to end
FAILED_MAX = 3  # failed jobs before the first success
# slurm_protocol_defs.c:job_state_reason_string(): reasons that do not end by waiting
HOPELESS = ("BadConstraints", "JobHeldAdmin", "JobHeldUser", "PartitionNodeLimit",
            "PartitionTimeLimit", "PartitionInactive", "DependencyNeverSatisfied",
            "AccountNotAllowed", "QOSNotAllowed", "InvalidAccount", "InvalidQOS",
            "launch failed", "launch_failed")


def say(text: str) -> None:
    print("jobio: calibrate: " + text, file=sys.stderr)


# ---- the command line --------------------------------------------------------------

def size(name: str, text: str) -> int:
    match = re.fullmatch(r"([1-9]\d{0,11})([KMGT]?)", text)
    if match and (not match[2] or len(match[1]) < 8):
        return int(match[1]) << 10 * " KMGT".index(match[2] or " ")
    raise Failure(f"--{name}: '{text}': expected a size like 800M, 8G or 16T", USAGE)


def duration(name: str, text: str) -> int:
    """Return seconds of a time as in sbatch --time: "480", "480:00" and "8:00:00" are equal."""
    total = 0
    if re.fullmatch(r"\d{1,6}(:[0-5]?\d){0,2}", text):
        for part in text.split(":"):
            total = total * 60 + int(part)
    if not total:
        raise Failure(f"--{name}: '{text}': expected minutes, minutes:seconds or "
                      "hours:minutes:seconds", USAGE)
    return total if ":" in text else total * 60


def numbers(name: str, text: str, least: int = 1, most: int = 1024, room: int = 8) -> list[int]:
    found = [number(name, word, least, most) for word in text.split(",") if word]
    if not found or sorted(set(found)) != found or len(found) > room:
        raise Failure(f"--{name}: '{text}': expected at most {room} numbers, each larger than the "
                      "one before", USAGE)
    return found


TAKES: dict[str, Take] = {
    "processes": numbers, "repeats": numbered(1, 100), "seconds": numbered(1, 3600),
    "max-time": duration, "max-bytes": size, "space": size}
USUAL = {"output": "calibration", "processes": [1, 2, 4, 8, 16, 32], "repeats": 3, "seconds": 3,
         "max-time": 8 * 3600, "max-bytes": 16 << 40, "space": 8 << 30, "fio": "fio"}


# ---- settings ----------------------------------------------------------------------

def settings_of(conf: str | None) -> Json:
    """Return the settings of jobio.conf for jobs (tools/settings.h)."""
    with closing(Ledger(conf)) as ledger:
        told = ledger.ask(op="settings")
    if not told.get("ok"):
        raise Failure(str(told.get("error")))
    return {**told, "own_cores": {p["name"]: p["io_cores"] for p in told["profiles"]}}


def wanted_profiles(wish: Json, conf: Json) -> list[str | None]:
    own, default = conf["own_cores"], conf["profile_default"]
    names = [*([] if default else ["none"]), *own]
    if "profiles" in wish:
        names = wish["profiles"].split(",")
    for name in names:
        if name == "none" and default:
            raise Failure(f"--profiles: 'none': a job that names none gets {default} here "
                          "(profile_default)", USAGE)
        if name != "none" and name not in own:
            near = nearest(name, list(own))
            raise Failure(f"--profiles: '{name}': no such [profile]"
                          + (f"; is it '{near}'?" if near else ""), USAGE)
    return [None if name == "none" else name for name in names]


def wanted_cores(wish: Json, conf: Json) -> list[int]:
    least, most = conf["io_cores_min"], conf["io_cores_max"]
    if "io-cores" not in wish:
        return [0, *range(least, most + 1)]
    cores = numbers("io-cores", wish["io-cores"], 0, most, most + 1)
    for core in cores:
        if 0 < core < least:
            raise Failure(f"--io-cores: '{core}': this site allows 0, and {least} to {most}", USAGE)
    return cores


def given_cores(setting: Setting, conf: Json) -> str:
    """Return the setting that gives a job without io-cores some; "": none."""
    cores, profile = setting
    own, default = conf["own_cores"].get(profile), conf["io_cores_default"]
    if cores or not (own or default):
        return ""
    return (f"[profile {profile}] io_cores = {own}" if own
            else f"[option] io_cores_default = {default}") + " gives it some"


def keep(settings: list[Setting], speaks_against: Callable[[Setting], str], is_strict: bool,
         ) -> list[Setting]:
    """Return the settings without an objection; others are left out or, if requested, refused.

    speaks_against: returns the objection to a setting, or "".
    """
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
    def __init__(self, wish: Json) -> None:
        self.name = "jobio-calibrate-" + secrets.token_hex(6)
        self.wish = wish
        self.limit_s = 0  # of one job
        self.script = os.path.join(paths.REPORT, "calibrate-job")

    def words(self, setting: Setting, folder: str, job: int, more: str) -> list[str]:
        cores, profile = setting
        return ["--parsable", "--job-name=" + self.name, more, "--nodes=1", "--ntasks=1",
                "--exclusive", "--no-requeue", f"--time={ceil(self.limit_s / 60)}",
                "--chdir=" + folder, f"--output={job}.out",
                *([f"--io-cores={cores}"] if cores else []),
                *(["--io-profile=" + profile] if profile else []),
                *self.wish["sbatch"], self.script, folder, str(job), self.wish["fio"]]

    def refuses(self, setting: Setting) -> str:
        """Return Slurm's error for such a job, or ""; nothing is submitted."""
        try:
            sacct.run_program("sbatch", *self.words(setting, "/", 0, "--test-only"))
        except Failure as failure:
            return str(failure)
        return ""

    def submit(self, setting: Setting, folder: str, job: int) -> str:
        words = self.words(setting, folder, job, "--dependency=singleton")
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # sbatch may have submitted already
        try:
            said = sacct.run_program("sbatch", *words).split("\n")[0]
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        number_ = said.split(";")[0]
        if not number_.isdigit():
            raise Failure(f"sbatch: '{said}': not a job id")
        return number_

    def queue(self) -> dict[str, list[str]]:
        """Return by job ID: state, reason, node."""
        out = sacct.run_program("squeue", "-h", "--name=" + self.name, "-o", "%i|%T|%r|%N")
        rows = [line.split("|") for line in out.splitlines()]
        return {row[0]: row[1:] for row in rows if len(row) == 4}

    def cancel(self, job: str = "") -> None:
        sacct.run_program("scancel", "--name=" + self.name, *([job] if job else []))

    def cancel_all(self) -> bool:
        """Cancel the jobs and wait for their end; False: some may remain."""
        try:
            end, why = time.monotonic() + END_S, ""
            if self.queue():
                self.cancel()
            while self.queue():
                if time.monotonic() > end:
                    raise Failure("they do not end")
                time.sleep(0.2)
        except Failure as failure:
            why = str(failure)
            say(f"jobs may be left: {why}; scancel --name={self.name}")
        return not why


def check_folder(folder: str, need: int) -> str:
    """Check that the folder replies, is writable and has room.

    need: bytes.
    Returns: its real path.
    """
    look = program.start(["stat", "-f", "--", os.path.abspath(folder)])
    if not program.finish(look, LOOK_S)[0]:
        raise Failure(f"'{folder}': no answer within {LOOK_S} s")
    try:
        real = os.path.realpath(folder)
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


def put(path: str, text: str) -> None:
    """Replace a file in one step."""
    files.replace(path, text.encode())


def read_folder(folder: str, job: int) -> dict[str, str]:
    """Read the files of a job: {NAME of NUMBER.NAME: text}."""
    texts = {}
    for entry in os.listdir(folder):
        if entry.startswith(f"{job}."):
            with open(os.path.join(folder, entry), encoding="utf-8", errors="replace") as file:
                texts[entry.split(".", 1)[1]] = file.read(1 << 20)
    return texts


# ---- run of a calibration ----------------------------------------------------------

class Watch:
    def __init__(self, wish: Json, data: Calibration, slurm: Slurm, patience_s: float) -> None:
        self.wish, self.data, self.slurm, self.patience_s = wish, data, slurm, patience_s
        self.folder = self.cluster = self.doing = ""
        self.start, self.start_s = time.monotonic(), time.time()
        self.waiting: list[int] = []

    def progress(self, text: str) -> None:
        minutes = int(time.monotonic() - self.start) // 60
        print(f"[{minutes:3} min] {text}", file=sys.stderr)

    def await_folder(self) -> None:
        end = time.monotonic() + PATIENCE_S
        while not os.path.exists(self.folder) and time.monotonic() < end:
            time.sleep(0.2)

    def submit(self) -> None:
        for at, job in enumerate(self.data.jobs):
            self.await_folder()
            put(os.path.join(self.folder, f"{at}.plan"), self.data.text())
            job.id = self.slurm.submit(job.setting, self.folder, at)
            self.waiting.append(at)

    def collect(self, at: int) -> None:
        job, shapes = self.data.jobs[at], len(self.data.shapes)
        self.await_folder()
        texts = read_folder(self.folder, at)
        for name in texts:
            if name.endswith(".json"):
                self.data.take(job, name[:-5], texts[name])
        said = texts.get("out", "").split("\n")[0]
        if len(job.runs) < shapes:
            job.blame(f"{len(job.runs)} of {shapes} runs" + (f": {said}" if said else ""))
        self.waiting.remove(at)

    def look(self, job: Job, state: str, reason: str, node: str) -> None:
        """Note the state of a queued job; cancel one that will never start."""
        is_running = state != "PENDING"
        if not is_running and reason.startswith(HOPELESS):
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

    def is_hopeless(self, over: list[Job]) -> bool:
        """Return True if no job has succeeded so far, with and without io-cores: a gate may refuse
        all jobs without them only."""
        return (len(over) >= FAILED_MAX and all(job.why for job in over) and
                {job.setting[0] > 0 for job in over} == {s[0] > 0 for s in self.data.settings})

    def ask(self) -> None:
        """Query the queue, and collect the jobs that have left it."""
        queued = self.slurm.queue()
        self.doing = ""
        for at in list(self.waiting):
            job = self.data.jobs[at]
            if job.id in queued:
                self.look(job, *queued[job.id])
            else:
                self.collect(at)

    def wait(self) -> None:
        poll, before, heard, data = POLL_FIRST_S, "", time.monotonic(), self.data
        while self.waiting:
            count = len(self.waiting)
            try:
                self.ask()
                heard = time.monotonic()
            except Failure:
                if time.monotonic() - heard > SQUEUE_DOWN_S:
                    raise
            over = [job for at, job in enumerate(data.jobs) if at not in self.waiting]
            if self.waiting and self.is_hopeless(over):
                self.give_up("the first jobs have all failed")
            elif self.waiting and time.monotonic() - self.start >= self.wish["max-time"]:
                self.give_up("--max-time is over")
            is_news = len(self.waiting) < count
            if is_news or self.doing != before:
                failed = sum(1 for job in over if job.why)
                self.progress(f"{len(over)} of {len(data.jobs)} over"
                              + (f", {failed} failed" if failed else "") + ", about "
                              f"{(data.all_s(len(self.waiting)) + 30) // 60} min to go{self.doing}")
            poll = POLL_FIRST_S if is_news else min(poll * 1.5, POLL_MAX_S)
            before = self.doing
            time.sleep(poll if self.waiting else 0)

    def judge(self) -> None:
        """Wait for the records of the jobs, and compare them."""
        left = [j for j in self.data.jobs if j.id and len(j.runs) == len(self.data.shapes)]
        end, why, before = time.monotonic() + self.patience_s, "", 0
        while left:
            why = self.judge_all(left)
            if not left or time.monotonic() > end:
                break
            if len(left) != before:
                self.progress(f"waiting for jobio's records, missing: {len(left)}")
            before = len(left)
            time.sleep(1)
        for job in left:
            job.blame(f"jobio has no record of it: {why}")

    def judge_all(self, left: list[Job]) -> str:
        """Judge the jobs that have a record and remove them from the list; return the reason why
        others have none."""
        source, why = record.Source("calibrate", self.wish.get("conf"), advice=False), ""
        source.start(sacct.query(jobs=",".join(job.id for job in left)))
        for job in list(left):
            try:
                found = source.job(job.id)
            except Failure as failure:
                why = str(failure)
                continue
            if found.nodes or found.summary.nodes_seen:
                self.cluster = found.cluster or self.cluster
                calibration.judge(self.data, job, found, self.folder)
                left.remove(job)
        source.close()
        return why

    def write(self) -> None:
        data, output = self.data, self.wish["output"]
        place = next((job for job in data.jobs if job.mount), data.jobs[0])
        about: Json = {
            "jobio": paths.PACKAGE.split()[-1], "start": calibration.stamp(self.start_s),
            "end": calibration.stamp(time.time()), "cluster": self.cluster or None,
            "directory": os.path.dirname(self.folder), "mount": place.mount,
            "fstype": place.fstype, "repeats": data.repeats, "seconds": data.seconds,
            "file_bytes": data.file_bytes, "run_bytes": data.run_bytes}
        advice = calibration.constants(data, place.fstype)
        texts = {"calibration.json": json.dumps(calibration.to_json(data, about, advice)) + "\n",
                 "advice.conf": calibration.advice_conf(about, advice)}
        if find_spec("matplotlib"):
            from report import calibration_plots

            texts.update(calibration_plots.draw(data))
        os.makedirs(output, exist_ok=True)
        for name in texts:
            put(f"{output}/{name}", texts[name])
        for key, value, origin in advice:
            print(f"{key:<16} {value:>10}  {origin}")
        print(f"written: {output}/{{{','.join(texts)}}}")

    def work(self, real: str) -> int:
        count = sum(1 for name in os.listdir(real) if name.startswith(PREFIX))
        self.folder = tempfile.mkdtemp(prefix=PREFIX, dir=real)
        if count:
            say(f"'{self.wish['dir']}': others run there, or were killed ({PREFIX}*: {count}): if "
                "they run, all measure less")
        self.submit()
        self.wait()
        self.judge()
        wrong = [job for job in self.data.jobs if job.why]
        for job in wrong:
            say(f"job {job.id or '-'}{' on ' + job.node if job.node else ''} "
                f"({setting_text(job.setting)}): {job.why}")
        if not any(self.data.is_whole(job) for job in self.data.jobs):
            raise Failure("no job has measured anything")
        self.write()
        return FAILED if wrong else 0

    def run(self, real: str) -> int:
        """Run the calibration; cancel all jobs and remove all files in any case."""
        status = FAILED
        on_signals(signal.default_int_handler)
        try:
            status = self.work(real)
        except KeyboardInterrupt:
            say("stopped; cancelling its jobs, removing its files")
            status = 130
        except (Failure, OSError) as error:
            say(str(error))
        on_signals(signal.SIG_IGN)
        is_clean = self.slurm.cancel_all()
        on_signals(signal.SIG_DFL)  # the filesystem may hang
        try:
            if self.folder:
                shutil.rmtree(self.folder)
        except OSError as error:
            say(f"'{self.folder}': cannot remove it: {error.strerror}")
            is_clean = False
        return status if is_clean else status or FAILED


# ---- main --------------------------------------------------------------------------

def check(wish: Json, data: Calibration, slurm: Slurm) -> str:
    """Make all checks that are possible before submission, for --dry-run as well; return the
    folder's real path."""
    for name in ("sbatch", "squeue", "scancel"):
        program.find(name)
    output = wish["output"]
    place = output if os.path.lexists(output) else os.path.dirname(os.path.abspath(output))
    if not os.path.isdir(place):
        raise Failure(f"--output: '{output}': cannot write there: Not a directory")
    if not os.access(place, os.W_OK | os.X_OK):
        raise Failure(f"--output: '{output}': cannot write there: Permission denied")
    paths.add_packages()
    if not find_spec("matplotlib"):
        say("matplotlib is missing: no plots will be drawn; install python3-matplotlib")
    return check_folder(wish["dir"], wish["space"])


def say_plan(wish: Json, data: Calibration) -> None:
    files = units.size(data.file_bytes * data.processes[-1])
    print(f"{units.plural(len(data.jobs), 'job')} of {len(data.shapes)} runs "
          f"({units.plural(len(data.settings), 'setting')}, repeats: {data.repeats}), about "
          f"{ceil(data.all_s() / 60)} min when none waits; files of {files} below {wish['dir']}, "
          f"at most {units.size(wish['max-bytes'])} read and written", file=sys.stderr)


def main(args: list[str]) -> int:
    given, words = read(__doc__, args, TAKES, words_last=True)
    if words and "--" not in args:
        raise Failure(f"'{words[0]}': one word too many; what is for sbatch stands behind --",
                      USAGE)
    wish: Json = {**USUAL, **given, "sbatch": words}
    if "dir" not in wish:
        raise Failure("--dir: which folder?", USAGE)
    conf = settings_of(wish.get("conf"))
    slurm = Slurm(wish)
    wanted = [(c, p) for p in wanted_profiles(wish, conf) for c in wanted_cores(wish, conf)]
    wanted = keep(wanted, lambda setting: given_cores(setting, conf), False)
    data = Calibration(wanted, wish)
    real = check(wish, data, slurm)
    slurm.limit_s = data.job_limit_s()
    data = Calibration(keep(wanted, slurm.refuses, "io-cores" in wish), wish)
    say_plan(wish, data)
    if "dry-run" in wish:
        return 0
    patience_s = conf["ledger"]["grace_s"] + 2 * conf["ledger"]["send_timeout_ms"] / 1000
    return Watch(wish, data, slurm, patience_s).run(real)
