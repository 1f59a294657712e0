# SPDX-License-Identifier: GPL-2.0-or-later
"""cgroups - the container's cpuset.

Facts: cgroups_mode auto = v1 or else none, force = v1 or fail, force_v2 = v2
or fail, none (adding-clients-bare-metal); under force_v2 the CPUs are removed from the root's
effective set even with isolate_cpusets=false (ansible-slurm-appliance).
The mechanism is not public: the steps here are an assumption.
A directory that is not a cgroup file system is treated as one made of files.
"""
import os

from .knobs import cpulist
from .paths import read_text
from .topology import to_list


class CgroupError(Exception):
    pass


class Cgroups:
    def __init__(self, paths, knobs, topology):
        self.root = paths("/sys/fs/cgroup")
        self.knobs = knobs
        self.topology = topology
        self.version = self._version()
        self.real = self._is_real()
        self.base = self.root
        if self.version == 1:
            self.base = os.path.join(self.root, "cpuset")

    def _version(self):
        want = self.knobs["cgroup.version"]
        if want in ("1", "2"):
            return int(want)
        if want == "none" or not os.path.isdir(self.root):
            return 0
        if os.path.isdir(os.path.join(self.root, "cpuset")):
            return 1    # a hybrid host counts as v1
        text = read_text(os.path.join(self.root, "cgroup.controllers"))
        return 2 if "cpuset" in text.split() else 0

    def _is_real(self):
        for line in read_text("/proc/self/mounts").splitlines():
            field = line.split(" ")
            if field[2] in ("cgroup", "cgroup2") and (
                    field[1] + "/").startswith(self.root.rstrip("/") + "/"):
                return True
        return False

    def decide(self, mode):
        """True if a container gets a cpuset in this mode on this host; CgroupError if it fails."""
        if mode == "none" or (mode == "auto" and self.version != 1):
            return False
        if mode == "force" and self.version != 1:
            raise CgroupError("cgroups_mode=force: this host has no cgroups V1")
        if mode == "force_v2" and self.version != 2:
            raise CgroupError("cgroups_mode=force_v2: this host has no cgroups V2")
        return True

    # ---- files -----------------------------------------------------------
    def _write(self, path, text):
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC
                     | (0 if self.real else os.O_CREAT | os.O_TRUNC), 0o644)
        try:
            os.write(fd, (text + "\n").encode())
        finally:
            os.close(fd)

    def _cpus(self, directory, name):
        return set(cpulist(read_text(os.path.join(directory, name)).strip()))

    def path(self, container):
        return os.path.join(self.base, "weka-" + container)

    def others(self):
        """Every cpuset except the root and WEKA's own, children first."""
        out = []
        for directory, names, files in os.walk(self.base, topdown=False):
            relative = os.path.relpath(directory, self.base)
            if relative == "." or relative.split("/")[0].startswith("weka"):
                continue
            if "cpuset.cpus" in files:
                out.append(directory)
        return out

    # ---- a container starts ----------------------------------------------
    def create(self, container, cpus):
        path = self.path(container)
        os.makedirs(path, exist_ok=True)
        mems = "0"
        for name in ("cpuset.effective_mems", "cpuset.mems.effective",
                     "cpuset.mems"):
            text = read_text(os.path.join(self.base, name)).strip()
            if text:
                mems = text
                break
        text = to_list(cpus)
        try:
            self._write(os.path.join(path, "cpuset.cpus"), text)
            self._write(os.path.join(path, "cpuset.mems"), mems)
            if not self.real:
                name = ("cpuset.effective_cpus" if self.version == 1
                        else "cpuset.cpus.effective")
                self._write(os.path.join(path, name), text)
            if self.version == 2:
                self._partition(path, cpus)
        except OSError as e:
            raise CgroupError("cannot set cpuset %s to %s: %s"
                              % (path, text, e.strerror))

    def _partition(self, path, cpus):
        """An exclusive partition: its CPUs leave the effective sets of all other cgroups."""
        self._write(os.path.join(path, "cpuset.cpus.partition"), "root")
        if self.real:
            return
        for directory in self.others() + [self.base]:
            name = "cpuset.cpus.effective"
            have = self._cpus(directory, name) or set(self.topology.online)
            self._write(os.path.join(directory, name), to_list(have - cpus))

    def enter(self, container, pid):
        path = os.path.join(self.path(container), "cgroup.procs")
        if not self.real:
            with open(path, "a") as f:
                f.write("%d\n" % pid)
            return
        self._write(path, str(pid))

    # ---- a container goes ------------------------------------------------
    def remove(self, container):
        path = self.path(container)
        if not os.path.isdir(path):
            return
        if self.real:
            try:
                os.rmdir(path)
            except OSError:
                pass    # a process has not left yet; the next start uses it again
            return
        cpus = self._cpus(path, "cpuset.cpus")
        for name in os.listdir(path):
            os.unlink(os.path.join(path, name))
        os.rmdir(path)
        if self.version == 2:
            for directory in self.others() + [self.base]:
                name = "cpuset.cpus.effective"
                have = self._cpus(directory, name)
                if have:
                    self._write(os.path.join(directory, name),
                                to_list(have | cpus))
