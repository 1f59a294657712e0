# SPDX-License-Identifier: GPL-2.0-or-later
"""jobio report --site: I/O of all jobs of some days on a site's filesystems.

The ledger sums them up, page by page. Without it the summaries in sacct are summed up: they
have no advice, and one sum for all filesystems of a job. A row is a dict of the columns of the
ledger (ledger/store_site.h): it counts for each name in it that is not None.
"""
from __future__ import annotations

import json
import os
import re
import sys
import time
from contextlib import closing

from report import csv, sacct, summary, units
from report.command import USAGE, Failure
from report.ledger import Ledger, why_not
from report.record import TIMES
from report.summary import Summary
from report.types import Json, Options

GATE_MAX = 1000  # jobs, the last ones to end
GATE_SHOWN = 20
NAME_WIDTH = 28
HOUR_S = 3600
ALL_FILES = "(all files)"
HEADS = {"filesystems": "Filesystem", "users": "User", "accounts": "Account",
         "profiles": "Profile", "advice": "Advice"}
NAMES = {"users": "user", "accounts": "account", "profiles": "profile"}  # columns
COUNTS = ("jobs", "node_s", "node_wide", "judged", "warned_jobs", "warned_tasks", "refused_jobs",
          "refused_tasks")
NUMBERS = ("jobs", "node_s", "read_bytes", "write_bytes", "meta")
ALWAYS = (*NUMBERS, "peak_Bps", "peak_job")
TIMES_ALL = (*TIMES, "thread_us")


class Total:
    """The sum of the jobs of a user, an account, a profile, an advice or a filesystem.

    cluster, type: of filesystems only
    peak_Bps, peak_job: the maximum of one node in a second, and its job
    """

    __slots__ = ("name", "cluster", "type", *ALWAYS, *TIMES_ALL)
    type: str | None
    jobs: int
    node_s: int
    read_bytes: int | None
    write_bytes: int | None
    meta: int | None
    peak_Bps: int | None
    peak_job: int | None

    def __init__(self, name: str, cluster: str | None) -> None:
        for member in self.__slots__:
            setattr(self, member, None)
        self.name = name
        self.cluster = cluster

    def add(self, row: Json) -> None:
        """Add a row; unknown values are skipped."""
        for name in (*NUMBERS, *TIMES_ALL):
            if row[name] is not None:
                setattr(self, name, row[name] + (getattr(self, name) or 0))
        # of two jobs with the same peak the older one is kept, in any order
        if peak_key(row["peak_Bps"], row["peak_job"]) > peak_key(self.peak_Bps, self.peak_job):
            self.peak_Bps, self.peak_job = row["peak_Bps"], row["peak_job"]

    @property
    def moved(self) -> int:
        return (self.read_bytes or 0) + (self.write_bytes or 0)

    @property
    def io_s(self) -> float | None:
        """Return the processes' seconds in I/O."""
        us = units.known(getattr(self, name) for name in TIMES)
        return None if us is None else us / 1e6

    def to_json(self) -> Json:
        """Return the members; of filesystems' names and of times those that are known."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in values.items()
                if value is not None or name in ALWAYS}


def peak_key(rate: int | None, job: int | None) -> tuple[int, int]:
    return (-1, 0) if rate is None else (rate, -(job or 0))


class Site:
    """Sums of the jobs that ended from since to before until, in seconds since 1970.

    without_summary: number of jobs in sacct without a summary
    gate: jobs with tasks that the gate warned about or refused: "user", "cluster", "job", "ended",
        "warned", "refused"
    """

    def __init__(self, since: int, until: int, why_not_ledger: str = "") -> None:
        self.since = since
        self.until = until
        self.why_not_ledger = why_not_ledger
        self.without_summary = 0
        self.counts = dict.fromkeys(COUNTS, 0)
        self.totals: dict[str, dict[tuple[str, str | None], Total]] = {kind: {} for kind in HEADS}
        self.gate: list[Json] = []

    def add(self, kind: str, name: str, row: Json, cluster: str | None = None) -> Total:
        """Add a row to the sum of a name, and cluster; return the sum."""
        totals = self.totals[kind]
        found = totals.get((name, cluster))
        if not found:
            found = totals[name, cluster] = Total(name, cluster)
        found.add(row)
        return found

    def add_row(self, row: Json) -> None:
        """Add a row to the sum of each of its names."""
        if row["fs"] is not None:
            total = self.add("filesystems", row["fs"], row, row["cluster"])
            total.type = total.type or row["type"]
        for kind, column in NAMES.items():
            if row[column] is not None:
                self.add(kind, row[column], row)
        for code in (row["advice"] or "").split():
            self.add("advice", code, row)
        if row["user"] is not None:
            for name in COUNTS:
                self.counts[name] += row[name]

    def add_page(self, page: Json) -> None:
        """Add a page of the ledger: "columns", and "sums": the values of all rows."""
        columns = page["columns"]
        values = iter(page["sums"])
        for row in zip(*[values] * len(columns)):
            self.add_row(dict(zip(columns, row)))
        self.add_gate(page["gate"])

    def add_gate(self, jobs: list[Json]) -> None:
        self.gate = sorted(self.gate + jobs, key=lambda job: -job["ended"])[:GATE_MAX]

    def sorted(self, kind: str) -> list[Total]:
        """Return the sums, the largest first: by bytes, advice by node hours."""
        def place(one: Total) -> tuple[int, int, str, str]:
            size = one.node_s if kind == "advice" else one.moved
            return -size, -one.jobs, one.name, one.cluster or ""
        return sorted(self.totals[kind].values(), key=place)

    def to_json(self) -> Json:
        tally: Json = {kind: [one.to_json() for one in self.sorted(kind)] for kind in HEADS}
        return {"source": "sacct" if self.why_not_ledger else "ledger",
                "why_not_ledger": self.why_not_ledger or None, "since": self.since,
                "until": self.until, "silent": self.without_summary,
                "tally": {**self.counts, **tally, "gate": self.gate}}


# ---- sources -----------------------------------------------------------------------

def ask_ledger(site: Site, ledger: Ledger) -> str:
    """Add the ledger's sums; return the reason if it does not reply, else ""."""
    request = {"op": "site", "since": site.since, "until": site.until}
    answer = ledger.ask(**request)
    while answer.get("ok"):
        after = answer.get("next")
        if after:  # the ledger sums up the next part meanwhile
            ledger.send(**request, after=after)
        site.add_page(answer)
        if not after:
            return ""
        answer = ledger.answer()
    return why_not(answer)


def check_caller(ledger_user: str) -> None:
    """Check that the caller is an administrator: slurmdbd may show all jobs to other users, too.

    Raises: Failure
    """
    import pwd

    name = pwd.getpwuid(os.geteuid()).pw_name
    if os.geteuid() == 0 or name == ledger_user:
        return
    level = sacct.run_program("sacctmgr", "-nP", "show", "user", f"name={name}",
                              "format=adminlevel")
    if level.split("\n")[0] not in ("Operator", "Administrator"):
        raise Failure("--site: for root, SlurmUser and operators of Slurm only")


def filesystem_of(s: Summary) -> tuple[str, str | None]:
    """Return name and type of the filesystems in a summary."""
    name, _, kind = s.fs.partition(":")
    if "all_files" in s.flags or not s.fs:
        return ALL_FILES, None
    return (name, kind) if kind and "," not in kind else (s.fs, None)


def add_summary(site: Site, row: sacct.Row, s: Summary) -> None:
    """Add a job of sacct by its summary, which has one sum for all filesystems."""
    job = int(row.raw_id)
    own: Json = dict.fromkeys(("fs", "type", "advice", *ALWAYS, *TIMES_ALL))
    own.update(cluster=row.cluster, user=row.user, account=row.account,
               profile=s.prof.partition("/")[0], jobs=1,
               node_s=(row.elapsed_s or 0) * (row.nodes or 0), node_wide=s.scope == "node",
               judged=0, warned_jobs=s.gate_warned > 0, warned_tasks=s.gate_warned,
               refused_jobs=s.gate_refused > 0, refused_tasks=s.gate_refused)
    if s.scope == "job":
        own["fs"], own["type"] = filesystem_of(s)
        own.update(read_bytes=s.read_bytes, write_bytes=s.write_bytes, meta=s.meta)
        peak = max(s.peak_read or 0, s.peak_write or 0)
        if peak:
            own.update(peak_Bps=peak, peak_job=job)
    site.add_row(own)
    if s.gate_warned or s.gate_refused:
        site.gate.append({"cluster": row.cluster, "user": row.user, "job": job, "ended": row.end,
                          "warned": s.gate_warned, "refused": s.gate_refused})


def slurm_time(when_s: int) -> str:
    return units.clock(when_s, "%Y-%m-%dT%H:%M:%S")


def ask_sacct(site: Site, ledger_user: str) -> None:
    """Add the jobs of sacct.

    Raises: Failure
    """
    check_caller(ledger_user)
    # one more hour at both ends: sacct may use either of two equal times when daylight saving ends
    words = sacct.query(since=slurm_time(site.since - HOUR_S),
                        until=slurm_time(site.until + HOUR_S), everybody=True)
    for row in sacct.ask(words):
        if not site.since <= (row.end or -1) < site.until:
            continue
        found = summary.parse(row.summary)
        if found:
            add_summary(site, row, found)
        else:
            site.without_summary += 1
    site.add_gate([])


def get(since: int, until: int, conf: str | None) -> Site:
    """Return the sums of the ledger or, without it, of sacct.

    since, until: seconds since 1970
    Raises: Failure
    """
    site = Site(since, until)
    user = ""
    with closing(Ledger(conf)) as ledger:
        why = ask_ledger(site, ledger)
        if not why:
            return site
        settings = ledger.ask(op="settings")
        user = settings.get("ledger", {}).get("user") or ""
    if why.startswith("ledger: site: for root"):
        raise Failure(why)
    site = Site(since, until, why)  # without the sums of the ledger so far
    try:
        ask_sacct(site, user)
    except Failure as failure:
        raise Failure(f"{why}; {failure}") from None
    return site


# ---- times of sacct ----------------------------------------------------------------

FORMS = ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d", "%H:%M:%S", "%H:%M")
SPANS = {"seconds": 1, "minutes": 60, "hours": HOUR_S, "days": 24 * HOUR_S, "weeks": 168 * HOUR_S}
TIMES_OF_DAY = {"today": "00:00", "midnight": "00:00", "noon": "12:00"}


def seconds_of(unit: str) -> int:
    """Return the seconds of a unit as Slurm's parse_time.c does: any prefix of the word."""
    return next((s for name, s in SPANS.items() if name.startswith(unit.lower())), 0)


def when(name: str, text: str, now: int) -> int:
    """Parse a time as sacct does.

    name: of the option
    now: seconds since 1970
    Returns: seconds since 1970
    Raises: Failure
    """
    shift = re.fullmatch(r"now(?:([-+])(\d{1,9})([A-Za-z]*))?", text, re.I)
    if shift and not shift[1]:
        return now
    if shift and seconds_of(shift[3]):
        step = int(shift[2]) * seconds_of(shift[3])
        return now - step if shift[1] == "-" else now + step
    today = time.localtime(now)
    for form in FORMS:
        try:
            parsed = time.strptime(TIMES_OF_DAY.get(text.lower(), text), form)
        except ValueError:
            continue
        day = parsed[:3] if "%Y" in form else today[:3]
        return int(time.mktime((*day, *parsed[3:6], 0, 0, -1)))
    raise Failure(f"--{name}: '{text[:60]}': not a time like now-7days, today, 2026-11-15 or "
                  "2026-11-15T12:30", USAGE)


# ---- common words of text and page -------------------------------------------------

def hours(seconds: float) -> str:
    value = seconds / HOUR_S
    return f"{value:.1f}" if value < 100 else units.count(value)


def name_of(site: Site, kind: str, one: Total) -> str:
    """Return the name of a sum; filesystems with one name on several clusters have the cluster."""
    if not one.name:
        return "none" if kind == "profiles" else "unknown"
    name = f"{one.name} ({one.type})" if one.type else one.name
    if kind == "filesystems" and len({cluster for _, cluster in site.totals[kind]}) > 1:
        name += f" on {one.cluster}"
    return name


def gate_words(site: Site) -> str:
    """Return the number of tasks that ran and that were refused."""
    counts = site.counts
    words = []
    if counts["warned_jobs"]:
        words.append(f"{units.plural(counts['warned_tasks'], 'task')} of "
                     f"{units.plural(counts['warned_jobs'], 'job')} could run on CPUs of a client, "
                     "and ran (gate = enforce refuses those of jobs with io-cores)")
    if counts["refused_jobs"]:
        was = "was" if counts["refused_tasks"] == 1 else "were"
        words.append(f"{units.plural(counts['refused_tasks'], 'task')} of "
                     f"{units.plural(counts['refused_jobs'], 'job')} {was} refused")
    return "; ".join(words) or "no task could run on CPUs of a client"


def notes(site: Site) -> list[str]:
    wide = site.counts["node_wide"]
    found = []
    if wide:
        found.append(f"{units.plural(wide, 'job')} with node-wide numbers only: counted, but "
                     "without bytes")
    if site.without_summary:
        found.append(f"{units.plural(site.without_summary, 'job')} without a summary: not counted")
    if site.why_not_ledger:
        found.append(f"from the summaries in sacct, without advice: {site.why_not_ledger}")
    return found


def rows(site: Site, kind: str) -> list[Json]:
    """Return the values of each sum; None: unknown."""
    judged = site.counts["judged"]
    return [{**one.to_json(), "name": name_of(site, kind, one), "hours": hours(one.node_s),
             "io_s": one.io_s, "share": one.jobs / judged if judged else 0,
             "cure": advice_words(one.name) if kind == "advice" else ""}
            for one in site.sorted(kind)]


def advice_words(code: str) -> str:
    """Return the cure of an advice, with names instead of its numbers."""
    from report import advice

    cure = advice.words_of(code, "").get("cure") or "see man jobio-advice"
    return re.sub(r"\{(\w+)\}", lambda number: number[1].upper(), cure)


def view(site: Site, limit: int) -> Json:
    """Return all values of a page.

    limit: rows of each table
    """
    tables = []
    for kind, head in HEADS.items():
        found = rows(site, kind)
        if found:
            tables.append({"kind": kind, "head": head, "rows": found[:limit],
                           "more": len(found) - limit})
    counts = site.counts
    return {"since": slurm_time(site.since), "until": slurm_time(site.until),
            "jobs": counts["jobs"], "hours": hours(counts["node_s"]), "notes": notes(site),
            "gate": gate_words(site), "warned": counts["warned_jobs"] > 0, "tables": tables,
            "gate_jobs": site.gate[:limit], "gate_more": len(site.gate) - limit}


# ---- text and CSV ------------------------------------------------------------------

def text(site: Site, limit: int) -> str:
    seen = view(site, limit)
    lines = [f"{units.plural(seen['jobs'], 'job')} that ended from {seen['since']} to "
             f"{seen['until']}, {seen['hours']} node hours"]
    lines += [f"  {'note':<6} {note}" for note in seen["notes"]]
    lines.append(f"  {'gate':<6} {seen['gate']}")
    for job in [job for job in site.gate if job["warned"]][:GATE_SHOWN]:
        lines.append(f"         job {job['job']} of {job['user'] or 'unknown'} on cluster "
                     f"{job['cluster']}: {units.plural(job['warned'], 'task')} that ran")
    more = site.counts["warned_jobs"] - GATE_SHOWN
    if more > 0:
        lines.append(f"         and {more} more: --csv has them")
    for table in seen["tables"]:
        lines += ["", *table_lines(table, limit)]
    return "\n".join(lines) + "\n"


def table_lines(table: Json, limit: int) -> list[str]:
    is_advice = table["kind"] == "advice"
    head = f"{table['head']:<{NAME_WIDTH}} {'Jobs':>7} {'Node hours':>10} "
    if is_advice:
        head += f"{'Of jobs':>8}  What to do"
    else:
        head += " ".join(f"{name:>9}" for name in ("Read", "Written", "Metadata", "I/O hours",
                                                   "Peak/s")) + "  of job"
    lines = [head]
    for row in table["rows"]:
        name = row["name"]
        if len(name) > NAME_WIDTH:  # keep its numbers aligned
            lines.append(name)
            name = ""
        line = f"{name:<{NAME_WIDTH}} {units.count(row['jobs']):>7} {row['hours']:>10} "
        if is_advice:
            line += f"{row['share'] * 100:7.0f}%  {row['cure']}"
        else:
            cells = [units.size(row["read_bytes"], "-"), units.size(row["write_bytes"], "-"),
                     units.count(row["meta"], "-"),
                     "-" if row["io_s"] is None else hours(row["io_s"]),
                     units.size(row["peak_Bps"], "-")]
            line += " ".join(f"{cell:>9}" for cell in cells) + f"  {row['peak_job'] or '-'}"
        lines.append(line)
    if table["more"] > 0:
        lines.append(f"and {table['more']} more: --limit={limit + table['more']} shows them")
    return lines


CSV_HEAD = ("table,name,cluster,type,jobs,node_hours,read_bytes,write_bytes,metadata,peak_Bps,job,"
            "warned_tasks,refused_tasks")


def csv_lines(site: Site) -> str:
    lines = [CSV_HEAD]
    for kind in HEADS:
        for one in site.sorted(kind):
            numbers = (one.read_bytes, one.write_bytes, one.meta, one.peak_Bps, one.peak_job)
            head = csv.line(kind, one.name, one.cluster or "", one.type or "", one.jobs)
            tail = csv.line(*([None] * 5 if kind == "advice" else numbers), None, None)
            lines.append(f"{head},{one.node_s / HOUR_S:.3f},{tail}")
    lines += [csv.line("gate", job["user"], job["cluster"], "", 1, *[None] * 5, job["job"],
                       job["warned"] or 0, job["refused"] or 0) for job in site.gate]
    return "\n".join(lines) + "\n"


def run(options: Options) -> int:
    """Run jobio report --site; return the exit status."""
    now = int(time.time())
    since = when("starttime", options.starttime, now)
    until = when("endtime", options.endtime, now)
    if until < since:
        raise Failure("--endtime: it is before --starttime", USAGE)
    site = get(since, until, options.conf)
    if options.html:
        from report import page

        page.write(options.html, page.site(view(site, options.limit)))
    elif options.json:
        print(json.dumps(site.to_json(), ensure_ascii=False, separators=(",", ":")))
    else:
        sys.stdout.write(csv_lines(site) if options.csv else text(site, options.limit))
    return 0
