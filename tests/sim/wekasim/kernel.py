# SPDX-License-Identifier: GPL-2.0-or-later
"""kernel - the part of the client that is a driver: mounts and /proc/wekafs.

FUSE can show neither the type wekafs nor a cache word in the kernel's table,
so RUN/mounts has the table as a real client would show it, and RUN/proc has
the files of /proc/wekafs.
"""
import ctypes
import os
import struct
import subprocess

from . import options
from .paths import read_text, write_atomic

MNT_FORCE, MNT_DETACH = 1, 2
CONTROL = struct.Struct("=ccc5xQ5Q")    # struct control of wekafs.c
COUNTERS = ("reads", "writes", "read_bytes", "write_bytes", "ops")
ERRORS = ("NS_num_enospc_errors", "NS_num_other_errors", "NS_num_sync_enospc",
          "NS_num_sync_retryable_errs", "NS_num_sync_other_errs",
          "NS_num_fenced_inodes", "NS_num_revoked_locks",
          "NS_dirty_bytes_dropped")


def escape(text):
    for char in "\\ \t\n":
        text = text.replace(char, "\\%03o" % ord(char))
    return text


def unescape(text):
    for char in "\n\t \\":
        text = text.replace("\\%03o" % ord(char), char)
    return text


def real_lines():
    return read_text("/proc/self/mounts").splitlines()


def fuse_targets():
    """Targets of this stand-in's file systems in the kernel's table, in mount order."""
    out = []
    for line in real_lines():
        field = line.split(" ")
        if field[2] == "fuse.wekafs":
            out.append(unescape(field[1]))
    return out


def without_kernel_words(target, text):
    """(text, 1) without the options that mount(8) took from the kernel's table,
    or (text, 0): it puts them first when only the target is named. Here they
    are FUSE's; on a real client they are the current options."""
    if "user_id=" not in text:
        return text, 0
    words = text.split(",")
    for line in real_lines():
        field = line.split(" ")
        if unescape(field[1]) == target and field[2] == "fuse.wekafs":
            for word in field[3].split(","):
                if word in words:
                    words.remove(word)
            break
    return ",".join(words), 1


class Kernel:
    """Mounts of one node; callers hold the node's lock."""

    def __init__(self, node):
        self.node = node
        self.paths = node.paths

    def fuse(self):
        want = self.node.knobs["fs.fuse"]
        return want == "yes" or (want == "auto" and not self.paths.root)

    def control_path(self, mount):
        return os.path.join(self.paths.control, str(mount["id"]))

    # ---- mounts ----------------------------------------------------------
    def backing(self, fs):
        base = self.node.knobs["fs.backing"] or self.paths.var + "/fs"
        path = os.path.join(base, fs.replace("/", "_"))
        if not os.path.isdir(path):
            os.makedirs(path, exist_ok=True)
            os.chmod(path, 0o1777)
        return path

    def attach(self, mount):
        """Mount with the kernel; returns an error text or None."""
        path = self.control_path(mount)
        with open(path, "wb") as f:
            f.write(bytes(4096))
        self.steer(mount)
        if not mount["kernel"]:
            return None
        flags = [name if mount["general"].get(name) else name[2:]
                 for name in ("nosuid", "nodev", "noexec")]
        run = subprocess.run(
            [self.paths.lib + "/wekafs", self.backing(mount["fs"]),
             mount["target"], path, mount["source"], ",".join(flags)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, timeout=20)
        if run.returncode:
            os.unlink(path)
            return run.stderr.decode(errors="replace").strip() or "failed"
        return None

    def detach(self, target, flags):
        """umount2(2); returns 0 or an errno."""
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.umount2(target.encode(), flags) == 0:
            return 0
        return ctypes.get_errno()

    def forget(self, mount):
        try:
            os.unlink(self.control_path(mount))
        except OSError:
            pass

    def steer(self, mount):
        """Write cache mode, stall and read-only to the control page of the mount."""
        stalled = self.node.stalled(mount)
        head = (mount["general"]["cache"][0] + ("1" if stalled else "0")
                + ("1" if mount["general"]["rw"] == "ro" else "0"))
        try:
            fd = os.open(self.control_path(mount), os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return
        try:
            if os.pread(fd, 3, 0) != head.encode():
                os.pwrite(fd, head.encode(), 0)
        finally:
            os.close(fd)

    def counters(self, mount):
        try:
            with open(self.control_path(mount), "rb") as f:
                row = CONTROL.unpack(f.read(CONTROL.size))
        except (OSError, struct.error):
            return dict.fromkeys(COUNTERS, 0)
        return dict(zip(COUNTERS, row[4:]))

    # ---- files for readers -----------------------------------------------
    def table_line(self, mount):
        return "%s %s wekafs %s 0 0" % (
            escape(mount["source"]), escape(mount["target"]),
            options.table_words(mount["general"], self.readahead(mount),
                                mount["container"]))

    def readahead(self, mount):
        container = self.node.state["containers"].get(mount["container"])
        return container["stateless"]["readahead_kb"] if container else "32768"

    def write_table(self):
        """All lines of the kernel's table, with wekafs lines in place of FUSE's."""
        ours = {}
        out = []
        for mount in self.node.state["mounts"]:
            if mount["pending"]:
                continue
            if mount["kernel"]:
                ours.setdefault(mount["target"], []).append(mount)
        for line in real_lines():
            field = line.split(" ")
            queue = ours.get(unescape(field[1]))
            if field[2] == "fuse.wekafs" and queue:
                line = self.table_line(queue.pop(0))
            out.append(line)
        for mount in self.node.state["mounts"]:
            if not mount["kernel"] and not mount["pending"]:
                out.append(self.table_line(mount))
        self._put(self.paths.mounts, "\n".join(out) + "\n")

    def interface(self, only=None):
        """/proc/wekafs/interface; 'only': of one container."""
        out = ["IO node version 2e694b326b50d08a"]
        mounts = [m for m in self.node.state["mounts"] if not m["pending"]
                  and only in (None, m["container"])]
        for mount in mounts:
            words = options.driver_words(mount["general"],
                                         self.readahead(mount),
                                         mount["container"])
            out.append("mount:[wc-%s:sbid-0x%x] %s -o,%s" % (
                mount["container"], 0x31a8 + mount["id"], mount["fs"],
                ",".join(words)))
        out.append("GW driver_state: DRIVER_ACCEPTING")
        out.append("Active mounts: %d" % len(mounts))
        for name, container in sorted(self.node.state["containers"].items()):
            if only in (None, name):
                for index, pid in enumerate(self.node.connected(container)):
                    out.append("Container=%s FE %d: %s" % (
                        name, index, "Connected frontend pid %d" % pid
                        if pid else "Frontend is not connected"))
        out.append("Error counters")
        out.extend("%s: 0" % name for name in ERRORS)
        return "\n".join(out) + "\n"

    def write_proc(self):
        knobs = self.node.knobs
        names = sorted(self.node.state["containers"])
        if not self.node.state["driver"]:
            self._drop_tree()
            return
        os.makedirs(self.paths.proc, exist_ok=True)
        self._proc_file("interface", self.interface())
        # some driver versions have the files per container (docs 5.x)
        for name in os.listdir(self.paths.proc):
            if name != "interface" and name not in names:
                self._drop_directory(name)
        for name in names:
            if not knobs.is5():
                self._drop_directory(name)
                continue
            os.makedirs(os.path.join(self.paths.proc, name), exist_ok=True)
            self._proc_file(name + "/interface", self.interface(name))
            self._proc_file(name + "/queue", self._queue(name))

    def _queue(self, name):
        """Pending I/O; the age column is milliseconds (weka-operator)."""
        out = ["Container %s pending requests" % name,
               "# FE opcode inode age"]
        stalled = [m for m in self.node.state["mounts"]
                   if m["container"] == name and self.node.stalled(m)]
        for mount in stalled:
            age = int(1000 * self.node.stalled_for(mount))
            out.append("0 0 READ 0x%x %d ms" % (mount["id"], age))
        return "\n".join(out + ["", "total: %d" % len(stalled)]) + "\n"

    def _proc_file(self, name, text):
        path = os.path.join(self.paths.proc, name)
        try:
            is_fifo = os.path.exists(path) and not os.path.isfile(path)
        except OSError:
            is_fifo = False
        if self.node.knobs["faults.proc_hang"]:
            # open(2) for reading a FIFO blocks without a writer: a stuck driver
            if not is_fifo:
                temp = path + ".fifo"
                if os.path.exists(temp):
                    os.unlink(temp)
                os.mkfifo(temp)
                os.replace(temp, path)
            return
        if is_fifo:
            try:    # wake readers that wait in open(2)
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            except OSError:
                pass
        self._put(path, text)

    @staticmethod
    def _put(path, text):
        if not os.path.isfile(path) or read_text(path) != text:
            write_atomic(path, text)

    def _drop_directory(self, name):
        path = os.path.join(self.paths.proc, name)
        if os.path.isdir(path):
            for entry in os.listdir(path):
                os.unlink(os.path.join(path, entry))
            os.rmdir(path)

    def _drop_tree(self):
        if not os.path.isdir(self.paths.proc):
            return
        for name in os.listdir(self.paths.proc):
            path = os.path.join(self.paths.proc, name)
            if os.path.isdir(path):
                self._drop_directory(name)
            else:
                os.unlink(path)
        os.rmdir(self.paths.proc)
