#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.py FILE.cases SITE COPY [WORD] - check the rows of check.cases

SITE and COPY are the folders of two correct sites (tests/scripts/check_site.bats); each row
uses a copy. WORD: only rows with this word. Prints differences and "N rows, N wrong"."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

JOBIO = os.environ["BUILDDIR"] + "/jobio"
STATUS = {"error": 3, "warning": 1, "info": 0}


def machine(name):
    return subprocess.run([os.environ["BUILDDIR"] + "/tests/tools/machine", "xml", name], check=True,
                          stdout=subprocess.PIPE).stdout.decode()


class Site:
    """A copy of a site, changed by a row"""

    def __init__(self, top, origin, is_copied):
        self.top, self.is_copied, self.options = top, is_copied, []
        shutil.rmtree(top, ignore_errors=True)
        shutil.copytree(origin, top, symlinks=True)
        for folder, _, files in os.walk(top):
            for name in files:
                text = self.read(os.path.join(folder, name))
                if origin in text:
                    self.write(os.path.join(folder, name), text.replace(origin, top))

    def path(self, name):
        said = {"config": "scontrol_-ao_show_config", "node": "scontrol_-ao_show_node_n02",
                "partition": "scontrol_-ao_show_partition", "slurmd": "slurmd_-C"}.get(name)
        if said and self.is_copied:
            return f"{self.top}/answers/{said}"
        if "/" not in name and not os.path.exists(f"{self.top}/{name}"):
            name = ("etc/slurm/" if self.is_copied else "etc/") + name
        elif name.startswith("plugstack.conf.d"):
            name = ("etc/slurm/" if self.is_copied else "etc/") + name
        return f"{self.top}/{name.rstrip('/')}"

    @staticmethod
    def read(path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def write(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def edit(self, name, how):
        path = self.path(name)
        if how[0] == "s":
            _, pattern, to, _ = how.split(how[1])
            changed = re.sub(pattern, lambda _: to.replace("\\n", "\n").replace("\\r", "\r"), self.read(path), flags=re.M)
        else:
            changed = re.sub(f"^.*{how[1:-2].replace('^', '(?m:^)')}.*\n", "", self.read(path), flags=re.M)
        assert changed != self.read(path), f"{name} {how} changes nothing"
        self.write(path, changed)

    def command(self, word, args):
        """rm, chmod, chown, link, old, mkdir, topology; and folders of the kernel's"""
        path = self.path(args[0 if word in ("rm", "link") else -1]) if args else ""
        cpus = f"{self.top}/sys/devices/system/cpu"
        if word == "rm":
            (shutil.rmtree if os.path.isdir(path) else os.remove)(path)
        elif word == "chmod":
            os.chmod(path, int(args[0], 8))
        elif word == "chown":
            os.chown(path, int(args[0]), -1)
        elif word == "link":
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(args[1], path)
        elif word == "old":
            self.write(path, "x")
            os.utime(path, (time.time() - 60 * int(args[0]),) * 2)
        elif word == "mkdir":
            os.makedirs(f"{self.top}/{args[0]}")
        elif word == "topology":
            self.write(f"{self.top}/{args[0]}", machine(args[1]))
        elif word == "idle":
            for cpu in args[0].split(","):
                for at, latency in enumerate(("0", "2", args[2])):
                    self.write(f"{cpus}/cpu{cpu}/cpuidle/state{at}/latency", latency)
                    self.write(f"{cpus}/cpu{cpu}/cpuidle/state{at}/name", f"C{3 * at}")
        elif word == "hugepages":
            for name, count in (("resv", args[1]), ("free", args[2])):
                self.write(f"{self.top}/sys/kernel/mm/hugepages/hugepages-{args[0]}kB/{name}_hugepages", count)
        elif word == "irqbalance":
            self.write(f"{self.top}/proc/900/status", "Name:\tirqbalance\nNSpid:\t900\n")

    def count_only(self):
        """Make jobio.conf that of README: gate = off, no [option], no [profile]"""
        path = self.path("jobio.conf")
        text = re.sub(r"(?ms)^\[profile .*?(?=^\[|\Z)", "", self.read(path))
        text = re.sub(r"(?m)^\[jobio\]\n|\A(?!.*^\[jobio\])", "[jobio]\ngate = off\n", text, count=1, flags=re.S)
        self.write(path, text)

    def change(self, text):
        name, _, how = text.partition(" ")
        if text.startswith("--"):
            self.options.append(text)
        elif text == "counting":
            self.count_only()
        elif name in ("rm", "chmod", "chown", "link", "old", "mkdir", "topology", "idle", "hugepages", "irqbalance"):
            self.command(name, how.split())
        elif how[:1] == "+":
            self.write(self.path(name), (self.read(self.path(name)) if os.path.exists(self.path(name)) else "") +
                       how[2:].replace("\\n", "\n").replace("\\r", "\r") + "\n")
        elif how[:1] == "=":
            self.write(self.path(name), how[2:].replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r") + "\n")
        elif how[:1] == "!":
            self.write(self.path(name), "#!/bin/bash\n" + how[2:] + "\n")
            os.chmod(self.path(name), 0o755)
        else:
            self.edit(name, how)

    def check(self, role, topology):
        """(findings, exit status)"""
        command = [JOBIO, "check", "--json", "--host=n02", f"--topology={topology}"]
        if self.is_copied:
            command += [f"--root={self.top}", "--conf=/etc/slurm/jobio.conf", "--slurm-conf=/etc/slurm/slurm.conf",
                        "--client-cpus=31,63", "--role=node"]
        else:
            command += [f"--role={role}", f"--conf={self.top}/etc/jobio.conf", f"--slurm-conf={self.top}/etc/slurm.conf"]
        ran = subprocess.run(command + self.options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                             env={"PATH": f"{self.top}/bin:{os.environ['PATH']}", "ASAN_OPTIONS": "detect_leaks=0"})
        try:
            return json.loads(ran.stdout)["findings"], ran.returncode
        except ValueError:
            return [{"code": "?", "severity": "error", "text": ran.stdout.decode(), "cure": ""}], ran.returncode


def is_as_wanted(findings, status, codes, words, cure):
    wanted = [] if codes == ["none"] else codes
    if len(wanted) != len(findings):
        return False
    for word, finding in zip(wanted, findings):
        code, _, severity = word.partition(":")
        if code != finding["code"] or severity not in ("", finding["severity"]):
            return False
    return (not words + cure or any(words in f["text"] and cure in f["cure"] for f in findings)) and (
            all(f["cure"] for f in findings) and
            status == max([STATUS[f["severity"]] for f in findings], default=0))


def rows(path):
    for at, line in enumerate(open(path, encoding="utf-8"), 1):
        if line.strip() and line[0] not in "#=":
            columns = [column.strip() for column in re.split(r"(?<=\s)\|(?=\s|$)", line.rstrip("\n"))]
            yield at, line.strip(), columns + [""] * (5 - len(columns))


def main():
    table, live, copied, *only = sys.argv[1:]
    count = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        topology = folder + "/machine.xml"
        with open(topology, "w", encoding="utf-8") as out:
            out.write(machine("intel-2x16x2-block"))
        for at, line, (role, changes, codes, words, cure) in rows(table):
            if only and only[0] not in line:
                continue
            site = Site(folder + "/site", copied if role == "copied" else live, role == "copied")

            def named(text):
                return text.replace("$S", site.top)
            for change in changes.split(" ; ") if changes else []:
                site.change(named(change.lstrip()))
            findings, status = site.check(role, topology)
            count += 1
            if not is_as_wanted(findings, status, codes.split(), named(words), named(cure)):
                wrong += 1
                print(f"{at}: {line}\n    exit {status}", *(f"\n    {f['code']} {f['severity']}: {f['text']}\n\t{f['cure']}" for f in findings))
    print(f"{count} rows, {wrong} wrong")


main()
