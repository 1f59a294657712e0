# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints the options for submitting JOB again, and the reasons: from its advice,
and from its other runs, the jobs of the same name and user of the last 30 days.

Exit status: 0, also when there is nothing to change, or too little to judge
(the reason is on standard error); 1 when nothing is known of the job; 2 bad
usage."""
# Runs: other completed jobs of the same name and user. Like the job: as many nodes, and bytes
# within 10 %. Step: an advice about the job, or a result of its runs; chosen: it is an option, and
# no run with it contradicts it.
from __future__ import annotations

import json
import re
import sys
from contextlib import closing

from report import advice, job_id, sacct, samples
from report.command import USAGE, Failure
from report.job import Job
from report.options import Parser
from report.record import Client
from report.source import Source
from report.types import Json
from report.units import plural, tone

SINCE = "now-30days"
RUNS_MAX = 20
ANYTHING: Json = {"io_cores_min": 1, "io_cores_max": 64, "profiles": []}  # without a jobio.conf
LIKE_PERCENT, LIKE_BYTES = 10, 1 << 20  # fewer bytes are no work
SINGLE_PERCENT = 5  # difference of single runs, which have no spread

Setup = tuple[int, str]  # io-cores (0: none) and profile ("": none, or not applied)


def is_word(text: str) -> bool:
    """Return True if a shell takes the text as one plain word."""
    return bool(re.fullmatch(r"[\w.][\w.-]*", text, re.ASCII))


def is_near(a: int | None, b: int | None) -> bool:
    if a is None or b is None:
        return False
    return abs(a - b) <= LIKE_BYTES or abs(a - b) * 100 <= max(a, b) * LIKE_PERCENT


class Run:
    """A run of the job."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.seconds = job.time.seconds or 0.0
        self.setup: Setup = (0, "")
        self.advice = advice.as_json(job.answer, job.slurm_values)
        for request, _ in job.run.groups("request")[:1]:
            profile = request.profile if request.applied is not False else None
            self.setup = (request.io_cores or 0, profile or "")

    def is_like(self, other: Run) -> bool:
        """Return True if it has as many nodes and, nearly, as many bytes."""
        a, b = self.job, other.job
        if not a.run.nodes or not b.run.nodes or a.node_count != b.node_count:
            return False
        if a.summary.scope != "job" or b.summary.scope != "job":
            return False
        return all(is_near(a.totals[key], b.totals[key]) for key in ("read_bytes", "write_bytes"))

    def advises_without(self, node: str) -> bool:
        return any((one["option"] or {}).get("exclude") == node for one in self.advice or [])


def compare_times(own: list[float], other: list[float]) -> tuple[int, float]:
    """Compare the means.

    Returns: 1 longer, -1 shorter, 0 no significant difference; and the difference in percent.
    """
    base = samples.mean(own)
    percent = (samples.mean(other) - base) * 100 / base if base > 0 else 0.0
    differ = samples.differ(own, other)
    if differ is None:
        differ = abs(percent) >= SINGLE_PERCENT
    if not differ:
        return 0, percent
    return (1 if percent > 0 else -1), percent


ADVICE = ("code", "fs", "what", "why", "do", "confidence")


class Step:
    """An advice about the job, or a result of its runs.

    advice: the members ADVICE of jobio report --json; None for a result of the runs
    option: options of sbatch; None: none
    note: result of other runs
    is_chosen: the option is proposed
    """

    def __init__(self, advice: Json, option: str | None = None, note: str | None = None) -> None:
        self.advice = {name: advice.get(name) for name in ADVICE}
        self.option = option
        self.note = note
        self.is_chosen = False

    def to_json(self) -> Json:
        return {"option": self.option, "taken": self.is_chosen, "note": self.note, **self.advice}

    def head(self) -> str:
        if self.is_chosen:
            return tone("good", self.option or "")
        return f"not {self.option}" if self.option else f"by hand: {self.advice['do']}"

    def reason(self) -> str:
        """Return the reasons for or against the option, as sentences."""
        code, fs, what, why, _, confidence = self.advice.values()
        note = self.note or ""
        sentences = [what, why, note[:1].upper() + note[1:]]
        text = ". ".join(one.rstrip(".") for one in sentences if one) + "."
        if not code:
            return text
        place = f" on {fs}" if fs else ""
        return f"{text} ({code}{place}, {confidence})"


class Search:
    """Search of options for the next run of a job.

    runs: other runs
    settings: jobio.conf, as jobio-ask prints it
    """

    def __init__(self, job: Run, runs: list[Run], settings: Json) -> None:
        self.job = job
        self.runs = runs
        self.settings = settings
        self.like = [run for run in runs if job.is_like(run)]
        self.steps: list[Step] = []
        self.kinds: set[str] = set()  # of options that are chosen
        for one in job.advice or []:
            step = Step(one)
            self.steps.append(step)
            self.propose(step, one["option"] or {})
        if job.advice is not None:
            self.add_best()

    def options(self) -> str:
        return " ".join(step.option for step in self.steps if step.option and step.is_chosen)

    def times(self, cores: int | None, profile: str) -> tuple[list[float], str]:
        """Return the seconds of comparable runs with this setup, and the ID of the first one.

        cores: None: any number
        """
        found = [run for run in self.like if run.seconds > 0 and run.setup[1] == profile
                 and cores in (None, run.setup[0])]
        return [run.seconds for run in found], found[0].job.id if found else ""

    def own_times(self) -> list[float]:
        """Return the seconds of the job, and of comparable runs with its setup."""
        own = [self.job.seconds] if self.job.seconds > 0 else []
        return own + self.times(*self.job.setup)[0]

    def is_supported(self, step: Step, cores: int | None, profile: str,
                     is_saving: bool = False) -> bool:
        """Return True if no run with this setup contradicts it.

        is_saving: fewer cores, which need not be faster
        """
        own = self.own_times()
        other, first = self.times(cores, profile)
        if not other or not own:
            return True
        sign, percent = compare_times(own, other)
        more = f" and {len(other) - 1} more" if len(other) > 1 else ""
        result = "no difference in time"
        if sign:
            result = f"{abs(percent):.0f} % {'more' if sign > 0 else 'less'} time"
        step.note = f"run {first}{more} had it: {result}"
        return sign < 0 or (is_saving and sign == 0)

    def choose(self, step: Step, kind: str, is_supported: bool = True) -> None:
        """Choose one option of each kind; the first one has the largest share."""
        if kind in self.kinds:
            step.note = "another advice is worth more"
        elif is_supported:
            step.is_chosen = True
            self.kinds.add(kind)

    def propose(self, step: Step, option: Json) -> None:
        """Propose the option of an advice: record/run_json.h."""
        if option.get("io_cores"):  # no option sets io-cores to 0
            self.propose_cores(step, option["io_cores"])
        elif "mount_option" in option:
            self.propose_profile(step, option["mount_option"])
        elif "exclusive" in option:
            step.option = "--exclusive"
            self.choose(step, "exclusive")
        elif is_word(option.get("exclude") or ""):
            self.propose_without(step, option["exclude"])

    def propose_cores(self, step: Step, cores: int) -> None:
        least, most = self.settings["io_cores_min"], self.settings["io_cores_max"]
        if not least <= cores <= most:
            step.note = f"this site allows {least} to {most} io-cores"
            return
        step.option = f"--io-cores={cores}"
        old_cores, profile = self.job.setup
        self.choose(step, "cores", self.is_supported(step, cores, profile, cores < old_cores))

    def propose_profile(self, step: Step, option: str) -> None:
        name = self.find_profile(step.advice["fs"] or "", option)
        if not name:
            step.note = f"jobio.conf has no profile with {option} on this host"
            return
        step.option = f"--io-profile={name}"
        self.choose(step, "profile", self.is_supported(step, None, name))

    def find_profile(self, fs: str, option: str) -> str | None:
        """Return a profile that fits: "stream" if it is one of several, else the first."""
        names = [profile["name"] for profile in self.settings["profiles"]
                 if is_word(profile["name"]) and profile["name"] != self.job.setup[1]
                 and self.is_fit(profile, fs, option)]
        return "stream" if "stream" in names else next(iter(names), None)

    def is_fit(self, profile: Json, fs: str, option: str) -> bool:
        """Return True if the profile sets the option for the filesystem on all nodes of the job,
        and writecache, with which other nodes read old data, nowhere."""
        is_found = False
        client: Client
        for client, _ in self.job.job.run.clients:
            own = [one for one in profile["clients"] if one["name"] == client.name]
            settings = own[0] if own else profile
            options = settings["mount_options"].split(",")
            if "writecache" in options:
                return False
            if fs in [mount.mount for mount in client.mounts]:
                if option not in options or settings.get("refused"):
                    return False
                is_found = True
        return is_found

    def propose_without(self, step: Step, node: str) -> None:
        """Propose to exclude the node if it was slow in most other runs: in one job it may have
        been another job's I/O."""
        there = [run for run in self.runs if node in [one.node for one in run.job.run.nodes]]
        slow = sum(run.advises_without(node) for run in there)
        step.option = f"--exclude={node}"
        step.note = f"it was slow in {slow} of {len(there)} other runs on it"
        step.is_chosen = slow > len(there) - slow

    def add_best(self) -> None:
        """Add the setup with the shortest runs, if they are shorter than the job's beyond
        chance."""
        if self.kinds & {"cores", "profile"}:
            return
        own, least, best, note = self.own_times(), 0.0, self.job.setup, ""
        for setup in dict.fromkeys(run.setup for run in self.like):
            other, first = self.times(*setup)
            if setup == self.job.setup or not samples.differ(own, other):
                continue
            sign, percent = compare_times(own, other)
            if sign < 0 and percent < least:
                least, best = percent, setup
                note = (f"run {first} and {len(other) - 1} more took {-percent:.0f} % less time "
                        f"than {len(own)} like this one")
        cores, profile = best
        if not note or (profile and not is_word(profile)):
            return
        old_cores, old_profile = self.job.setup
        words = []
        if cores and cores != old_cores:
            words.append(f"--io-cores={cores}")
        if profile and profile != old_profile:
            words.append(f"--io-profile={profile}")
        step = Step({}, " ".join(words) or None, note)
        self.steps.append(step)
        # no option unsets a profile or io-cores
        step.is_chosen = bool(words and (profile or not old_profile) and (cores or not old_cores))

    def to_json(self) -> Json:
        return {"id": self.job.job.id, "judged": self.job.advice is not None,
                "options": self.options(), "runs": len(self.runs), "runs_like_it": len(self.like),
                "steps": [step.to_json() for step in self.steps]}


# ---- text --------------------------------------------------------------------------

def text(search: Search) -> str:
    job = search.job.job
    user = f", user {job.user}" if job.user else ""
    lines = [f"job {job.id}{user}: {plural(len(search.runs), 'other run')} in 30 days, "
             f"{len(search.like)} alike (as many nodes, bytes within {LIKE_PERCENT} %)"]
    lines += [f"  {step.head()}\n      {step.reason()}" for step in search.steps]
    options = search.options()
    why = "none of these is an option of sbatch that is known to help"
    if not search.steps:
        why = advice.silence(job.answer)
    lines.append(f"next time: sbatch {options} SCRIPT" if options else
                 f"next time: no other options: {why}")
    return "\n".join(lines)


def too_little(job: Job) -> str:
    why = f"no records of its nodes: {job.why_not_ledger}"
    if job.run.nodes:
        why = advice.silence(job.answer)
    return f"job: '{job.id}': too little to judge: {why}"


# ---- the command -------------------------------------------------------------------

def other_runs(source: Source, job: Job) -> list[Run]:
    """Return the newest jobs of the same name and user, which sacct lists last."""
    row = job.slurm
    if not row or not row.name or not row.user:
        return []
    try:
        rows = sacct.ask(sacct.query(users=row.user, name=row.name, since=SINCE, until="now"))
    except Failure:
        return []  # only the job's own advice is used
    same = [one for one in rows if one.name == row.name and one.user == row.user
            and one.raw_id != row.raw_id and one.word == "COMPLETED"]
    listed = source.jobs_listed(same[-RUNS_MAX:])
    source.fill(listed)
    return [Run(one) for one in listed]


def main(args: list[str]) -> int:
    parser = Parser("advise [OPTION]... JOB", __doc__)
    parser.add("--options", "only the options, for sbatch $(jobio advise --options JOB) SCRIPT; "
               "nothing where there is nothing to change")
    parser.add("--json", "one JSON object")
    parser.add_conf()
    options, words = parser.read(args)
    if len(words) != 1:
        raise Failure("of which job? one, as in jobio advise 7", USAGE)
    if options.options and options.json:
        raise Failure("--options and --json exclude each other", USAGE)
    if "[" in words[0]:
        raise Failure(f"job: '{words[0]}': several: name one of its tasks", USAGE)
    job_id.check(words[0])
    with closing(Source("advise", options.conf)) as source:
        source.start(sacct.query(jobs=words[0]))
        job = Run(source.job(words[0]))
        settings = source.ledger.ask(op="settings")
        search = Search(job, other_runs(source, job.job),
                        settings if settings.get("ok") else ANYTHING)
    if options.json:
        print(json.dumps(search.to_json(), ensure_ascii=False, separators=(",", ":")))
    elif job.advice is None:
        print("jobio: advise: " + too_little(job.job), file=sys.stderr)
    elif not options.options:
        print(text(search))
    elif search.options():
        print(search.options())
    return 0
