# SPDX-License-Identifier: GPL-2.0-or-later
"""paths - all paths of the stand-in, under an optional root for unit tests."""
import os


class Paths:
    def __init__(self, root):
        self.root = root.rstrip("/")
        self.lib = self("/usr/lib/weka-sim")
        self.conf = self("/etc/weka-sim.conf")
        self.service_conf = self("/etc/wekaio/service.conf")
        self.weka_conf = self("/etc/wekaio/weka.conf")
        self.pidfile = self("/var/run/weka-agent.pid")
        self.var = self("/var/lib/weka-sim")
        self.state = self("/var/lib/weka-sim/state.json")
        self.lock = self("/var/lib/weka-sim/state.lock")
        self.log = self("/var/lib/weka-sim/agent.log")
        self.run = self("/run/weka-sim")
        self.socket = self("/run/weka-sim/agent.sock")
        self.mounts = self("/run/weka-sim/mounts")
        self.proc = self("/run/weka-sim/proc")
        self.control = self("/run/weka-sim/control")
        self.duty = self("/run/weka-sim/duty")
        self.data = self("/opt/weka/data")

    def __call__(self, path):
        return self.root + path

    def make(self):
        for path in (self.var, self.run, self.proc, self.control, self.data,
                     os.path.dirname(self.pidfile),
                     os.path.dirname(self.service_conf)):
            os.makedirs(path, exist_ok=True)


def write_atomic(path, text, mode=0o644):
    """Replace a file atomically: readers get the old text or the new one."""
    temp = "%s.%d.tmp" % (path, os.getpid())
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC,
                 mode)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)
    os.replace(temp, path)


def read_text(path, default=""):
    try:
        with open(path, errors="replace") as f:
            return f.read()
    except OSError:
        return default
