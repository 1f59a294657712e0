# SPDX-License-Identifier: GPL-2.0-or-later
"""knobs - /etc/weka-sim.conf: the properties and faults of this client.

A table has every key, its type, its default and its effect. An unknown key
or a bad value is an error: a test that misspells its fault must not pass.
"""
import os

YES = ("true", "yes", "1", "on")
NO = ("false", "no", "0", "off")

# key: (kind, default, meaning); kind is a type, or the tuple of values.
TABLE = {
    "client.version": ("str", "4.4.4", "release; 4.2, 4.4, 5.x or 6.x rules follow from it"),
    "client.local_socket": ("bool", False, "the JSON-RPC socket of newer releases"),
    "client.containerless": ("bool", False, "no local container, as clients of 2026 may be"),
    "client.counters": ("list", "", "READS WRITES READ_BYTES WRITE_BYTES that the socket reports "
                        "more than the mounts have counted"),
    "topology.sockets": ("int", 0, "0: the real machine; else a made-up one"),
    "topology.cores_per_socket": ("int", 1, ""),
    "topology.threads": (("1", "2", "4"), "1", "hardware threads a core"),
    "time.compression": ("float", 20.0, "documented seconds are divided by this"),
    "time.command_ms": ("int", 0, "cost of one weka call, real milliseconds"),
    "time.first_mount_s": ("float", 30.0, "create and join a stateless client"),
    "time.stop_s": ("float", 8.0, "stop a container: 8-9 s in a conversion log"),
    "time.start_s": ("float", 10.0, "start a container: 8-30 s with the join"),
    "time.join_s": ("float", 8.0, "CLUSTERIZING until READY"),
    "time.umount_s": ("float", 2.0, "leave the cluster after the last umount"),
    "frontend.duty": ("int", 2, "percent of its CPU that a frontend burns"),
    "cgroup.version": (("auto", "1", "2", "none"), "auto", "of the host"),
    "memory.hugepages_mb": ("int", 0, "0: unlimited; a frontend needs 1400"),
    "fs.backing": ("str", "", "directory of the files; empty: /var/lib/weka-sim/fs"),
    "fs.fuse": (("auto", "yes", "no"), "auto", "auto: on a node, not under a root"),
    "rules.strict_deactivate": ("bool", False,
                                "4.x: cores only on a deactivated container"),
    "rules.remount_waits": ("bool", True,
                            "a remount returns when the container is READY again; not public"),
    "faults.hang": ("list", "", "commands that never answer: ps resources cores apply restore "
                    "setup mount remount umount version *"),
    "faults.socket": (("no", "hang", "garbage"), "no",
                      "the local socket never answers, or answers in part"),
    "faults.proc_hang": ("bool", False, "open(2) of /proc/wekafs files blocks"),
    "faults.umount_lies": ("bool", False, "umount reports success and does nothing"),
    "faults.umount_busy": ("bool", False, "umount finds the target busy"),
    "faults.remount_lies": ("bool", False, "remount reports success and changes nothing"),
    "faults.disconnected": ("list", "", "frontends (0-based) that are not connected"),
    "faults.apply_fails": ("bool", False, "new resources do not come up: back to stable"),
    "boot.source": ("str", "backend0/default", "what start mounts; empty: nothing"),
    "boot.target": ("str", "/mnt/weka", ""),
    "boot.options": ("str", "core=1,net=eth0", ""),
    "boot.setup": ("str", "", "arguments of `weka local setup client` before the mount; several "
                   "with ';' between, `container --only-drives-cores ...` among them"),
}


class KnobError(Exception):
    pass


def cpulist(text):
    """'0-3,8' -> [0, 1, 2, 3, 8]"""
    cpus = []
    for part in str(text).replace(",", " ").split():
        first, _, last = part.partition("-")
        cpus.extend(range(int(first), int(last or first) + 1))
    return cpus


def _convert(key, kind, text):
    if isinstance(kind, tuple):
        if text not in kind:
            raise ValueError("one of: %s" % " ".join(kind))
        return text
    if kind == "bool":
        if text.lower() in YES:
            return True
        if text.lower() in NO:
            return False
        raise ValueError("true or false")
    if kind == "int":
        return int(text)
    if kind == "float":
        return float(text)
    if kind == "list":
        return text.replace(",", " ").split()
    return text


class Knobs:
    """knobs["faults.hang"]; load() again when the file has changed."""

    def __init__(self, path):
        self.path = path
        self.stamp = None
        self.values = {}
        self.error = None
        self.load()

    def __getitem__(self, key):
        return self.values[key]

    def load(self):
        """1 if the file has changed since the last call, else 0."""
        try:
            st = os.stat(self.path)
            stamp = (st.st_mtime_ns, st.st_size, st.st_ino)
        except OSError:
            stamp = ()
        if stamp == self.stamp:
            return 0
        self.stamp = stamp
        self.error = None
        try:
            self.values = parse(self.path)
        except KnobError as e:
            self.error = str(e)
            if not self.values:
                self.values = defaults()
        return 1

    def version(self):
        parts = [int(p) for p in self["client.version"].split(".")[:2]]
        return tuple(parts)

    def is5(self):
        return self.version() >= (5, 0)

    def is6(self):
        return self.version() >= (6, 0)

    def seconds(self, documented):
        return documented / max(self["time.compression"], 0.001)


def defaults():
    values = {}
    for key, (kind, default, _) in TABLE.items():
        values[key] = [] if kind == "list" else default
    return values


def parse(path):
    values = defaults()
    section = ""
    try:
        with open(path) as f:
            lines = f.read().split("\n")
    except OSError:
        return values
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if not line or line[0] in "#;":
            continue
        if line[0] == "[" and line[-1] == "]":
            section = line[1:-1].strip()
            continue
        name, eq, text = line.partition("=")
        key = "%s.%s" % (section, name.strip())
        if not eq or key not in TABLE:
            raise KnobError("%s:%d: unknown key '%s'" % (path, number, key))
        try:
            values[key] = _convert(key, TABLE[key][0], text.strip())
        except ValueError as e:
            raise KnobError("%s:%d: %s: '%s': %s"
                            % (path, number, key, text.strip(), e))
    return values


def render(changed):
    """Text of a file with these keys only."""
    sections = {}
    for key, text in changed.items():
        section, name = key.split(".", 1)
        sections.setdefault(section, []).append("%s = %s" % (name, text))
    out = ["# SPDX-License-Identifier: GPL-2.0-or-later",
           "# Knobs of the WEKA stand-in; `weka-sim knobs` lists them all."]
    for section in sorted(sections):
        out.append("[%s]" % section)
        out.extend(sorted(sections[section]))
    return "\n".join(out) + "\n"
