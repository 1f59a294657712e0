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

from report import record, sacct, summary, units
from report.command import USAGE, Failure
from report.job import TIMES
from report.ledger import Ledger
from report.summary import Summary
from report.types import Json

LIMIT = 20  # lines of each table
GATE_MAX = 1000  # jobs, the last ones to end
GATE_SHOWN = 20
HOUR_S = 3600
ALL_FILES = "(all files)"
HEADS = {"filesystems": "Filesystem", "users": "User", "accounts": "Account",
         "profiles": "Profile", "advice": "Advice"}
NAMES = {"users": "user", "accounts": "account", "profiles": "profile"}  # columns
TOTALS = ("jobs", "node_s", "node_wide", "judged", "warned_jobs", "warned_tasks", "refused_jobs",
          "refused_tasks")
FIRST = ("jobs", "node_s", "read_bytes", "write_bytes", "meta", "peak_Bps", "peak_job")
TIMES_ALL = (*TIMES, "thread_us")
ADDED = ("jobs", "node_s", "read_bytes", "write_bytes", "meta", *TIMES_ALL)


class Site:
    """Sums of the jobs that ended from since to before until."""

    def __init__(self, since: int, until: int, why_not_ledger: str = "") -> None:
        self.since, self.until, self.why_not_ledger = since, until, why_not_ledger
        self.silent = 0  # jobs in sacct without a summary
        self.totals = dict.fromkeys(TOTALS, 0)
        self.sums: dict[str, dict[tuple[str, str], Json]] = {kind: {} for kind in HEADS}
        self.gate: list[Json] = []

    def add(self, kind: str, more: Json) -> None:
        """Add more to the sum of its name; unknown values are skipped."""
        key = (more["name"], more.get("cluster", ""))
        found = self.sums[kind].get(key)
        if found is None:
            self.sums[kind][key] = dict(more)
            return
        for name in ADDED:
            value = more.get(name)
            if value is not None:
                found[name] = value + (found.get(name) or 0)
        if "type" in more:
            found.setdefault("type", more["type"])
        peak, most = more.get("peak_Bps"), found.get("peak_Bps")
        # of two jobs with the same peak the older one is kept, in any order
        if peak is not None and (most is None or (peak, -more["peak_job"]) >
                                 (most, -found["peak_job"])):
            found["peak_Bps"], found["peak_job"] = peak, more["peak_job"]

    def add_row(self, row: Json) -> None:
        """Add a row to the sum of each of its names."""
        numbers = {name: row[name] for name in FIRST}
        numbers.update((name, row[name]) for name in TIMES_ALL if row[name] is not None)
        if row["fs"] is not None:
            where = {"name": row["fs"], "cluster": row["cluster"], "type": row["type"]}
            if row["type"] is None:
                del where["type"]
            self.add("filesystems", {**where, **numbers})
        for kind, column in NAMES.items():
            if row[column] is not None:
                self.add(kind, {"name": row[column], **numbers})
        for code in (row["advice"] or "").split():
            self.add("advice", {"name": code, **numbers})
        if row["user"] is not None:
            for name in TOTALS:
                self.totals[name] += row[name]

    def join(self, page: Json) -> None:
        """Add a page of the ledger."""
        columns = page["columns"]
        values = iter(page["sums"])
        for row in zip(*[values] * len(columns)):
            self.add_row(dict(zip(columns, row)))
        self.gate = sorted(self.gate + page["gate"], key=lambda job: -job["ended"])[:GATE_MAX]

    def sorted(self, kind: str) -> list[Json]:
        """Return the sums, the largest first: by bytes, advice by node hours."""
        def place(one: Json) -> tuple[int, int, str, str]:
            size = (one["node_s"] if kind == "advice"
                    else (one["read_bytes"] or 0) + (one["write_bytes"] or 0))
            return -size, -one["jobs"], one["name"], one.get("cluster", "")
        return sorted(self.sums[kind].values(), key=place)

    def to_json(self) -> Json:
        return {"source": "sacct" if self.why_not_ledger else "ledger",
                "why_not_ledger": self.why_not_ledger or None,
                "since": self.since, "until": self.until, "silent": self.silent,
                "tally": {**self.totals, **{kind: self.sorted(kind) for kind in HEADS},
                          "gate": self.gate}}


# ---- sources -----------------------------------------------------------------------

def ask_ledger(site: Site, ledger: Ledger) -> str:
    """Add the ledger's sums; return the reason if it does not reply, else ""."""
    question = {"op": "site", "since": site.since, "until": site.until}
    answer = ledger.ask(**question)
    while answer.get("ok"):
        after = answer.get("next")
        if after:  # the ledger sums up the next part meanwhile
            ledger.send(**question, after=after)
        site.join(answer)
        if not after:
            return ""
        answer = ledger.answer()
    return record.why_not(answer)


def check_caller(ledger_user: str) -> None:
    """Check that the caller is an administrator: slurmdbd may show all jobs to other users, too."""
    import pwd

    name = pwd.getpwuid(os.geteuid()).pw_name
    if os.geteuid() == 0 or name == ledger_user:
        return
    level = sacct.run_program("sacctmgr", "-nP", "show", "user", f"name={name}",
                              "format=adminlevel")
    if level.split("\n")[0] not in ("Operator", "Administrator"):
        raise Failure("--site: for root, SlurmUser and operators of Slurm only")


def add_summary(site: Site, row: sacct.Row, s: Summary) -> None:
    """Add a job of sacct by its summary, which has one sum for all filesystems."""
    job = int(row.raw_id)
    mine: Json = dict.fromkeys(("fs", "type", "advice", *FIRST, *TIMES_ALL))
    mine.update(cluster=row.cluster, user=row.user, account=row.account,
                profile=s.prof.partition("/")[0], jobs=1,
                node_s=(row.elapsed_s or 0) * (row.nodes or 0), node_wide=s.scope == "node",
                judged=0, warned_jobs=s.gate_warned > 0, warned_tasks=s.gate_warned,
                refused_jobs=s.gate_refused > 0, refused_tasks=s.gate_refused)
    if s.scope == "job":
        peak = max(s.peak_read or 0, s.peak_write or 0) or None
        name, _, kind = s.fs.partition(":")
        mine.update(read_bytes=s.read_bytes, write_bytes=s.write_bytes, meta=s.meta, peak_Bps=peak,
                    peak_job=job if peak else None, fs=s.fs)
        if "all_files" in s.flags or not s.fs:
            mine["fs"] = ALL_FILES
        elif kind and "," not in kind:
            mine.update(fs=name, type=kind)
    site.add_row(mine)
    if s.gate_warned or s.gate_refused:
        site.gate.append({"cluster": row.cluster, "user": row.user, "job": job, "ended": row.end,
                          "warned": s.gate_warned, "refused": s.gate_refused})


def slurm_time(when_s: int) -> str:
    return units.clock(when_s, "%Y-%m-%dT%H:%M:%S")


def ask_sacct(site: Site, ledger_user: str) -> None:
    check_caller(ledger_user)
    # one more hour at both ends: sacct may use either of two equal times when daylight saving ends
    words = sacct.query(since=slurm_time(site.since - HOUR_S),
                        until=slurm_time(site.until + HOUR_S), everybody=True)
    for row in sacct.ask(words):
        if not site.since <= (row.end or -1) < site.until:
            continue
        told = summary.parse(row.summary)
        if told:
            add_summary(site, row, told)
        else:
            site.silent += 1
    site.gate = sorted(site.gate, key=lambda job: -job["ended"])[:GATE_MAX]


def get(since: int, until: int, conf: str | None) -> Site:
    site = Site(since, until)
    with closing(Ledger(conf)) as ledger:
        why = ask_ledger(site, ledger)
        user = ledger.ask(op="settings").get("ledger", {}).get("user") or "" if why else ""
    if not why:
        return site
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


def seconds_of(unit: str) -> int:
    """Return the seconds of a unit as Slurm's parse_time.c does: any prefix of the word."""
    return next((s for name, s in SPANS.items() if name.startswith(unit.lower())), 0)


def when(name: str, text: str, now: int) -> int:
    shift = re.fullmatch(r"now(?:([-+])(\d{1,9})([A-Za-z]*))?", text, re.I)
    if shift and (not shift[1] or seconds_of(shift[3])):
        step = int(shift[2] or 0) * seconds_of(shift[3] or "")
        return now - step if shift[1] == "-" else now + step
    today = time.localtime(now)
    if text.lower() in ("today", "midnight", "noon"):
        text = "12:00" if text.lower() == "noon" else "00:00"
    for form in FORMS:
        try:
            told = time.strptime(text, form)
        except ValueError:
            continue
        day = told[:3] if "%Y" in form else today[:3]
        return int(time.mktime((*day, *told[3:6], 0, 0, -1)))
    raise Failure(f"--{name}: '{text[:60]}': not a time like now-7days, today, 2026-11-15 or "
                  "2026-11-15T12:30", USAGE)


# ---- common words of text and page -------------------------------------------------

def hours(seconds: float) -> str:
    value = seconds / HOUR_S
    return f"{value:.1f}" if value < 100 else units.count(value)


def name_of(site: Site, kind: str, one: Json) -> str:
    """Return the name of a sum; filesystems with one name on several clusters have the cluster."""
    if not one["name"]:
        return "none" if kind == "profiles" else "unknown"
    is_many = kind == "filesystems" and len({c for _, c in site.sums[kind]}) > 1
    return (f"{one['name']}" + (f" ({one['type']})" if one.get("type") else "")
            + (f" on {one['cluster']}" if is_many else ""))


def gate_words(site: Site) -> str:
    """Return the number of tasks that ran and that were refused."""
    t, plural = site.totals, units.plural
    words = []
    if t["warned_jobs"]:
        words.append(f"{plural(t['warned_tasks'], 'task')} of {plural(t['warned_jobs'], 'job')} "
                     "could run on CPUs of a client, and ran "
                     "(gate = enforce refuses those of jobs with io-cores)")
    if t["refused_jobs"]:
        words.append(f"{plural(t['refused_tasks'], 'task')} of {plural(t['refused_jobs'], 'job')} "
                     f"{'was' if t['refused_tasks'] == 1 else 'were'} refused")
    return "; ".join(words) or "no task could run on CPUs of a client"


def notes(site: Site) -> list[str]:
    t, silent = site.totals, site.silent
    found = []
    if t["node_wide"]:
        found.append(f"{units.plural(t['node_wide'], 'job')} with node-wide numbers only: counted, "
                     "but without bytes")
    if silent:
        found.append(f"{units.plural(silent, 'job')} without a summary: not counted")
    if site.why_not_ledger:
        found.append(f"from the summaries in sacct, without advice: {site.why_not_ledger}")
    return found


def rows(site: Site, kind: str) -> list[Json]:
    """Return the values of each sum; None: unknown."""
    judged = site.totals["judged"]
    return [{**one, "name": name_of(site, kind, one), "hours": hours(one["node_s"]),
             "io_s": io_s(one), "share": one["jobs"] / judged if judged else 0,
             "cure": advice_words(one["name"]) if kind == "advice" else ""}
            for one in site.sorted(kind)]


def io_s(one: Json) -> float | None:
    """Return the processes' seconds in I/O."""
    us = units.known(one.get(name) for name in TIMES)
    return None if us is None else us / 1e6


def advice_words(code: str) -> str:
    from report import advice

    cure = advice.words_of(code, "").get("cure") or "see man jobio-advice"
    return re.sub(r"\{(\w+)\}", lambda number: number[1].upper(), cure)


def view(site: Site, limit: int) -> Json:
    """Return all values of a page."""
    t = site.totals
    tables = [{"kind": kind, "head": HEADS[kind], "rows": found[:limit], "more": len(found) - limit}
              for kind in HEADS if (found := rows(site, kind))]
    return {"since": slurm_time(site.since), "until": slurm_time(site.until), "jobs": t["jobs"],
            "hours": hours(t["node_s"]), "notes": notes(site), "gate": gate_words(site),
            "warned": t["warned_jobs"] > 0, "tables": tables,
            "gate_jobs": site.gate[:limit], "gate_more": len(site.gate) - limit}


# ---- text and CSV ------------------------------------------------------------------

def text(site: Site, limit: int) -> str:
    seen = view(site, limit)
    t = site.totals
    lines = [f"{units.plural(t['jobs'], 'job')} that ended from {seen['since']} to "
             f"{seen['until']}, {seen['hours']} node hours"]
    lines += [f"  {'note':<6} {note}" for note in seen["notes"]]
    lines.append(f"  {'gate':<6} {seen['gate']}")
    for job in [job for job in site.gate if job["warned"]][:GATE_SHOWN]:
        lines.append(f"         job {job['job']} of {job['user'] or 'unknown'} on cluster "
                     f"{job['cluster']}: {units.plural(job['warned'], 'task')} that ran")
    if t["warned_jobs"] > GATE_SHOWN:
        lines.append(f"         and {t['warned_jobs'] - GATE_SHOWN} more: --csv has them")
    for table in seen["tables"]:
        lines += ["", *table_lines(table, limit)]
    return "\n".join(lines) + "\n"


def table_lines(table: Json, limit: int) -> list[str]:
    is_advice = table["kind"] == "advice"
    head = f"{table['head']:<28} {'Jobs':>7} {'Node hours':>10} "
    lines = [head + (f"{'Of jobs':>8}  What to do" if is_advice else
                     f"{'Read':>9} {'Written':>9} {'Metadata':>9} {'I/O hours':>9} {'Peak/s':>9}"
                     "  of job")]
    for row in table["rows"]:
        name = row["name"]
        if len(name) > 28:  # keep its numbers aligned
            lines.append(name)
            name = ""
        line = f"{name:<28} {units.count(row['jobs']):>7} {row['hours']:>10} "
        if is_advice:
            line += f"{row['share'] * 100:7.0f}%  {row['cure']}"
        else:
            cells = [*(units.size(row[key], "-") for key in ("read_bytes", "write_bytes")),
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


def csv(site: Site) -> str:
    from report.csv import cell

    def line(*cells: object) -> str:
        return ",".join(map(cell, cells))

    lines = [CSV_HEAD]
    for kind in HEADS:
        for one in site.sorted(kind):
            head = line(kind, one["name"], one.get("cluster", ""), one.get("type", ""), one["jobs"])
            numbers = [None if kind == "advice" else one[key] for key in FIRST[2:]]
            lines.append(f"{head},{one['node_s'] / HOUR_S:.3f},{line(*numbers, None, None)}")
    lines += [line("gate", job["user"], job["cluster"], "", 1, *[None] * 5, job["job"],
                   job["warned"] or 0, job["refused"] or 0) for job in site.gate]
    return "\n".join(lines) + "\n"


def run(values: Json, form: str) -> int:
    """Run the command.

    values: options of the command line
    form: "json", "csv" or "" for text
    """
    now = int(time.time())
    since = when("starttime", values.get("starttime", "now-1days"), now)
    until = when("endtime", values.get("endtime", "now"), now)
    if until < since:
        raise Failure("--endtime: it is before --starttime", USAGE)
    site = get(since, until, values.get("conf"))
    limit: int = values.get("limit", LIMIT)
    html = values.get("html")
    if html:
        from report import page

        page.write(html, page.site(view(site, limit)))
    elif form == "json":
        print(json.dumps(site.to_json(), ensure_ascii=False, separators=(",", ":")))
    else:
        sys.stdout.write(csv(site) if form == "csv" else text(site, limit))
    return 0
