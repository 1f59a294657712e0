# SPDX-License-Identifier: GPL-2.0-or-later
"""sacct_readers.py - minimal models of programs that read sacct

Each calls sacct and splits its output as the program with its name does; none requests the
summary or parses it, but some request every column. Their result for a job must not depend on
whether it has a summary, nor may jobstats' data in AdminComment.

sacct_readers.py DIR writes DIR/jobs for the fake-sacct in DIR, without summaries
and with all kinds of them, and fails at the first difference.
"""
import base64
import csv
import gzip
import io
import json
import random
import subprocess
import sys

SEED = 20261123
ALPHABET = ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
            "+/=._:;,@%-")
SUMMARY = ("jobio/1 not=profile rd=1.21TiB/3.4M wr=-/- of=all_files nodes=2/2 cores=1 "
           "cpus=1,3-5 prof=stream/not-applied fs=/mnt/w%20ka:wekafs,+2 scope=job src=vfs "
           "q=all_files chg=1/1 imb=1.5@c1")
COLUMNS = ["JobID", "JobIDRaw", "Cluster", "Partition", "Account", "User", "State",
           "ExitCode", "ElapsedRaw", "NNodes", "NodeList", "JobName", "AdminComment",
           "Comment", "SystemComment", "WorkDir"]
OURS = COLUMNS.index("SystemComment")
JS1 = "JS1:" + base64.b64encode(gzip.compress(
    b'{"nodes": {"c1": {"cpus": 1}}, "total_time": 61, "gpus": 0}', mtime=0)).decode()


def summaries(dice):
    yield SUMMARY
    yield f"11/21/26 bb_datawarp: staged in {SUMMARY}"
    for size in (8, 200, 1000, 1000):
        text = "jobio/1"
        while len(text) < size:
            word = "".join(dice.choices(ALPHABET, k=dice.randint(1, 60)))
            text += f" {dice.choice('abcdefgh')}={word}"
        yield text[:1000].rstrip()


def jobs():
    """Lines of DIR/jobs: KEY=VALUE with tabs between."""
    for job in range(1, 31):
        yield {"JobID": f"{job}_3" if job % 3 == 0 else str(job), "JobIDRaw": str(job),
               "Cluster": "c", "Partition": "gpu", "Account": "lab", "User": "alice",
               "State": "CANCELLED by 1000" if job % 5 == 0 else "COMPLETED",
               "ExitCode": "0:0", "ElapsedRaw": "60", "NNodes": "2", "NodeList": "c[1-2]",
               "JobName": f"a name {job}", "AdminComment": JS1 if job % 2 else "JS1:Short", "Comment": "mine, all",
               "WorkDir": "/home/alice"}


def sacct(folder, *options):
    return subprocess.run([f"{folder}/sacct", "-nXP", *options], check=True,
                          capture_output=True, text=True).stdout


def by_bar(folder, columns, mark="|"):
    text = sacct(folder, "-o", ",".join(columns), f"--delimiter={mark}")
    return [line.split(mark) for line in text.splitlines()]


def xdmod(folder):
    """Its own columns, the job name last; a line with more or fewer columns is an error."""
    columns = [c for c in COLUMNS if c not in ("SystemComment", "JobName")] + ["JobName"]
    rows = by_bar(folder, columns)
    assert all(len(row) == len(columns) for row in rows)
    return rows


def ood_core(folder):
    """All columns, with a unit separator."""
    rows = by_bar(folder, COLUMNS, "\x1f")
    assert all(len(row) == len(COLUMNS) for row in rows)
    return [row[:OURS] + row[OURS + 1:] for row in rows], [row[OURS] for row in rows]


def gcm(folder):
    """All columns by name, after a header."""
    text = "|".join(COLUMNS) + "\n" + sacct(folder, "-o", ",".join(COLUMNS))
    rows = list(csv.DictReader(io.StringIO(text), delimiter="|", strict=True,
                               quoting=csv.QUOTE_NONE))
    assert all(None not in row and None not in row.values() for row in rows)
    return rows, [row.pop("SystemComment") for row in rows]


def pandas(folder):
    """read_csv(sep="|"): a quote would join columns and lines."""
    text = sacct(folder, "-o", ",".join(COLUMNS))
    rows = list(csv.reader(io.StringIO(text), delimiter="|", strict=True))
    assert all(len(row) == len(COLUMNS) for row in rows)
    return [row[:OURS] + row[OURS + 1:] for row in rows], [row[OURS] for row in rows]


def columns_of_text(folder):
    """Scripts: sacct -o JobID%10,State%12,SystemComment%1000, split at blanks."""
    ids, comments = [], []
    for job, state, ours in by_bar(folder, ["JobID", "State", "SystemComment"]):
        line = f"{job:>10} {state.split()[0]:>12} {ours:>1000}"
        words = line.split(maxsplit=2)
        ids.append(words[:2])
        comments.append(words[2] if len(words) > 2 else "")
    return ids, comments


def jobstats(folder):
    """JS1 in AdminComment; Short has no data. Raises if it cannot be decoded."""
    texts = [row[0][4:] for row in by_bar(folder, ["AdminComment"])]
    return [text if text == "Short" else json.loads(gzip.decompress(base64.b64decode(text)))
            for text in texts]


def as_json(folder):
    """These columns as in sacct --json (data_parser: job.comment)."""
    return json.dumps({"jobs": [
        {"job_id": int(row[1]), "cluster": row[2], "user": row[5], "nodes": row[10],
         "state": {"current": [row[6].split()[0]]}, "time": {"elapsed": int(row[8])},
         "comment": {"administrator": row[12], "job": row[13], "system": row[14]}}
        for row in by_bar(folder, COLUMNS)]})


def cc_slurm_adapter(folder):
    """Column types as declared; comments are texts."""
    made = []
    for job in json.loads(as_json(folder))["jobs"]:
        assert all(isinstance(text, str) for text in job["comment"].values())
        made.append((job["job_id"], job["cluster"], job["user"], job["nodes"],
                     job["state"]["current"][0], job["time"]["elapsed"]))
    return made


def clockwork(folder):
    """Keeps whole jobs, without the fields that the site's users may not see."""
    rows = json.loads(as_json(folder))["jobs"]
    return rows, [row["comment"].pop("system") for row in rows]


READERS = (xdmod, ood_core, gcm, pandas, columns_of_text, cc_slurm_adapter, clockwork, jobstats)


def put(folder, text):
    with open(f"{folder}/jobs", "w", encoding="ascii") as out:
        for job in jobs():
            job |= {"SystemComment": text} if text else {}
            out.write("\t".join(f"{k}={v}" for k, v in job.items()) + "\n")


def read(folder):
    return {reader.__name__: reader(folder) for reader in READERS}


def main(folder):
    put(folder, "")
    plain = read(folder)
    count = 0
    for text in summaries(random.Random(SEED)):
        put(folder, text)
        for name, made in read(folder).items():
            if isinstance(made, tuple):
                made, ours = made
                assert set(ours) == {text}, (name, ours[0], text)
                assert made == plain[name][0], name
            else:
                assert made == plain[name], name
            count += 1
    print(f"{count} readings are the same with and without a summary")


main(sys.argv[1])
