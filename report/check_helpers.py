# SPDX-License-Identifier: GPL-2.0-or-later
"""Requirements of a node besides settings: running prolog and epilog, helpers, counting, folders,
units, space in the spool.
"""
from __future__ import annotations

import os
import re
import stat

from report import paths
from report.check_host import Host
from report.check_node import slurmd_pid
from report.check_slurm import beside

HELPERS = ("prolog", "epilog", "jobio-prepare", "jobio-release", "jobio-send", "jobio-slurm",
           "jobio-node", "jobio-count")
UNITS = {"jobio-recover.service": "what a crash left changed stays so until the next job, and "
                                "that one loads what counts I/O",
         "jobio-send.path": "records wait for the timer",
         "jobio-send.timer": "records that the ledger did not take wait for the next job"}
UNIT_FOLDERS = ("/etc/systemd/system", "/lib/systemd/system", "/usr/lib/systemd/system",
                "/run/systemd/system")
LOW_MIB = 16
CAPABILITIES = {"CAP_PERFMON": 38, "CAP_BPF": 39}
SYS_ADMIN = 21  # includes both


def mount_of(path: str) -> str:
    """Return the mount point of a path."""
    path = os.path.realpath(path)
    while path != "/" and not os.path.ismount(path):
        path = os.path.dirname(path)
    return path


def mtime(path: str) -> float:
    return os.stat(path).st_mtime if os.path.exists(path) else 0


# ---- prolog and epilog


class Hook:
    """Prolog= or Epilog= as read by slurmd on this host.

    folder: of jobio's script; "": it has none
    is_wrong: slurmd cannot run one of the scripts
    """

    def __init__(self, host: Host, key: str) -> None:
        self.host = host
        self.key = key
        self.kind = key.lower()
        self.helper = "jobio-prepare" if key == "Prolog" else "jobio-release"
        self.values = host.here(key) or host.settings(key)
        self.folder = ""
        self.is_wrong = False
        self.scripts: list[str] = []
        for value in self.values:
            path = beside(host.slurm_conf, value)
            found = host.glob(path) if re.search(r"[*?\[]", path) else [path]
            if not found:
                self.add_fault(path, "no file matches")
            for script in found:
                self.check_script(script)

    def add_fault(self, path: str, why: str, mount: str = "") -> None:
        self.is_wrong = True
        self.host.findings.add("S17", key=self.key, path=path, why=why, mount=mount)

    def check_script(self, script: str) -> None:
        whole = self.host.path(script)
        try:
            mode = os.stat(whole).st_mode
        except OSError as error:
            self.add_fault(script, error.strerror or "it cannot be read")
            return
        if not stat.S_ISREG(mode):
            self.add_fault(script, "it is no file")
        elif not mode & 0o111:
            self.add_fault(script, "it is not executable")
        elif os.geteuid() == 0 and not os.access(whole, os.X_OK):
            self.add_fault(script, "its filesystem is mounted noexec", mount_of(whole))
        else:
            self.scripts.append(script)
            self.check_kind(script, *os.path.split(os.path.realpath(whole)))

    def check_kind(self, script: str, folder: str, name: str) -> None:
        """Check that a script of jobio is not the other one: Prolog=.../epilog."""
        if not os.path.exists(f"{folder}/{self.helper}"):
            return
        other, when = ("epilog", "start") if self.kind == "prolog" else ("prolog", "end")
        if name == other:
            self.is_wrong = True
            self.host.findings.add("S24", key=self.key, path=script, other=other, when=when,
                                   right=f"{folder}/{self.kind}")
        else:
            self.folder = folder


def runs_ours(host: Host, path: str, helper: str, depth: int = 0) -> bool:
    """Return True if this script may run jobio's: by its text, and by files in folders that it
    names."""
    text = host.read(path) or ""
    folder = os.path.dirname(os.path.realpath(host.path(path)))
    if "jobio" in text or os.path.exists(f"{folder}/{helper}"):
        return True
    if depth:
        return False
    named = {word.rstrip("/") for word in re.findall(r"/[\w.+-]+/[\w./+-]+", text)}
    files = [file for folder in sorted(named) if os.path.isdir(host.path(folder))
             for file in host.glob(folder + "/*")[:100]]
    return any(runs_ours(host, file, helper, 1) for file in files)


def running_jobs(host: Host) -> list[str]:
    """Return the jobs that started after the last change of slurm.conf, from their slurmstepds."""
    changed = mtime(host.path(host.slurm_conf))
    titles = [host.read(f"/proc/{pid}/cmdline") or "" for pid in host.processes("slurmstepd")
              if mtime(host.path(f"/proc/{pid}")) >= changed]
    found = [re.match(r"slurmstepd: \[(\d+)\.extern\]", title) for title in titles]
    return [match[1] for match in found if match]


def is_for_all_jobs(host: Host) -> bool:
    """Return True if jobio prepares this node for every job."""
    keys = host.keys
    return bool(keys.get("enabled") and keys.get("is_for_node") and not keys.get("partitions"))


def check_hooks(host: Host) -> None:
    """Check that prolog and epilog run jobio's scripts: by traces of jobs, and by their text."""
    hooks = [Hook(host, "Prolog"), Hook(host, "Epilog")]
    prolog = hooks[0]
    run_dir = host.keys.get("run_dir", "/run/jobio")
    ours = prolog.folder or paths.LIBEXEC
    jobs = []
    if is_for_all_jobs(host) and (host.root or os.geteuid() == 0):
        jobs = running_jobs(host)
    missed = [job for job in jobs if not host.exists(f"{run_dir}/{job}")]
    if prolog.values and not prolog.is_wrong and missed and len(missed) == len(jobs):
        host.findings.add("S18", job=missed[0], run_dir=run_dir, path=f"{ours}/prolog")
        return
    if host.glob(run_dir + "/[0-9]*") or host.exists(run_dir + "/node.json"):
        return
    for hook in hooks:
        if not hook.values or hook.is_wrong or hook.folder:
            continue
        if not any(runs_ours(host, script, hook.helper) for script in hook.scripts):
            host.findings.add("S18.maybe", key=hook.key, path=",".join(hook.values),
                              run_dir=run_dir, what=hook.kind, own=f"{ours}/{hook.kind}")


# ---- helpers


def folder_of(host: Host) -> str:
    """Return the folder of the helpers: that of jobio's prolog, else that of the installation."""
    for value in host.here("Prolog") or host.settings("Prolog"):
        for script in host.glob(beside(host.slurm_conf, value)):
            folder = os.path.dirname(os.path.realpath(host.path(script)))
            if any(os.path.exists(f"{folder}/{name}") for name in HELPERS[2:4]):
                return folder
    return host.path(paths.LIBEXEC)


def check_helpers(host: Host, folder: str) -> None:
    missing = [name for name in HELPERS if not os.access(f"{folder}/{name}", os.X_OK)]
    if host.exists(f"{folder}/config.status"):  # the build tree, without the scripts
        missing = [name for name in missing if name not in ("prolog", "epilog")]
    if not missing:
        return
    there = [f"{folder}/{name}" for name in missing if os.path.exists(f"{folder}/{name}")]
    no_mode = [path for path in there if not os.stat(path).st_mode & 0o111]
    cause = "mode" if no_mode else "mount"
    if len(there) < len(missing):
        cause = "-"
    host.findings.add("H01", cause, dir=folder, names=" ".join(missing), paths=" ".join(no_mode),
                      mount=mount_of(folder))


def check_capabilities(host: Host) -> None:
    """Check the capabilities of slurmd: its prolog loads the programs."""
    mask = int(host.status(slurmd_pid(host), "CapBnd") or f"{1 << SYS_ADMIN:x}", 16)
    missing = [name for name, bit in CAPABILITIES.items() if not mask >> bit & 1]
    if missing and not mask >> SYS_ADMIN & 1:
        host.findings.add("H02.slurmd", capabilities=" and ".join(missing))


def check_count(host: Host, folder: str) -> None:
    """Check the source of counters that jobio-count finds."""
    count = host.facts.get("count")
    if count is None or not os.access(folder + "/jobio-count", os.X_OK):
        return
    probe = count.get("probe") or {}
    tier = probe.get("tier")
    if not tier:
        host.findings.add("H02.silent", why=count.get("error") or "it prints no tier", dir=folder)
        return
    why = re.sub("^BPF programs: (this kernel does not count: )?", "", probe.get("reason") or "")
    if tier != "bpf":
        cause = why if host.exists("/sys/kernel/btf/vmlinux") else why + " BTF"
        if "[confidentiality]" in (host.read("/sys/kernel/security/lockdown") or ""):
            cause = "lockdown"
        host.findings.add("H02", cause, tier="steps" if tier == "none" else "process exits",
                          why=why or "the kernel gives no reason")
    elif why:
        host.findings.add("H02.part", why=why, kernel=os.uname().release)
    else:
        check_capabilities(host)
    if probe.get("skips"):
        host.findings.add("H02.preempt", kernel=os.uname().release, skips=probe["skips"])


# ---- folders, units


def check_left(host: Host, folder: str) -> None:
    """Check for jobs in lines "16 left" of jobio-prepare."""
    if host.root or os.geteuid():
        return
    listed = host.run([folder + "/jobio-prepare", "--list", "--conf=" + host.conf])
    jobs = re.findall(r"(?m)^(\d+) left$", listed.out)
    if jobs:
        host.findings.add("H06", run_dir=host.keys["run_dir"], jobs=" ".join(jobs), dir=folder)


def check_folder(host: Host, key: str) -> None:
    """Check a folder of the records; key: of jobio.conf."""
    path = host.keys[key]
    whole = host.path(path)
    try:
        found = os.lstat(whole)
    except OSError:
        check_room(host, key, path, os.path.dirname(whole))  # the first prolog creates it
        return
    why, cure = "", f"mv {path} {path}.old"
    if not stat.S_ISDIR(found.st_mode):
        why = "it is no folder"
    elif found.st_uid or found.st_mode & 0o022:
        why = "others than root may write there"
        cure = f"chown root:root {path} && chmod 700 {path}"
    if why:
        host.findings.add("H03", key=key, path=path, why=why, cure=cure)
    else:
        check_room(host, key, path, whole)


def check_room(host: Host, key: str, path: str, whole: str) -> None:
    """Check the free space of the filesystem of the records."""
    try:
        fs = os.statvfs(whole)
    except OSError:
        return
    mount, free = mount_of(whole), fs.f_bavail * fs.f_frsize >> 20
    why = ""
    if fs.f_flag & os.ST_RDONLY:
        why = "is mounted read-only"
    elif fs.f_blocks and not fs.f_bavail:
        why = "is full"
    elif fs.f_files and not fs.f_favail:
        why = "has no inode left"
    if why:
        host.findings.add("H07", why=why, key=key, path=path, mount=mount)
    elif fs.f_blocks and free < LOW_MIB:
        host.findings.add("H07.low", free=free, key=key, path=path, mount=mount)


def check_units(host: Host) -> None:
    """Check that the units that are installed are enabled."""
    if not host.exists("/run/systemd/system"):
        return
    for unit, what in UNITS.items():
        files = [host.glob(f"{folder}/{unit}") for folder in UNIT_FOLDERS]
        links = [host.glob(f"{folder}/*.wants/{unit}") for folder in UNIT_FOLDERS]
        if any(files) and not any(links):
            host.findings.add("H04", unit=unit, what=what)


def check(host: Host) -> None:
    folder = folder_of(host)
    check_hooks(host)
    check_helpers(host, folder)
    if not host.keys:
        return
    check_count(host, folder)
    check_left(host, folder)
    for key in ("run_dir", "spool_dir"):
        check_folder(host, key)
    check_units(host)
    if not host.root and os.geteuid():
        host.findings.add("H05")
