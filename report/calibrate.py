# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures with fio, in jobs of its own, what one node reads and writes below DIR
with each number of io-cores and each profile, compares jobio's records of these
jobs with fio, and writes calibration.json, three plots and the constants for
advice.

Exit status: 0; 1 when a job failed, or its record and fio disagree; 2 bad
usage; 130 after Ctrl-C."""
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
from argparse import Namespace
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from math import ceil

from report import calibration, files, paths, program, sacct, units
from report.calibration import Calibration, Job, setting_text
from report.command import FAILED, SIGNALS, USAGE, Failure, nearest, on_signals
from report.ledger import Ledger
from report.options import Parser, number, refusal
from report.source import Source
from report.types import Json, Setting

PREFIX = "jobio-calibrate."
STAT_S = 30  # timeout of a query of the filesystem
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


def log(text: str) -> None:
    print("jobio: calibrate: " + text, file=sys.stderr)


# ---- the command line --------------------------------------------------------------

def size(value: str) -> int:
    """Return the bytes of 800M, 8G or 16T."""
    match = re.fullmatch(r"([1-9]\d{0,11})([KMGT]?)", value)
    if not match or (match[2] and len(match[1]) > 7):
        raise refusal(value, "expected a size like 800M, 8G or 16T")
    return int(match[1]) << 10 * " KMGT".index(match[2] or " ")


def duration(value: str) -> int:
    """Return the seconds of a time as in sbatch --time: 480, 480:00 and 8:00:00 are equal."""
    total = 0
    if re.fullmatch(r"\d{1,6}(:[0-5]?\d){0,2}", value):
        for part in value.split(":"):
            total = total * 60 + int(part)
    if not total:
        raise refusal(value, "expected minutes, minutes:seconds or hours:minutes:seconds")
    return total if ":" in value else total * 60


def numbers(value: str, least: int = 1) -> list[int]:
    """Return the numbers of a list, each larger than the one before."""
    found = [number(least, 1024)(word) for word in value.split(",") if word]
    if not found or sorted(set(found)) != found:
        raise refusal(value, "expected numbers, each larger than the one before")
    return found


class Options(Namespace):
    """The command line.

    sbatch: options of sbatch, after "--"
    """

    def __init__(self, args: list[str]) -> None:
        """Raises: Failure"""
        super().__init__()
        parser = Parser("calibrate --dir=DIR [OPTION]... [-- SBATCH-OPTION...]", __doc__)
        add = parser.add
        add("--dir=DIR", "a folder of yours on the filesystem")
        add("--output=FOLDER", "folder of the results; default calibration", default="calibration")
        add("--io-cores=LIST", "0,1,2; default 0 and all that site and nodes allow",
            partial(numbers, least=0))
        add("--profiles=LIST", "none,stream; default none and all of jobio.conf")
        add("--processes=LIST", "of fio; default 1,2,4,8,16,32", numbers,
            default=[1, 2, 4, 8, 16, 32])
        add("--repeats=N", "of each; default 3", number(1, 100), default=3)
        add("--seconds=N", "that each run lasts at most; default 3", number(1, 3600), default=3)
        add("--max-time=TIME", "for all, waiting included; default 8:00:00", duration,
            default=8 * 3600)
        add("--max-bytes=SIZE", "to read and write in all; default 16T", size, default=16 << 40)
        add("--space=SIZE", "of the files; default 8G", size, default=8 << 30)
        add("--fio=PATH", "of fio on the nodes; default fio", default="fio")
        add("--dry-run", "make all checks, and print the plan")
        parser.add_conf()
        _, self.sbatch = parser.read(args, self)
        if self.sbatch and "--" not in args:
            raise Failure(f"'{self.sbatch[0]}': one word too many; options of sbatch are after --",
                          USAGE)
        if not self.dir:
            raise Failure("--dir: which folder?", USAGE)


# ---- settings ----------------------------------------------------------------------

def settings_of(conf: str | None) -> Json:
    """Return the settings of jobio.conf for jobs (tools/settings.h).

    Raises: Failure
    """
    with closing(Ledger(conf)) as ledger:
        settings = ledger.ask(op="settings")
    if not settings.get("ok"):
        raise Failure(str(settings.get("error")))
    return {**settings, "own_cores": {p["name"]: p["io_cores"] for p in settings["profiles"]}}


def wanted_profiles(options: Options, conf: Json) -> list[str | None]:
    """Return the profiles to measure; None: no profile.

    Raises: Failure
    """
    own, default = conf["own_cores"], conf["profile_default"]
    names = [*([] if default else ["none"]), *own]
    if options.profiles:
        names = options.profiles.split(",")
    for name in names:
        if name == "none" and default:
            raise Failure(f"--profiles: 'none': a job that names none gets {default} here "
                          "(profile_default)", USAGE)
        if name != "none" and name not in own:
            near = nearest(name, list(own))
            hint = f"; is it '{near}'?" if near else ""
            raise Failure(f"--profiles: '{name}': no such [profile]{hint}", USAGE)
    return [None if name == "none" else name for name in names]


def wanted_cores(options: Options, conf: Json) -> list[int]:
    """Return the numbers of io-cores to measure.

    Raises: Failure
    """
    least, most = conf["io_cores_min"], conf["io_cores_max"]
    found: list[int] = options.io_cores or [0, *range(least, most + 1)]
    for cores in found:
        if cores and not least <= cores <= most:
            raise Failure(f"--io-cores: '{cores}': this site allows 0, and {least} to {most}",
                          USAGE)
    return found


def given_cores(setting: Setting, conf: Json) -> str:
    """Return the setting that gives a job without io-cores some; "": none."""
    cores, profile = setting
    own, default = conf["own_cores"].get(profile), conf["io_cores_default"]
    if cores or not (own or default):
        return ""
    if own:
        return f"[profile {profile}] io_cores = {own} gives it some"
    return f"[option] io_cores_default = {default} gives it some"


def keep(settings: list[Setting], objection: Callable[[Setting], str], is_strict: bool,
         ) -> list[Setting]:
    """Return the settings without an objection; others are left out or, if requested, refused.

    objection: returns the objection to a setting, or ""
    Raises: Failure
    """
    kept, why = [], ""
    for setting in settings:
        found = objection(setting)
        if not found:
            kept.append(setting)
            continue
        why = f"{setting_text(setting)}: {found}"
        if is_strict:
            raise Failure(why)
        log(why + "; left out")
    if not kept:
        raise Failure(f"nothing is left to measure: {why}")
    return kept


# ---- Slurm and the filesystem ------------------------------------------------------

class Slurm:
    """Jobs of one calibration, which all have the same name.

    limit_s: time limit of a job
    """

    def __init__(self, options: Options) -> None:
        self.name = "jobio-calibrate-" + secrets.token_hex(6)
        self.options = options
        self.limit_s = 0
        self.script = os.path.join(paths.REPORT, "calibrate-job")

    def words(self, setting: Setting, folder: str, job: int, more: str) -> list[str]:
        """Return the options of sbatch, and the script with its words."""
        cores, profile = setting
        words = ["--parsable", "--job-name=" + self.name, more, "--nodes=1", "--ntasks=1",
                 "--exclusive", "--no-requeue", f"--time={ceil(self.limit_s / 60)}",
                 "--chdir=" + folder, f"--output={job}.out"]
        if cores:
            words.append(f"--io-cores={cores}")
        if profile:
            words.append("--io-profile=" + profile)
        return [*words, *self.options.sbatch, self.script, folder, str(job), self.options.fio]

    def refuses(self, setting: Setting) -> str:
        """Return Slurm's error for such a job, or ""; nothing is submitted."""
        try:
            sacct.run_program("sbatch", *self.words(setting, "/", 0, "--test-only"))
        except Failure as failure:
            return str(failure)
        return ""

    def submit(self, setting: Setting, folder: str, job: int) -> str:
        """Submit a job; return its ID.

        Raises: Failure
        """
        words = self.words(setting, folder, job, "--dependency=singleton")
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # sbatch may have submitted already
        try:
            line = sacct.run_program("sbatch", *words).split("\n")[0]
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        job_id = line.split(";")[0]
        if not job_id.isdigit():
            raise Failure(f"sbatch: '{line}': not a job id")
        return job_id

    def queue(self) -> dict[str, list[str]]:
        """Return by job ID: state, reason, node."""
        out = sacct.run_program("squeue", "-h", "--name=" + self.name, "-o", "%i|%T|%r|%N")
        rows = [line.split("|") for line in out.splitlines()]
        return {row[0]: row[1:] for row in rows if len(row) == 4}

    def cancel(self, job: str = "") -> None:
        sacct.run_program("scancel", "--name=" + self.name, *([job] if job else []))

    def cancel_all(self) -> bool:
        """Cancel the jobs and wait for their end; False: some may remain."""
        end = time.monotonic() + END_S
        try:
            if self.queue():
                self.cancel()
            while self.queue():
                if time.monotonic() > end:
                    raise Failure("they do not end")
                time.sleep(0.2)
        except Failure as failure:
            log(f"jobs may be left: {failure}; scancel --name={self.name}")
            return False
        return True


def check_folder(folder: str, need: int) -> str:
    """Check that the folder replies, is writable and has room.

    need: bytes
    Returns: its real path
    Raises: Failure
    """
    stat = program.start(["stat", "-f", "--", os.path.abspath(folder)])
    if not program.finish(stat, STAT_S)[0]:
        raise Failure(f"'{folder}': no answer within {STAT_S} s")
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


def write_file(path: str, text: str) -> None:
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

@dataclass
class Measurement:
    """The jobs of a calibration, from submission to the results.

    patience_s: seconds that a record may be late
    start, start_s: of time.monotonic(), and since 1970
    folder: of the jobs' files
    doing: state of the first queued job, for messages
    waiting: positions of the jobs that have not ended
    """

    options: Options
    data: Calibration
    slurm: Slurm
    patience_s: float
    start: float = field(default_factory=time.monotonic)
    start_s: float = field(default_factory=time.time)
    folder: str = ""
    cluster: str = ""
    doing: str = ""
    waiting: list[int] = field(default_factory=list)

    def print_progress(self, text: str) -> None:
        minutes = int(time.monotonic() - self.start) // 60
        print(f"[{minutes:3} min] {text}", file=sys.stderr)

    def await_folder(self) -> None:
        end = time.monotonic() + PATIENCE_S
        while not os.path.exists(self.folder) and time.monotonic() < end:
            time.sleep(0.2)

    def submit(self) -> None:
        for at, job in enumerate(self.data.jobs):
            self.await_folder()
            write_file(os.path.join(self.folder, f"{at}.plan"), self.data.text())
            job.id = self.slurm.submit(job.setting, self.folder, at)
            self.waiting.append(at)

    def collect(self, at: int) -> None:
        """Read the results of a job that has ended."""
        job, shapes = self.data.jobs[at], len(self.data.shapes)
        self.await_folder()
        texts = read_folder(self.folder, at)
        for name, text in texts.items():
            if name.endswith(".json"):
                self.data.add_run(job, name[:-5], text)
        line = texts.get("out", "").split("\n")[0]
        if len(job.runs) < shapes:
            job.set_fault(f"{len(job.runs)} of {shapes} runs" + (f": {line}" if line else ""))
        self.waiting.remove(at)

    def note_state(self, job: Job, state: str, reason: str, node: str) -> None:
        """Note the state of a queued job; cancel one that will never start."""
        is_running = state != "PENDING"
        if is_running:
            job.node = job.node or node
        elif reason.startswith(HOPELESS):
            job.set_fault(f"Slurm does not start it: {reason}")
            self.slurm.cancel(job.id)
        if is_running or not self.doing:
            what = f"runs on {node}" if is_running else f"waits: {reason}"
            self.doing = f"; job {job.id} {what} ({setting_text(job.setting)})"

    def give_up(self, why: str) -> None:
        log(why + ": the jobs that are left are cancelled")
        for at in self.waiting:
            self.data.jobs[at].set_fault(why + self.doing)
        self.waiting = []
        self.slurm.cancel()

    def is_hopeless(self, over: list[Job]) -> bool:
        """Return True if no job has succeeded so far, with and without io-cores: a gate may refuse
        all jobs without them only."""
        if len(over) < FAILED_MAX or not all(job.why for job in over):
            return False
        tried = {job.setting[0] > 0 for job in over}
        return tried == {cores > 0 for cores, _ in self.data.settings}

    def ask(self) -> None:
        """Query the queue, and collect the jobs that have left it.

        Raises: Failure
        """
        queued = self.slurm.queue()
        self.doing = ""
        for at in list(self.waiting):
            job = self.data.jobs[at]
            if job.id in queued:
                self.note_state(job, *queued[job.id])
            else:
                self.collect(at)

    def report_progress(self, over: list[Job]) -> None:
        failed = sum(1 for job in over if job.why)
        minutes = (self.data.all_s(len(self.waiting)) + 30) // 60
        text = f"{len(over)} of {len(self.data.jobs)} over"
        if failed:
            text += f", {failed} failed"
        self.print_progress(f"{text}, about {minutes} min to go{self.doing}")

    def wait(self) -> None:
        """Wait for the end of the jobs; cancel them if they have no prospect.

        Raises: Failure, if squeue fails for a long time
        """
        poll_s, before, last_reply = POLL_FIRST_S, "", time.monotonic()
        while self.waiting:
            count = len(self.waiting)
            try:
                self.ask()
                last_reply = time.monotonic()
            except Failure:
                if time.monotonic() - last_reply > SQUEUE_DOWN_S:
                    raise
            over = [job for at, job in enumerate(self.data.jobs) if at not in self.waiting]
            if self.waiting and self.is_hopeless(over):
                self.give_up("the first jobs have all failed")
            elif self.waiting and time.monotonic() - self.start >= self.options.max_time:
                self.give_up("--max-time is over")
            is_new = len(self.waiting) < count
            if is_new or self.doing != before:
                self.report_progress(over)
            poll_s = POLL_FIRST_S if is_new else min(poll_s * 1.5, POLL_MAX_S)
            before = self.doing
            time.sleep(poll_s if self.waiting else 0)

    def judge(self) -> None:
        """Wait for the records of the jobs, and compare them."""
        left = [job for job in self.data.jobs if job.id and self.data.has_all_runs(job)]
        end, why, before = time.monotonic() + self.patience_s, "", 0
        while left:
            why = self.judge_all(left)
            if not left or time.monotonic() > end:
                break
            if len(left) != before:
                self.print_progress(f"waiting for jobio's records, missing: {len(left)}")
            before = len(left)
            time.sleep(1)
        for job in left:
            job.set_fault(f"jobio has no record of it: {why}")

    def judge_all(self, left: list[Job]) -> str:
        """Judge the jobs that have a record and remove them from the list; return the reason why
        others have none."""
        source, why = Source("calibrate", self.options.conf, advice=False), ""
        source.start(sacct.query(jobs=",".join(job.id for job in left)))
        for job in list(left):
            try:
                found = source.job(job.id)
            except Failure as failure:
                why = str(failure)
                continue
            if found.run.nodes or found.summary.nodes_seen:
                self.cluster = found.cluster or self.cluster
                calibration.judge(self.data, job, found, self.folder)
                left.remove(job)
        source.close()
        return why

    def write(self) -> None:
        """Write the results, and print the constants."""
        data, output = self.data, self.options.output
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
        for name, text in texts.items():
            write_file(f"{output}/{name}", text)
        for key, value, origin in advice:
            print(f"{key:<16} {value:>10}  {origin}")
        print(f"written: {output}/{{{','.join(texts)}}}")

    def work(self, real: str) -> int:
        """Measure in a folder of real, the path of --dir.

        Returns: the exit status
        Raises: Failure, OSError
        """
        count = sum(1 for name in os.listdir(real) if name.startswith(PREFIX))
        self.folder = tempfile.mkdtemp(prefix=PREFIX, dir=real)
        if count:
            log(f"'{self.options.dir}': others run there, or were killed ({PREFIX}*: {count}): if "
                "they run, all measure less")
        self.submit()
        self.wait()
        self.judge()
        wrong = [job for job in self.data.jobs if job.why]
        for job in wrong:
            node = f" on {job.node}" if job.node else ""
            log(f"job {job.id or '-'}{node} ({setting_text(job.setting)}): {job.why}")
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
            log("stopped; cancelling its jobs, removing its files")
            status = 130
        except (Failure, OSError) as error:
            log(str(error))
        on_signals(signal.SIG_IGN)
        is_clean = self.slurm.cancel_all()
        on_signals(signal.SIG_DFL)  # the filesystem may hang
        try:
            if self.folder:
                shutil.rmtree(self.folder)
        except OSError as error:
            log(f"'{self.folder}': cannot remove it: {error.strerror}")
            is_clean = False
        return status if is_clean else status or FAILED


# ---- main --------------------------------------------------------------------------

def check(options: Options) -> str:
    """Make all checks that are possible before submission, for --dry-run as well; return the
    folder's real path.

    Raises: Failure
    """
    for name in ("sbatch", "squeue", "scancel"):
        program.find(name)
    output = options.output
    place = output if os.path.lexists(output) else os.path.dirname(os.path.abspath(output))
    if not os.path.isdir(place):
        raise Failure(f"--output: '{output}': cannot write there: Not a directory")
    if not os.access(place, os.W_OK | os.X_OK):
        raise Failure(f"--output: '{output}': cannot write there: Permission denied")
    paths.add_packages()
    if not find_spec("matplotlib"):
        log("matplotlib is missing: no plots will be drawn; install python3-matplotlib")
    return check_folder(options.dir, options.space)


def print_plan(options: Options, data: Calibration) -> None:
    size = units.size(data.file_bytes * data.processes[-1])
    print(f"{units.plural(len(data.jobs), 'job')} of {len(data.shapes)} runs "
          f"({units.plural(len(data.settings), 'setting')}, repeats: {data.repeats}), about "
          f"{ceil(data.all_s() / 60)} min when none waits; files of {size} below {options.dir}, "
          f"at most {units.size(options.max_bytes)} read and written", file=sys.stderr)


def main(args: list[str]) -> int:
    options = Options(args)
    conf = settings_of(options.conf)
    slurm = Slurm(options)
    wanted = [(cores, profile) for profile in wanted_profiles(options, conf)
              for cores in wanted_cores(options, conf)]
    wanted = keep(wanted, lambda setting: given_cores(setting, conf), False)
    data = Calibration(wanted, options)
    real = check(options)
    slurm.limit_s = data.job_limit_s()
    data = Calibration(keep(wanted, slurm.refuses, bool(options.io_cores)), options)
    print_plan(options, data)
    if options.dry_run:
        return 0
    patience_s = conf["ledger"]["grace_s"] + 2 * conf["ledger"]["send_timeout_ms"] / 1000
    return Measurement(options, data, slurm, patience_s).run(real)
