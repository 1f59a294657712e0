# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: jobio advise [OPTION]... JOB

Says what to ask for when JOB is submitted again, and why: from its advice, and from
its other runs, the jobs of the same name and user of the last 30 days.

  --options     only the options, for
                sbatch $(jobio advise --options JOB) SCRIPT;
                nothing where there is nothing to change
  --json        one JSON object
  --conf=FILE   instead of {conf}

Exit status: 0, also when there is nothing to change, or too little to judge (which it
says on standard error); 1 when nothing is known of the job; 2 bad usage."""
# jobio advise: options for submitting a job again, with reasons.
#
# Runs: other completed jobs of the same name and user. Like the job: as many nodes, and bytes
# within 10 %. Step: an advice about the job, or a result of its runs; taken: it is an option, and
# no run with it contradicts it.
from __future__ import annotations

import json
import re
import sys
from contextlib import closing

from report import advice, record, sacct, samples
from report.command import USAGE, Failure
from report.job import slurm_of
from report.options import read
from report.record import Job, Source
from report.types import Any, Json
from report.units import plural, tone

SINCE = "now-30days"
RUNS_MAX = 20
ANYTHING = {"io_cores_min": 1, "io_cores_max": 64, "profiles": []}  # without a jobio.conf
LIKE_PERCENT, LIKE_BYTES = 10, 1 << 20  # fewer bytes are no work
SINGLE_PERCENT = 5  # difference of single runs, which have no spread


def is_word(text: str) -> bool:
    """Return True if a shell takes the text as one plain word."""
    return bool(re.fullmatch(r"[\w.][\w.-]*", text, re.ASCII))


class Run:
    """A run of the job; setup: io-cores and profile ("": none, or not applied)."""

    def __init__(self, job: Job) -> None:
        self.job, self.id = job, job.id
        self.seconds = job.time["seconds"] or 0.0
        self.setup: tuple[int, str] = (0, "")
        self.advice = advice.as_json(job.answer, slurm_of(job))
        for request, _ in job.same("request")[:1]:
            is_applied = request.get("applied") is not False
            self.setup = (request.get("io_cores") or 0,
                          (request.get("profile") or "") if is_applied else "")
        self.moved = (job.totals["read_bytes"], job.totals["write_bytes"])

    def is_like(self, other: Run) -> bool:
        a, b = self.job, other.job
        return bool(a.nodes and b.nodes and a.summary.scope == b.summary.scope == "job"
                    and a.node_count == b.node_count
                    and all(map(is_near, self.moved, other.moved)))


def is_near(a: int | None, b: int | None) -> bool:
    return a is not None and b is not None and (
        abs(a - b) <= LIKE_BYTES or abs(a - b) * 100 <= max(a, b) * LIKE_PERCENT)


def compare_times(mine: list[float], other: list[float]) -> tuple[int, float]:
    """Compare the means.

    Returns: 1 longer, -1 shorter, 0 no significant difference; and the difference in percent.
    """
    base = samples.mean(mine)
    percent = (samples.mean(other) - base) * 100 / base if base > 0 else 0.0
    differ = samples.differ(mine, other)
    if differ is None:
        differ = abs(percent) >= SINGLE_PERCENT
    return ((percent > 0) - (percent < 0)) * differ, percent


ADVICE = ("code", "fs", "what", "why", "do", "confidence")


class Search:
    """Search of options for the next run of a job."""

    def __init__(self, job: Run, runs: list[Run], settings: Json) -> None:
        self.job, self.settings = job, settings
        self.runs = runs
        self.like = [run for run in runs if job.is_like(run)]
        self.steps: list[Json] = []
        self.taken: set[str] = set()
        for told in job.advice or []:
            step = {"option": None, "taken": False, "note": None,
                    **{key: told.get(key) for key in ADVICE}}
            self.steps.append(step)
            self.propose(step, told.get("option") or {})
        if job.advice is not None:
            self.add_best()

    def options(self) -> str:
        return " ".join(step["option"] for step in self.steps if step["taken"])

    def times(self, cores: int | None, profile: str) -> tuple[list[float], str]:
        """Return the seconds of comparable runs with this setup, and the ID of the first one.

        cores: None: any number.
        """
        found = [run for run in self.like if run.seconds > 0 and run.setup[1] == profile
                 and cores in (None, run.setup[0])]
        return [run.seconds for run in found], found[0].id if found else ""

    def own_times(self) -> list[float]:
        own = [self.job.seconds] if self.job.seconds > 0 else []
        return own + self.times(*self.job.setup)[0]

    def ask_runs(self, step: Json, cores: int | None, profile: str,
                 is_saving: bool = False) -> bool:
        """Return True if no run with this setup contradicts it.

        is_saving: fewer cores, which need not be faster.
        """
        mine, (other, first) = self.own_times(), self.times(cores, profile)
        if not other or not mine:
            return True
        sign, percent = compare_times(mine, other)
        more = f" and {len(other) - 1} more" if len(other) > 1 else ""
        step["note"] = f"run {first}{more} had it: " + (
            f"{abs(percent):.0f} % {'more' if sign > 0 else 'less'} time" if sign
            else "no difference in time")
        return sign < 0 or (is_saving and sign == 0)

    def take(self, step: Json, kind: str, *asked: Any) -> None:
        """Take one option of each kind; the first one has the largest share."""
        if kind in self.taken:
            step["note"] = "another advice is worth more"
        elif not asked or self.ask_runs(step, *asked):
            step["taken"] = True
            self.taken.add(kind)

    def propose(self, step: Json, option: Json) -> None:
        if option.get("io_cores"):  # no option sets io-cores to 0
            self.propose_cores(step, option["io_cores"])
        elif "mount_option" in option:
            self.propose_profile(step, option["mount_option"])
        elif "exclusive" in option:
            step["option"] = "--exclusive"
            self.take(step, "exclusive")
        elif is_word(option.get("exclude") or ""):
            self.propose_without(step, option["exclude"])

    def propose_cores(self, step: Json, cores: int) -> None:
        least, most = self.settings["io_cores_min"], self.settings["io_cores_max"]
        if not least <= cores <= most:
            step["note"] = f"this site allows {least} to {most} io-cores"
            return
        step["option"] = f"--io-cores={cores}"
        mine = self.job.setup
        self.take(step, "cores", cores, mine[1], cores < mine[0])

    def propose_profile(self, step: Json, option: str) -> None:
        name = self.find_profile(step["fs"] or "", option)
        if not name:
            step["note"] = f"jobio.conf has no profile with {option} on this host"
            return
        step["option"] = f"--io-profile={name}"
        self.take(step, "profile", None, name)

    def find_profile(self, fs: str, option: str) -> str | None:
        """Return a profile that fits: "stream" if it is one of several, else the first."""
        names = [p["name"] for p in self.settings["profiles"]
                 if is_word(p["name"]) and p["name"] != self.job.setup[1]
                 and self.is_fit(p, fs, option)]
        return "stream" if "stream" in names else next(iter(names), None)

    def is_fit(self, profile: Json, fs: str, option: str) -> bool:
        """Return True if the profile sets the option for the filesystem on all nodes of the job,
        and writecache, with which other nodes read old data, nowhere."""
        is_found = False
        for client, _ in self.job.job.clients:
            given = next((c for c in profile["clients"] if c["name"] == client["name"]), profile)
            options = given["mount_options"].split(",")
            if "writecache" in options:
                return False
            if any(m["mount"] == fs for m in client.get("mounts") or []):
                if option not in options or given.get("refused"):
                    return False
                is_found = True
        return is_found

    def propose_without(self, step: Json, node: str) -> None:
        """Propose to exclude the node if it was slow in most other runs: in one job it may have
        been another job's I/O."""
        there = [run for run in self.runs if any(n["node"] == node for n in run.job.nodes)]
        slow = sum(1 for run in there if any(
            (a.get("option") or {}).get("exclude") == node for a in run.advice or []))
        step["option"] = f"--exclude={node}"
        step["note"] = f"it was slow in {slow} of {len(there)} other runs on it"
        step["taken"] = slow > len(there) - slow

    def add_best(self) -> None:
        """Add the setup with the shortest runs, if they are shorter than the job's beyond
        chance."""
        if self.taken & {"cores", "profile"}:
            return
        mine, most, best = self.own_times(), 0.0, None
        for setup in dict.fromkeys(run.setup for run in self.like):
            other, first = self.times(*setup)
            if setup == self.job.setup or not samples.differ(mine, other):
                continue
            sign, percent = compare_times(mine, other)
            if sign < 0 and percent < most:
                most, best = percent, setup
                note = (f"run {first} and {len(other) - 1} more took {-percent:.0f} % less time "
                        f"than {len(mine)} like this one")
        if not best or (best[1] and not is_word(best[1])):
            return
        cores, profile = best
        old_cores, old_profile = self.job.setup
        words = [f"--io-cores={cores}"] if cores and cores != old_cores else []
        words += [f"--io-profile={profile}"] if profile and profile != old_profile else []
        # no option unsets a profile or io-cores
        can = bool(words and (profile or not old_profile) and (cores or not old_cores))
        self.steps.append({"option": " ".join(words) or None, "taken": can, "note": note,
                           **dict.fromkeys(ADVICE)})

    def to_json(self) -> Json:
        return {"id": self.job.id, "judged": self.job.advice is not None, "options": self.options(),
                "runs": len(self.runs), "runs_like_it": len(self.like), "steps": self.steps}


# ---- text --------------------------------------------------------------------------

def reason(step: Json) -> str:
    """Return the reasons for or against an option, as sentences."""
    note = (step["note"] or "")[:1].upper() + (step["note"] or "")[1:]
    seen = ". ".join(words.rstrip(".") for words in (step["what"], step["why"], note) if words)
    place = f" on {step['fs']}" if step["fs"] else ""
    return seen + "." + (f" ({step['code']}{place}, {step['confidence']})" if step["code"] else "")


def told(search: Search) -> str:
    job, runs = search.job.job, len(search.runs)
    lines = [f"job {job.id}{', user ' + job.user if job.user else ''}: "
             f"{plural(runs, 'other run')} in 30 days, {len(search.like)} alike (as many nodes, "
             f"bytes within {LIKE_PERCENT} %)"]
    for step in search.steps:
        head = (tone("good", step["option"]) if step["taken"] else
                f"not {step['option']}" if step["option"] else f"by hand: {step['do']}")
        lines.append(f"  {head}\n      {reason(step)}")
    options = search.options()
    if options:
        lines.append(f"next time: sbatch {options} SCRIPT")
    else:
        lines.append("next time: no other options: " + (
            "none of these is an option of sbatch that is known to help" if search.steps
            else advice.silence(job.answer)))
    return "\n".join(lines)


def too_little(job: Job) -> str:
    return f"job: '{job.id}': too little to judge: " + (
        advice.silence(job.answer) if job.nodes else
        f"no records of its nodes: {job.why_not_ledger}")


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
    listed = source.jobs_listed([r for r in rows if r.name == row.name and r.user == row.user
                                 and r.raw_id != row.raw_id and r.word == "COMPLETED"][-RUNS_MAX:])
    source.fill(listed)
    return [Run(one) for one in listed]


def main(args: list[str]) -> int:
    options, words = read(__doc__, args)
    if len(words) != 1:
        raise Failure("of which job? one, as in jobio advise 7", USAGE)
    if "options" in options and "json" in options:
        raise Failure("--options and --json exclude each other", USAGE)
    if "[" in words[0]:
        raise Failure(f"job: '{words[0]}': several: name one of its tasks", USAGE)
    record.check(words[0])
    with closing(record.Source("advise", options.get("conf"))) as source:
        source.start(sacct.query(jobs=words[0]))
        job = Run(source.job(words[0]))
        settings = source.ledger.ask(op="settings")
        search = Search(job, other_runs(source, job.job),
                        settings if settings.get("ok") else ANYTHING)
    if "json" in options:
        print(json.dumps(search.to_json(), ensure_ascii=False, separators=(",", ":")))
    elif job.advice is None:
        print("jobio: advise: " + too_little(job.job), file=sys.stderr)
    elif "options" not in options:
        print(told(search))
    elif search.options():
        print(search.options())
    return 0
