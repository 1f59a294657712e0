#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""messages.py FILE.cases SAMPLES SITE - check the findings for recorded messages of Slurm's programs

Each row of FILE, for each version in SAMPLES (tests/samples/slurm_messages): the commands of a copy of SITE
(tests/scripts/check_site.bats) print the recorded text. Equal texts are tested once. Prints differences and
"N messages, N wrong"."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROLE = {"scontrol": "login", "srun": "login", "slurmctld": "ctld", "slurmdbd": "ledger", "sacctmgr": "ledger"}
AWAY = "scontrol: error\nslurm_load_ctl_conf error: Unable to contact slurm controller (connect failure)\n"


def recorded(folder):
    """{(program, case): {version: text}}"""
    found = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".txt"):
            text = open(f"{folder}/{name}", encoding="utf-8", newline="").read()
            for head, message in re.findall(r"(?m)^= (.*)\n((?:(?!= ).*\n)*)", text):
                found.setdefault(tuple(head.split()), {})[name[:-4]] = message
    return found


def write(path, text, mode=0o644):
    with open(path, "w", encoding="utf-8", newline="") as out:
        out.write(text)
    os.chmod(path, mode)


def fake(site, program, message, status=1):
    write(f"{site}/message.{program}", message)
    write(f"{site}/bin/{program}", f'#!/bin/bash\ncat "{site}/message.{program}" >&2\nexit {status}\n', 0o755)


def prepare(site, program, message):
    """Put the message where jobio check gets it"""
    if program == "scontrol" and ("NodeName" in message or "NodeAddr" in message):
        os.rename(f"{site}/bin/scontrol", f"{site}/bin/scontrol.asked")  # slurmctld answers; scontrol fails at the file
        fake(site, "scontrol", message)
        text = open(f"{site}/bin/scontrol").read()
        write(f"{site}/bin/scontrol", text.replace("cat", f'[[ $1 != -ao ]] || exec "{site}/bin/scontrol.asked" "$@"\ncat', 1), 0o755)
    elif program in ("scontrol", "sacctmgr"):
        fake(site, program, message)
    elif program == "slurmctld":
        fake(site, "scontrol", AWAY)
        write(f"{site}/etc/log", message)
        write(f"{site}/etc/slurm.conf", open(f"{site}/etc/slurm.conf").read() + f"SlurmctldLogFile={site}/etc/log\n")
    elif program == "slurmdbd":
        fake(site, "sacctmgr", "sacctmgr: error: Sending PersistInit msg: Connection refused\n")
        write(f"{site}/etc/log", message)
        write(f"{site}/etc/slurmdbd.conf", f"LogFile={site}/etc/log\n", 0o600)
    else:
        is_plugin = re.search("spank|plugstack|Plug-in", message)
        fake(site, "srun", message, not is_plugin)
        return [] if is_plugin else ["--submit"]
    return []


def check(origin, program, message, folder):
    site = f"{folder}/site"
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(origin, site, symlinks=True)
    for base in ("etc", "bin", "etc/plugstack.conf.d"):
        for name in os.listdir(f"{site}/{base}"):
            path = f"{site}/{base}/{name}"
            if os.path.isfile(path) and origin in open(path, encoding="utf-8").read():
                write(path, open(path, encoding="utf-8").read().replace(origin, site), os.stat(path).st_mode & 0o777)
    options = prepare(site, program, message)
    ran = subprocess.run([os.environ["BUILDDIR"] + "/jobio", "check", "--json", "--host=n02", f"--role={ROLE[program]}",
                          f"--conf={site}/etc/jobio.conf", f"--slurm-conf={site}/etc/slurm.conf", *options],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                         env={"PATH": f"{site}/bin:/usr/bin:/bin", "ASAN_OPTIONS": "detect_leaks=0"})
    try:
        return json.loads(ran.stdout)["findings"]
    except ValueError:
        return [{"code": "?", "text": ran.stdout.decode(), "cure": ""}]


def marks(texts):
    """Patterns of slurm.words that were recorded and have the mark "source:", and those without both"""
    words = open(os.environ["SRCDIR"] + "/report/slurm.words", encoding="utf-8").read()
    entries = re.findall(r"(?m)^([^ #\n].*)\n  cause: (source:)?", words)
    first = {next((p for p, _ in entries if re.search(p, message)), "") for message in sum((list(one.values()) for one in texts.values()), [])}
    return [f"{p}: {'was recorded' if mark else 'was not recorded, and has no source:'}" for p, mark in entries if (p in first) == bool(mark)]


def main():
    table, samples, origin = sys.argv[1:]
    texts, used, count, wrong = recorded(samples), set(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for line in open(table, encoding="utf-8"):
            if not line.strip() or line[0] == "#":
                continue
            head, code, words = (part.strip() for part in line.split(" | ", 2))
            key, done = tuple(head.split()), {}
            used.add(key)
            for version, message in texts.get(key, {}).items():
                plain = re.sub(r"(?m)^\w+: (?=error|fatal)", "", message)
                is_elsewhere = key[1] != "refused" and message == texts["scontrol", "refused"][version]
                if not message or plain in done or is_elsewhere:
                    continue  # this version does not print it, or the same as another
                done[plain] = check(origin, key[0], message, folder)
                count += 1
                if not any(f["code"] == code and words in f["cure"] for f in done[plain]):
                    wrong += 1
                    print(f"{version}: {line.strip()}", *(f"\n    {f['code']}: {f['text']}\n\t{f['cure']}" for f in done[plain]))
            if not done:
                wrong += 1
                print(f"{line.strip()}\n    was not recorded")
    for key in sorted(set(texts) - used):
        wrong += 1
        print(f"{' '.join(key)}: no row")
    for line in marks(texts):
        wrong += 1
        print(line)
    print(f"{count} messages, {wrong} wrong")


main()
