# SPDX-License-Identifier: GPL-2.0-or-later
"""The host that jobio check inspects: its files, commands, processes.

With a root, files are those below it, and the output of a command is the file of its name in
ROOT/answers, as written by jobio check --capture.
"""
from __future__ import annotations

import glob
import os
import re
from typing import NamedTuple

from report.check_words import Findings
from report.command import Failure
from report.program import find, finish, start
from report.types import Json
from report.units import parse_cpus

SMALL_FILE = 1 << 20
KEPT = ("PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "ASAN_OPTIONS", "TZ")  # variables


NOT_FOUND, TIMEOUT = 127, 124  # status of an Answer


class Answer(NamedTuple):
    """Result of a command; why: one line, "" on success."""

    status: int
    out: str = ""
    err: str = ""
    why: str = ""


class Host:
    """root: folder of another host's files; "": this host"""

    def __init__(self, root: str) -> None:
        self.findings = Findings()
        self.root = root
        self.roles: list[str] = []
        self.name = ""  # NodeName
        self.slurm_conf = ""
        self.conf = ""
        self.topology: str | None = None
        self.slurmd = ""  # path of slurmd
        self.memory = 0  # MiB, as slurmd -C prints it
        self.version = (0, 0)  # of Slurm
        self.client_cpus: set[int] | None = None  # from the command line
        self.config: dict[str, list[str]] | None = None  # scontrol show config; None: not known
        self.node: dict[str, str] | None = None  # scontrol show node
        self.has_no_record = False  # slurmctld replied, and has no node of this name
        self.partitions: list[dict[str, str]] | None = None
        self.local: list[tuple[str, str]] = []  # lines of slurm.conf here
        self.facts: Json = {}  # jobio-facts
        self.names: dict[int, str] = {}  # of processes

    # ---- files

    def path(self, path: str) -> str:
        return self.root + path

    def read(self, path: str, newline: str | None = None) -> str | None:
        """Read a text file; newline: as for open()."""
        try:
            with open(self.path(path), encoding="utf-8", errors="replace",
                      newline=newline) as file:
                return file.read(SMALL_FILE)
        except OSError:
            return None

    def number(self, path: str) -> int | None:
        text = (self.read(path) or "").strip()
        return int(text) if text.isascii() and text.isdigit() else None

    def glob(self, pattern: str) -> list[str]:
        """Return matching paths without the root."""
        return [p[len(self.root):] for p in sorted(glob.glob(self.path(pattern)))]

    def exists(self, path: str) -> bool:
        return os.path.exists(self.path(path))

    # ---- commands

    def run(self, words: list[str], timeout_s: float = 5) -> Answer:
        """Run a command, or return its recorded result."""
        if self.root and os.path.isdir(self.root + "/answers"):
            return self.recorded(words)
        return self.run_here(words, timeout_s, self.root)

    def run_here(self, words: list[str], timeout_s: float, root: str = "") -> Answer:
        """Run a command on this host, also with --root.

        root: folder of slurm.conf
        """
        try:
            process = start(words, self.environment(root))
        except Failure as failure:
            return Answer(NOT_FOUND, why=str(failure))
        in_time, out, err = finish(process, timeout_s)
        if not in_time:
            why = f"{find(words[0])} did not answer in {timeout_s:.0f} s"
            return Answer(TIMEOUT, out, err, why)
        return answered(words, process.returncode, out, err)

    def recorded(self, words: list[str]) -> Answer:
        """Return a recorded result: FILE has standard output, FILE.err standard error, FILE.rc the
        exit status."""
        out, err, status = (self.read(f"/answers/{answer_name(words)}{end}")
                            for end in ("", ".err", ".rc"))
        if out is None and err is None:
            return Answer(NOT_FOUND, why=f"there is no {words[0]} in PATH")
        return answered(words, int(status or 0), out or "", err or "")

    def environment(self, root: str) -> dict[str, str]:
        found = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
        found.update({name: os.environ[name] for name in KEPT if name in os.environ})
        if os.path.exists(root + self.slurm_conf):
            found["SLURM_CONF"] = root + self.slurm_conf
        return found

    # ---- processes

    def processes(self, name: str) -> list[int]:
        """Return the PIDs of this name outside of containers (NSpid has one number), the oldest
        first."""
        if not self.names:
            for path in self.glob("/proc/[0-9]*/status"):
                text = self.read(path) or ""
                if not re.search(r"\nNSpid:\t\d+\s\d", text):
                    pid, name_line = path.split("/")[2], text.partition("\n")[0]
                    self.names[int(pid)] = name_line[len("Name:\t"):]
        return sorted(pid for pid, comm in self.names.items() if comm in (name, name + "-wlm"))

    def status(self, pid: int | None, key: str) -> str:
        """Return the word of a line of /proc/PID/status."""
        found = re.search(rf"(?m)^{key}:\s*(\S+)", self.read(f"/proc/{pid}/status") or "")
        return found[1] if found else ""

    def process(self, name: str) -> int | None:
        return next(iter(self.processes(name)), None)

    # ---- Slurm's settings

    def setting(self, key: str) -> str:
        """Return the last value in scontrol's output; "": not set."""
        return (self.settings(key) or [""])[-1]

    def either(self, key: str, default: str = "") -> str:
        """Return scontrol's value, or that of this host's file."""
        return (self.settings(key) or self.here(key) or [default])[-1]

    def here(self, key: str) -> list[str]:
        return [value for name, value in self.local if name == key.lower()]

    def settings(self, key: str) -> list[str]:
        return (self.config or {}).get(key.lower()) or []

    def is_role(self, *roles: str) -> bool:
        return any(role in self.roles for role in roles)

    @property
    def keys(self) -> Json:
        """Return the keys of jobio.conf; empty: it cannot be read."""
        conf: Json = self.facts.get("conf") or {}
        return conf if conf and not conf.get("error") else {}

    def client(self) -> set[int] | None:
        """Return the client's CPUs, whole cores; None: unknown."""
        if self.client_cpus is not None:
            return self.client_cpus
        known = [parse_cpus(client["cpus"]) for client in self.facts.get("clients", [])
                 if "cpus" in client]
        return set().union(*known) if known else None


def answer_name(words: list[str]) -> str:
    return re.sub(r"[^A-Za-z0-9=.,+-]+", "_", " ".join([os.path.basename(words[0]), *words[1:]]))


def answered(words: list[str], status: int, out: str, err: str) -> Answer:
    """Return the result of a command, with the first line of its error."""
    if not status:
        return Answer(status, out, err)
    lines = [line for line in err.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line or "fatal" in line]
    first = [*errors, *lines, out.strip()][0]
    return Answer(status, out, err, f"{' '.join(words)}: exit status {status}: {first}")
