#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""advice.py FILE.cases SAMPLES [print] - check rows of advice.cases, and jobs of tests/samples/advice

Their records are judged by jobio-ledgerd --judge, for each [advice] of a row or a folder, and the
result is printed by report/advice.py. Prints differences from the expected advice; print prints
the advice of the first row of each group."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.environ["SRCDIR"])
from report import advice as words  # noqa: E402

START = 1600001000  # rows of 16 s start 8 s before it
UNITS = {"KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}
SOURCES = {"weka": "container.sock", "nfs": "mountstats", "lustre": "llite"}
NUMBERS = {"mmap": "mmap_read_bytes", "c.meta": "meta_calls", "c.name": "name_calls", "c.lock": "lock_calls",
           "c.asked": "asked_read_bytes", "c.resent": "resent", "c.w_b": "write_bytes",
           "threads": "threads", "r_rand": "read_random", "r_first": "read_first",
           "w_rand": "write_random", "w_first": "write_first"}
SECONDS = {"r_s": "read_us", "w_s": "write_us", "meta_s": "meta_us", "sync_s": "sync_us",
           "close_s": "close_us", "mapped_s": "mapped_us", "async_s": "async_us",
           "life": "thread_us", "slow": "slowest_us", "slow_life": "slowest_life_us"}
OPS = ("open create unlink mkdir rmdir rename link symlink mknod stat readdir chmod chown utimes "
       "truncate fsync lookup_miss").split()


def number(text):
    """1073741824 for "1GiB"; None for ""."""
    match = re.fullmatch(r"([\d.]+)(KiB|MiB|GiB)?", text)
    if not match:
        return None
    value = float(match[1]) if "." in match[1] else int(match[1])
    return int(value * UNITS[match[2]]) if match[2] else value


def calls(value, io, way):
    """CALLSxSIZE or CALLS/BYTES"""
    one, mark, other = re.fullmatch(r"([^x/]*)([x/])(.*)", value).groups()
    io[way + "_calls"] = number(one)
    io[way + "_bytes"] = number(other) * (number(one) if mark == "x" else 1)


def settings(words, node):
    """The words for this node, as a list of (key, value); "row" may occur more than once."""
    for word in words:
        if re.match(r"\d:", word):
            if int(word[0]) != node:
                continue
            word = word[2:]
        key, _, value = word.partition("=")
        yield key, value


class Node:
    """I/O of one node of a job, and its record"""

    def __init__(self, words, node):
        self.has = {"s": "1000", "scope": "job", "mount": "/work", "ahead": "0", "shared": "0"}
        self.io, self.wire, self.meta, self.options = {}, {}, {}, []
        self.rows, self.waits, self.errors = [], [], {}
        for key, value in settings(words, node):
            io = self.wire if key.startswith("c.") else self.io
            short = key[2:] if key.startswith("c.") else key
            if short in ("r", "w"):
                calls(value, io, {"r": "read", "w": "write"}[short])
            elif key in NUMBERS:
                io[NUMBERS[key]] = number(value)
            elif key in SECONDS or short in SECONDS:
                io[SECONDS.get(key) or SECONDS[short]] = round(number(value) * 1e6)
            elif key in OPS:
                self.meta[key] = number(value)
            elif key == "row":
                self.rows.append([number(n) for n in value.split("/")])
            elif key == "wait":
                self.waits.append([float(n) for n in value.split("/")])
            elif key == "err":
                errno, klass, calls_failed = value.split("/")
                self.errors.setdefault(errno, {})[klass] = int(calls_failed)
            elif key == "option":
                self.options.append(value)
            else:
                self.has[key] = value

    def timeline(self):
        after = [one[0] for one in self.rows + self.waits]
        width = int(self.has.get("width", 16))
        while (max(after) - min(after)) / width > 60:
            width *= 2
        first = int(START + min(after)) // width
        count = int(START + max(after)) // width - first + 1
        line = {"start": first * width, "width_s": width, "calls": [0] * count,
                "read_bytes": [0] * count, "write_bytes": [0] * count}
        if self.waits:
            line["io_us"] = [0] * count
        line["calls"][0] = self.io.get("read_calls", 0) + self.io.get("write_calls", 0)
        for when, read, written in self.rows:
            line["read_bytes"][(START + when) // width - first] += read
            line["write_bytes"][(START + when) // width - first] += written
        if not self.rows:
            line["read_bytes"][0] = self.io.get("read_bytes", 0)
            line["write_bytes"][0] = self.io.get("write_bytes", 0)
        for when, seconds in self.waits:
            line["io_us"][int(START + when) // width - first] += round(seconds * 1e6)
        return line

    def app(self):
        io = dict(self.io, scope=self.has["scope"], source="bpf", fs="/work")
        if self.meta:
            io["meta"] = self.meta
        if self.errors:
            io["errors"] = self.errors
        if self.rows or self.waits:
            io["timeline"] = self.timeline()
        if "peak" in self.has:
            read, written = map(number, self.has["peak"].split("/"))
            io["peak"] = {"read_Bps": read, "write_Bps": written, "window_s": 1}
        return io

    def client(self, kind):
        mounts = [self.has["mount"]] + ["/other"] * ("fs2" in self.has)
        if "fs0" in self.has:
            mounts.insert(0, "/other")
        return {"name": "work", "type": kind,
                "mounts": [{"mount": m, "fstype": "fs", "source": "server:" + m} for m in mounts]}

    def request(self):
        cores, profile = int(self.has.get("cores", 0)), self.has.get("profile")
        if not cores and not profile:
            return None
        return {"io_cores": 0 if "unasked" in self.has else cores, "profile": profile,
                "applied": "unapplied" not in self.has, "cores_met": "unmet" not in self.has}

    def record(self, kind, job, node, nodelist):
        start = START + float(self.has["ahead"])
        cores = int(self.has.get("cores", 0))
        record = {"jobio": 1, "cluster": "c", "job": job, "restart": 0, "node": f"c{node}",
                  "nodelist": nodelist, "uid": os.geteuid(), "user": "u", "start": start,
                  "end": start + float(self.has["s"]), "request": self.request(),
                  "client": self.client(kind), "app": [self.app()], "quality": []}
        if cores and "nocores" not in self.has:
            record["io_cores"] = {"count": cores, "os_cpus": "0"}
        if "home" in self.has:
            record["more_clients"] = [{"name": "home", "type": "nfs", "mounts": [
                {"mount": "/home", "fstype": "nfs", "source": "server:/home"}]}]
        if "refused" in self.has:
            record["refused"] = "no"
        if "quality" in self.has:
            record["quality"] = [self.has["quality"]]
        if "finding" in self.has:
            record["findings"] = [{"code": self.has["finding"], "severity": "info", "text": "left out"}]
        record["changes"] = [{"client": "work", "what": "mount-option", "target": "/work", "old": "other",
                              "new": option, "made": "unmade" not in self.has, "restored": True}
                             for option in self.options]
        if self.wire:
            shared = number(self.has["shared"])
            record["wire"] = [dict(self.wire, scope="node", source=SOURCES[kind], client="work",
                                   shared=shared, fs=None if "whole" in self.has else "/work")]
        return record


def variants(words):
    """The row, and one for each number in brackets, which replaces the number before it"""
    pattern = re.compile(r"(?<=[=/])([^=/()]+)\(([^()]*)\)")
    plain = [pattern.sub(r"\1", word) for word in words]
    yield plain, True
    for at, word in enumerate(words):
        for match in pattern.finditer(word):
            changed = word[:match.start()] + match[2] + word[match.end():]
            yield plain[:at] + [pattern.sub(r"\1", changed)] + plain[at + 1:], False


def rows(path):
    """(number of the line, group, [advice] lines, words, expected, words of the advice)"""
    group = ""
    for at, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.strip()
        if line.startswith("= "):
            group = line[2:]
        elif line and not line.startswith("#"):
            what, _, wanted = line.partition(" | ")
            wanted, _, texts = wanted.partition(" | ")
            keys, what = re.fullmatch(r"(?:\[(\S+)\] )?(.*)", what).groups()
            yield at, group, keys or "", what.split(), wanted.split(), texts


def real_jobs(samples, job):
    """Recorded jobs, with the expected advice in their names"""
    for folder in ("", "site", "sim", "short"):
        conf = os.path.join(samples, folder, "jobio.conf")
        if folder and not os.path.exists(conf):
            continue
        keys = open(conf, encoding="utf-8").read().split("[advice]")[1] if folder else ""
        for name in sorted(os.listdir(os.path.join(samples, folder))):
            if not name.endswith(".json"):
                continue
            job += 1
            records = [json.loads(line) for line in open(os.path.join(samples, folder, name), encoding="utf-8")]
            nodes = ",".join(record["node"] for record in records)
            for record in records:
                record.update(job=job, cluster="c", array=None, het=None, restart=0, nodelist=nodes)
            yield job, os.path.join(folder, name), keys, records


def make(table, samples):
    """{[advice]: records}, {job: what is expected}"""
    wanted, sent, job = {}, {}, 0
    for at, group, keys, has, expected, texts in rows(table):
        for variant, is_told in variants(has[1:]):
            job += 1
            count = next((int(word[6:]) for word in variant if word.startswith("nodes=")), 1)
            nodelist = ",".join(f"c{n + 1}" for n in range(count + ("missing" in variant)))
            sent.setdefault(keys, []).extend(
                Node(variant, n + 1).record(has[0], job, n + 1, nodelist) for n in range(count))
            wanted[job] = {"at": f"{at}: {has[0]} {' '.join(variant)}", "group": group,
                           "codes": expected if is_told else ["-" + code for code in expected if code[0] == "A"][:1],
                           "texts": texts if is_told else "", "is_first": "jobs" in group}
    if samples:
        for job, name, keys, records in real_jobs(samples, job):
            sent.setdefault(keys, []).extend(records)
            wanted[job] = {"at": name, "name": os.path.basename(name)}
    return sent, wanted


def ask(sent):
    """Judge each job: yield (number, advice or None)"""
    for keys, records in sent.items():
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as conf:
            conf.write(f"[advice]\n{keys}\n")
            conf.flush()
            done = subprocess.run(
                [os.path.join(os.environ["BUILDDIR"], "jobio-ledgerd"), "--judge", f"--conf={conf.name}"],
                input="".join(json.dumps(record) + "\n" for record in records), stdout=subprocess.PIPE,
                text=True, timeout=60, check=True)
        for line in done.stdout.splitlines():
            entry = json.loads(line)
            yield entry["job"], words.as_json(entry, {"state": "COMPLETED"}), entry


def is_so(word, advice):
    """True if this word of a row matches its advice (None: too little to judge)."""
    if word in ("judged", "unjudged"):
        return (advice is None) == (word == "unjudged")
    if advice is None:
        return False
    codes = [a["code"] for a in advice]
    if word == "none":
        return not codes
    if word[0] == "-":
        return word[1:4] not in codes
    if word[:3] not in codes:
        return False
    entry = advice[codes.index(word[:3])]
    if word[3:4] == ">":
        return word[4:] in codes and codes.index(word[:3]) < codes.index(word[4:])
    return not word[3:] or word[4:] in (str(entry["value"]), entry["confidence"])


def has_texts(texts, codes, advice):
    first = codes[0] if codes else ""
    entry = next((a for a in advice or [] if a["code"] == first[:3]), {})
    text = " ".join(str(entry.get(key, "")) for key in ("what", "why", "do"))
    return all((word[1:] not in text) if word[:1] == "!" else word in text
               for word in texts.split(" | ") if word)


ALSO = {"A08-write-and-sync": "A02", "A12-tiny-files": "A14", "A12-unpack": "A14"}


def is_named(name, advice):
    """True if a recorded job gets the advice of its name, that first, and no other."""
    if advice is None:
        return False
    codes = [a["code"] for a in advice]
    needed = re.findall(r"(?:^|-and-)(A\d\d)", name)
    allowed = needed + [code for job, code in ALSO.items() if name.startswith(job)]
    return (codes[:1] or ["none"])[0] == name.split("-")[0] and set(needed) <= set(codes) <= set(allowed)


def is_first(code, advice):
    return (advice == []) if code == "none" else bool(advice) and advice[0]["code"] == code


def main():
    sent, wanted = make(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
    seen, count, wrong = set(), 0, 0
    for job, advice, entry in ask(sent):
        want = wanted[job]
        count += 1
        code = want.get("group", "")[:3]
        if sys.argv[3:] == ["print"]:
            if re.fullmatch(r"A\d\d", code) and code not in seen:
                seen.add(code)
                print(json.dumps(next(a for a in advice if a["code"] == code), indent=1))
            continue
        if "name" in want:
            good = is_named(want["name"], advice)
        else:
            good = all(is_so(word, advice) for word in want["codes"]) and has_texts(want["texts"], want["codes"], advice)
            good = good and (not want["is_first"] or is_first(want["codes"][0], advice))
        if not good:
            wrong += 1
            print(f"{want['at']}: wanted {' '.join(want.get('codes', []))} {want.get('texts', '')}, got",
                  json.dumps(advice and [(a["code"], a["confidence"], a["value"], a["what"], a["do"]) for a in advice]),
                  entry["judged"]["silence"] or "", entry["summary"] if sys.argv[3:] else "")
    if not sys.argv[3:]:
        print(f"{count} jobs, {wrong} wrong")


main()
