# SPDX-License-Identifier: GPL-2.0-or-later
"""js1_readers.py - three readers of AdminComment, as small as they can be

Each does with the field what the program of its name does: which texts it takes
for JS1, and what happens when one cannot be decoded. And a writer: a job's
comment as jobstats makes it.

js1_readers.py MERGE runs the matrix and many generated comments through MERGE
(tests/tools/js1_merge) and through the readers; it prints what it saw, and fails at
the first surprise.
"""
import base64
import gzip
import json
import random
import re
import subprocess
import sys

SUMMARY = "jobio/1 nodes=2/2 cores=1 cpus=1,3 prof=stream fs=/mnt/weka:wekafs rd=1.21TiB/3.4M wr=-/-"
SEED = 20260801


ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")


def decode(text):
    """base64 as Python had it when the matrix was made: what is not of the
    alphabet is skipped, and the padding ends the data. Newer ones, 3.13.5 for
    one, take what follows the padding for data, too, and then raise."""
    whole = re.match("([A-Za-z0-9+/]*)(=*)", text)
    quad, pads = len(whole.group(1)) % 4, len(whole.group(2))
    if quad + pads >= 4 and quad >= 2:
        return base64.b64decode(whole.group(1) + "=" * (4 - quad))
    data, pads = [], 0
    for c in text:
        if c == "=":
            pads += 1
            if len(data) % 4 >= 2 and len(data) % 4 + pads >= 4:
                data.append("=" * (4 - len(data) % 4))
                break
        elif c in ALPHABET:
            data.append(c)
            pads = 0
    return base64.b64decode("".join(data))


def jobstats(comment):
    """Only "JS1:" and more than 10 characters; an error means: ask elsewhere."""
    if not comment.startswith("JS1:") or len(comment) <= 10:
        return "ignored"
    try:
        return json.loads(gzip.decompress(decode(comment[4:])))
    except Exception:
        return "error"


def reportseff(comment):
    """Takes what starts with "JS"; another version of it, or damage, raises."""
    if not comment.startswith("JS"):
        return "ignored"
    kind, data = comment[:3], comment[4:]
    if kind != "JS1":
        raise ValueError("unknown comment version")
    if data in ("Short", "None"):
        return "ignored"
    return json.loads(gzip.decompress(decode(data)))


def job_defense_shield(comment):
    """Decodes whatever stands there; only an empty field, Short and None are not."""
    data = comment[4:]
    if not comment or data in ("Short", "None"):
        return "ignored"
    return json.loads(gzip.decompress(decode(data)))


READERS = (jobstats, reportseff, job_defense_shield)


def read(reader, comment):
    try:
        return reader(comment)
    except Exception:
        return "raises"


def verdict(comment, truth):
    """What the three make of a comment, as in the published matrix."""
    def one(reader):
        got = read(reader, comment)
        if isinstance(got, dict):
            return "ok" if {k: v for k, v in got.items() if k != "jobio"} == truth else "wrong"
        return got
    return " ".join(one(reader) for reader in READERS)


def payload(rng, nodes):
    gpus = rng.choice((0, 0, 1, 4))
    job = {"nodes": {}, "total_time": rng.randrange(60, 10**6), "gpus": gpus * nodes}
    for i in range(nodes):
        node = {"total_memory": rng.randrange(10**12), "used_memory": rng.randrange(10**12),
                "total_time": round(rng.random() * 10**6, rng.randrange(6)), "cpus": rng.randrange(1, 257)}
        if gpus:
            node["gpu_total_memory"] = {str(g): 42949672960 for g in range(gpus)}
            node["gpu_utilization"] = {str(g): round(rng.random() * 100, 1) for g in range(gpus)}
        job["nodes"]["node-%dc%d" % (i, rng.randrange(10))] = node
    return job


def js1(job, **style):
    raw = gzip.compress(json.dumps(job, **style).encode(), mtime=0)
    return "JS1:" + base64.b64encode(raw).decode()


def merge(program, comments, summary=SUMMARY):
    done = subprocess.run([program, summary], input="\n".join(comments) + "\n",
                          capture_output=True, text=True, check=True, timeout=300)
    return [line.split(" ", 1) for line in done.stdout.splitlines()]


def unpadded(rng):
    """A job whose payload needs no padding: one of three."""
    while True:
        job = payload(rng, 1)
        if not js1(job).endswith("="):
            return job


def padded(rng):
    while True:
        job = payload(rng, 1)
        if js1(job).endswith("="):
            return job


def matrix(program, rng):
    """Every row of the published matrix: what the readers make of the comment
    (so that they behave as the programs do), then what is done with it, and
    what the readers make of the outcome."""
    pad, no_pad = padded(rng), unpadded(rng)
    forced = base64.b64encode(base64.b64decode(js1(no_pad)[4:]) + b"\0").decode()
    inside = dict(no_pad, weka_io="WIO1:abc")
    rows = [
        ("JS1 alone, padded", js1(pad), pad, "ok ok ok", "merged"),
        ("JS1 alone, not padded", js1(no_pad), no_pad, "ok ok ok", "merged"),
        ("another's text alone", "WIO1:abcdefgh", None, "ignored ignored raises", "left"),
        ("JSON alone", '{"io":"abcdefgh"}', None, "ignored ignored raises", "left"),
        ("text before JS1", "WIO1:abc;" + js1(pad), pad, "ignored ignored raises", "left"),
        ("text after padded JS1", js1(pad) + ";WIO1:abc", pad, "ok ok ok", "left"),
        ("text after JS1 that is not padded", js1(no_pad) + ";WIO1:abc", no_pad, "error raises raises", "left"),
        ("text after JS1 that is padded by force", "JS1:" + forced + ";WIO1:abc", no_pad, "ok ok ok", "left"),
        ("JS1 padded by force", "JS1:" + forced, no_pad, "ok ok ok", "merged"),
        ("another's key inside", js1(inside), inside, "ok ok ok", "merged"),
        ("text after JS1:Short", "JS1:Short;WIO1:abc", None, "error raises raises", "left"),
        ("text after JS1:None", "JS1:None;WIO1:abc", None, "error raises raises", "left"),
        ("a security context", "unconfined_u:unconfined_r:unconfined_t:s0", None, "ignored ignored raises", "left"),
        # and what the published one leaves to the text
        ("JS1:Short", "JS1:Short", None, "ignored ignored ignored", "left"),
        ("JS1:None", "JS1:None", None, "ignored ignored ignored", "left"),
        ("nothing", "", None, "ignored ignored ignored", "left"),
        ("JS1 in small letters", js1(pad).lower(), pad, "ignored ignored raises", "left"),
        ("JS1 cut short", js1(pad)[:-8], pad, "error raises raises", "left"),
        ("JS2", "JS2" + js1(pad)[3:], pad, "ignored raises ok", "left"),
    ]
    for (name, comment, truth, before, wanted), (what, text) in zip(rows, [
            (line + [""])[:2] for line in merge(program, [row[1] for row in rows])]):
        got = verdict(comment, truth)
        assert got == before, "%s: the readers say '%s', expected '%s'" % (name, got, before)
        assert what == wanted, "%s: %s %s, expected %s" % (name, what, text, wanted)
        if what == "merged":
            check_merged(name, comment, text, truth)
        print("%-42s %-24s %s" % (name, before, what))
    return len(rows)


def check_merged(name, before, after, truth):
    got = verdict(after, truth)
    assert got == "ok ok ok", "%s, merged: the readers say '%s'" % (name, got)
    assert jobstats(after)["jobio"] == SUMMARY, name
    assert after.startswith("JS1:H4sI") and after.endswith("="), (name, after)
    # others may append, readers may pad or stop at the padding
    assert verdict(after + ";WIO1:abc", truth) == "ok ok ok", name
    assert verdict(after + "==", truth) == "ok ok ok", name
    old = gzip.decompress(base64.b64decode(before[4:])).decode()
    new = gzip.decompress(base64.b64decode(after[4:])).decode()
    assert new.startswith(old.rstrip()[:-1]), "%s: jobstats' own text has changed" % name


def generated(program, rng, count):
    """Payloads of all sizes: merged, merged again, and with another summary."""
    jobs = [payload(rng, rng.choice((1, 1, 1, 2, 3, 8, 50))) for _ in range(count)]
    styles = [rng.choice(({}, {"separators": (",", ":")}, {"indent": 1}, {"sort_keys": True})) for _ in jobs]
    comments = [js1(job, **style) for job, style in zip(jobs, styles)]
    first = merge(program, comments)
    assert all(line[0] == "merged" for line in first)
    for job, comment, (_, text) in zip(jobs, comments, first):
        check_merged("generated", comment, text, job)
    merged = [line[1] for line in first]
    assert all(line == ["same"] for line in merge(program, merged)), "not idempotent"
    again = merge(program, merged, "jobio/1 nodes=3/3")
    for job, (what, text) in zip(jobs, again):
        assert what == "merged" and jobstats(text) == dict(job, jobio="jobio/1 nodes=3/3")
    back = merge(program, [line[1] for line in again])
    assert [line[1] for line in back] == merged, "the way back differs"


def too_large(program, rng):
    """A field that our key would make longer than 60,000 bytes is left alone."""
    nodes, job = 200, None
    while True:
        job = payload(rng, nodes)
        comment = js1(job)
        if len(comment) > 60000:
            break
        nodes += 50
    (what, text), = merge(program, [comment])
    assert (what, text) == ("left", "JS1 would be longer than 60000 bytes"), (what, text)
    bomb = "JS1:" + base64.b64encode(gzip.compress(b'{"a":"' + b"x" * (30 << 20) + b'"}')).decode()
    (what, text), = merge(program, [bomb])
    assert (what, text) == ("left", "JS1 without data, or damaged"), (what, text)


def damaged(program, rng, count):
    """Whatever stands there: what is left alone stays, what is merged was whole."""
    comments = []
    for _ in range(count):
        text = list(js1(payload(rng, 1)))
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(text))
            text[at] = chr(rng.randrange(33, 127))
        del text[rng.choice((len(text), len(text), rng.randrange(len(text)))):]
        comments.append("".join(text))
    for comment, line in zip(comments, merge(program, comments)):
        if line[0] == "merged":
            truth = jobstats(comment)
            assert isinstance(truth, dict), "merged what jobstats cannot read: " + comment
            assert verdict(line[1], truth) == "ok ok ok", comment


def main():
    program, what = sys.argv[1:3]
    rng = random.Random(SEED)
    {"matrix": lambda: matrix(program, rng), "generated": lambda: generated(program, rng, 10000),
     "large": lambda: too_large(program, rng), "damaged": lambda: damaged(program, rng, 3000)}[what]()


if __name__ == "__main__":
    main()
