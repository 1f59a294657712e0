#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""account.py rows|summary FILE.cases - check what jobio-ledgerd writes to slurmdbd

With a ledger of tests/scripts/ledger.bash that writes to tests/tools/slurmdb.c:
$DIR, $BUILDDIR, $SLURMDB. Every row of the table is a job of its own; all are sent
together, in any order. Prints differences from the table, and then exits 1.
"""
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import time

DIR, SLURMDB = os.environ["DIR"], os.environ["SLURMDB"]
NOW = int(time.time())
AGE_S, LATE_S = 30, 150  # time since the end of a run: below, and above the 120 s for which it waits for its row
START = (NOW - 8192) // 4096 * 4096  # a multiple of each width of a timeline


def groups(path):
    """Yield (name of the group, lines) of each case"""
    name, lines = "", []
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith("= "):
            name = line[2:]
        elif line and not line.startswith("#"):
            lines.append(line)
            if sys.argv[1] == "rows" or line.startswith("->"):
                yield name, lines
                lines = []


def spool(record):
    path = "%s/spool/%d.%s.%s.json" % (DIR, record["job"], record.get("restart"), record["node"])
    copy = 0
    while os.path.exists(path):  # another record of the same node
        copy += 1
        path = "%s/spool/%d.%d-%d.json" % (DIR, record["job"], copy, record["job"])
    with open(path, "w", encoding="utf-8") as out:
        json.dump(record, out)


def head(job, node, start, end):
    return {"jobio": 1, "cluster": "c", "job": job, "restart": None, "node": node, "nodelist": node, "uid": 1000,
            "user": "u", "start": start, "end": end}


def send_all(rows):
    """Send the records, wait until each run is written or postponed; returns the rows of each job"""
    with open(SLURMDB + "/rows", "w", encoding="utf-8") as out:
        out.writelines("c %d %d %d %d %d %s %s|%s\n" % row for row in rows)
    said = subprocess.run([os.environ["BUILDDIR"] + "/jobio-send", "--once", "--conf=" + DIR + "/jobio.conf"],
                          stderr=subprocess.PIPE, text=True, check=True).stderr
    assert said.endswith(" sent, 0 bad\n"), said
    store = sqlite3.connect(DIR + "/store.sqlite", timeout=10)
    for _ in range(600):
        if not store.execute("SELECT count(*) FROM runs WHERE dirty=1 AND tries=0").fetchone()[0]:
            break
        time.sleep(0.1)
    found = {}
    for line in open(SLURMDB + "/rows", encoding="utf-8"):
        found.setdefault(int(line.split()[1]), []).append(line.rstrip("\n").split("|", 1)[1])
    return found


def row(job, number, base, text):
    """Make a row of slurmdbd from "START-END:FLAGS"; END may be missing"""
    times, _, flags = text.partition(":")
    start, _, end = times.partition("-")
    parts = "%d 0 - -" % job if "l" in flags else "- - - -"
    return (job, base + number, base + int(start) if start != "0" else 0, base + int(end) if end else 0,
            0 if "w" in flags else 3 if end else 1, parts, "a", "jobio/1 rd=another" if "t" in flags else "")


def rows_of(path):
    wanted, rows, bad = {}, [], []
    for job, (name, (line,)) in enumerate(groups(path), 1000):
        its, run, want = (part.strip() for part in line.split("|"))
        match = re.fullmatch(r"(?:#(\d+) )?([\d.]+)-([\d.]+)( late)?", run)
        number, start, end, late = match.groups()
        base = NOW - (LATE_S if late else AGE_S) - int(float(end)) - 1
        rows += [row(job, i, base, text) for i, text in enumerate(its.split())]
        record = head(job, "n1", base + float(start), base + float(end))
        record["restart"] = None if number is None else int(number)
        spool(record)
        wanted[job] = (name, line, want)
    for job, comments in send_all(rows).items():
        got = [str(i) for i, text in enumerate(comments, 1) if "nodes=1/1" in text] or ["none"]
        name, line, want = wanted[job]
        if got != [want]:
            bad.append("%s: %s: row %s" % (name, line, ", ".join(got)))
    return bad, len(wanted)


def io(read, source="stepd", fs=None, **more):
    """Counters of a case: bytes read by one call, twice as many written by an unknown number of calls"""
    numbers = {"read_bytes": read, "write_bytes": None if "timeline" in more else 2 * read,
               "read_calls": 1} if read is not None else {}
    return {"source": source, "fs": fs, **numbers, **more}


def node(number, *apps, **more):
    """A node's part of a case"""
    return {"node": "n%d" % number, "app": list(apps), **more}


def mounts(*pairs):
    """A client with these mounts: PATH or (PATH, TYPE)"""
    return {"name": "work", "type": "weka", "mounts": [
        {"mount": p if isinstance(p, str) else p[0], "fstype": "wekafs" if isinstance(p, str) else p[1],
         "source": "d"} for p in pairs]}


def at(*rows, width=1):
    """A timeline of (second, bytes read)"""
    start = rows[0][0]
    moved = [0] * ((rows[-1][0] - start) // width + 1)
    for when, count in rows:
        moved[(when - start) // width] += count
    return {"start": start, "width_s": width, "read_bytes": moved, "calls": [1 if n else 0 for n in moved]}


def merged(base, patch):
    for key, value in patch.items():
        base[key] = merged(dict(base.get(key) or {}), value) if isinstance(value, dict) else value
    return base


def record_of(job, patch):
    """Make a record from a node's part of a case: times count from START; sources are stepd (app) and nfs (wire)"""
    record = merged(head(job, "n1", 0, 1000), patch)
    for key in "start", "end":
        record[key] = None if record[key] is None else START + record[key]
    for key, scope, source in (("app", "job", "stepd"), ("wire", "node", "nfs")):
        record[key] = [merged({"scope": scope, "source": source, "fs": None}, io) for io in record.get(key, [])]
        for io in record[key]:
            if "timeline" in io:
                io["timeline"]["start"] += START
    return record


def complaint(text, want):
    """Difference of a comment: required tokens, tokens that must be missing (!key), or the whole text ("..")"""
    if want.startswith('"'):
        return "" if text == json.loads(want) else want
    tokens = text.split(" ")
    return " ".join(word for word in want.split()
                    if (any(t.startswith(word[1:] + "=") for t in tokens) if word[0] == "!" else word not in tokens))


def summary_of(path):
    wanted, rows, bad = {}, [], []
    for number, (name, lines) in enumerate(groups(path)):
        before = json.loads(lines[0][2:]) if lines[0].startswith("< ") else ""
        patches = [eval(line, globals()) for line in lines[before != "":-1]]  # pylint: disable=eval-used
        patches = [one for patch in patches for one in (patch if isinstance(patch, list) else [patch])]
        for job, order in ((10000 + number, patches), (20000 + number, patches[::-1] + patches)):
            for patch in order:  # in this order, and in the opposite order with duplicates
                spool(record_of(job, {"nodelist": ",".join(sorted({p.get("node", "n1") for p in patches})), **patch}))
            rows.append((job, START, START, START + 1000, 3, "- - - -", "a", before))
            wanted[job] = (name, lines[-1][2:].strip())
    for job, (text,) in send_all(rows).items():
        name, want = wanted[job]
        wrong = complaint(text, want)
        if wrong or len(text) > 60000 or not re.search(r"\bjobio/1( [a-z]+=[A-Za-z0-9+/=._:;,@%-]+)+", text):
            bad.append("%s: wanted %s in: %s" % (name, wrong, text))
    return bad, len(wanted)


def main():
    random.seed(NOW)
    bad, count = {"rows": rows_of, "summary": summary_of}[sys.argv[1]](sys.argv[2])
    print("\n".join(bad) if bad else "%d jobs" % count)
    return bool(bad)


sys.exit(main())
