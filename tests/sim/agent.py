#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""agent - the Python half of `/usr/bin/weka --agent`.

Answers commands on a socket and watches the containers' processes and the mount
table. It reads service.conf once, when it starts: all documents require a restart
of the agent after an edit. Frontends and mounts are processes of their own and
continue to run when it ends.
"""
import json
import os
import select
import signal
import socket
import sys
import threading
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from wekasim import commands, localsocket  # noqa: E402
from wekasim.kernel import fuse_targets  # noqa: E402
from wekasim.node import Node, WekaError, start_time  # noqa: E402
from wekasim.paths import Paths, read_text, write_atomic  # noqa: E402
from wekasim.topology import Topology  # noqa: E402

TICK_S = 0.1
REQUEST_MAX = 1 << 20
MODES = ("auto", "force", "force_v2", "none")


def cgroups_mode(paths):
    """Value in service.conf, or weka.conf if there is none: in any section, blanks
    around '=' allowed, the last one is used; an unknown word means the default."""
    path = paths.service_conf
    if not os.path.exists(path):
        path = paths.weka_conf
    mode = "auto"
    for line in read_text(path).splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "cgroups_mode":
            mode = value.strip().lower()
    return mode if mode in MODES else "auto"


class Agent:
    def __init__(self, root):
        self.paths = Paths(root)
        self.node = Node(self.paths)
        self.node.own()
        self.listener = None
        self.targets = []
        self.sockets = {}
        self.wake = threading.Event()
        self.refreshed = threading.Event()
        self.sync_lock = threading.Lock()

    def log(self, text):
        with open(self.paths.log, "a") as f:
            f.write("%s %s\n" % (time.strftime("%F %T"), text))

    def prepare(self):
        node = self.node
        pid = os.getppid()      # the process with the title weka --agent
        node.state["agent"] = {
            "pid": pid, "started": time.time(),
            "cgroups_mode": cgroups_mode(self.paths)}
        node.write_duty()
        if os.path.exists(self.paths.socket):
            os.unlink(self.paths.socket)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # the path may be long under a test's root: bind relative to it
        os.chdir(self.paths.run)
        self.listener.bind(os.path.basename(self.paths.socket))
        os.chdir("/")
        os.chmod(self.paths.socket, 0o666)
        self.listener.listen(64)
        write_atomic(self.paths.pidfile, "%d\n" % pid)
        node.recover()

    # ---- one command -----------------------------------------------------
    def serve(self, conn):
        with conn:
            try:
                sent = self.receive(conn)
                if sent is None:
                    return
                if "control" in sent:
                    answer = self.control(sent["control"])
                else:
                    answer = commands.dispatch(self.node, sent,
                                               lambda: self.hung_up(conn))
            except Exception:
                self.log(traceback.format_exc())
                answer = 70, "", "weka-sim: %s" % traceback.format_exc()
            try:
                conn.sendall(json.dumps(answer).encode())
            except OSError:
                pass    # the caller has gone; its command was run

    @staticmethod
    def receive(conn):
        data = b""
        conn.settimeout(5)
        while not data.endswith(b"\n"):
            more = conn.recv(65536)
            if not more or len(data) > REQUEST_MAX:
                return None
            data += more
        return json.loads(data)

    @staticmethod
    def hung_up(conn):
        poll = select.poll()
        poll.register(conn, select.POLLRDHUP | select.POLLHUP)
        return bool(poll.poll(0))

    def control(self, what):
        """Requests of tests that no command of a client can make."""
        node = self.node
        if what == "sync":
            with self.sync_lock:
                self.refreshed.clear()
                self.wake.set()
                if not self.refreshed.wait(10):
                    return 70, "", "weka-sim: the agent is stuck\n"
            if node.knobs.error:
                return 70, "", "weka-sim: %s\n" % node.knobs.error
            return 0, "", ""
        if what == "state":
            return 0, json.dumps(node.state, indent=1) + "\n", ""
        return 2, "", "weka-sim: unknown control '%s'\n" % what

    # ---- the background --------------------------------------------------
    def refresh(self, force):
        """Knobs take effect without a restart."""
        node = self.node
        if not node.knobs.load() and not force:
            return
        node.topology = Topology(node.knobs)
        node.write_duty()
        node.publish()

    def background(self):
        while True:
            forced = self.wake.wait(TICK_S)
            if forced:
                self.wake.clear()
            try:
                try:
                    self.refresh(forced)
                finally:
                    if forced:
                        self.refreshed.set()
                localsocket.keep(self.node, self.sockets)
            except Exception:
                self.log(traceback.format_exc())

    def mounts_changed(self):
        try:
            targets = fuse_targets()
            if targets != self.targets:
                self.targets = targets
                threading.Thread(target=self.node.notice_umounts,
                                 daemon=True).start()
            with self.node.lock:
                self.node.kernel.write_table()
        except Exception:
            self.log(traceback.format_exc())

    def run(self):
        self.prepare()
        self.wake.set()
        threading.Thread(target=self.background, daemon=True).start()
        table = os.open("/proc/self/mounts", os.O_RDONLY | os.O_CLOEXEC)
        poll = select.poll()
        poll.register(self.listener, select.POLLIN)
        poll.register(table, select.POLLERR | select.POLLPRI)
        while True:
            for fd, _ in poll.poll():
                if fd == table:
                    self.mounts_changed()
                    continue
                conn, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(conn,),
                                 daemon=True).start()


def leave(paths):
    for path in (paths.pidfile, paths.socket):
        try:
            os.unlink(path)
        except OSError:
            pass
    os._exit(0)


def main():
    paths = Paths(sys.argv[1])
    signal.signal(signal.SIGTERM, lambda *_: leave(paths))
    signal.signal(signal.SIGINT, lambda *_: leave(paths))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    running = read_text(paths.pidfile).strip()
    try:
        agent = Agent(sys.argv[1])
    except WekaError as e:
        if running.isdigit() and start_time(int(running)):
            print("weka-sim: an agent runs already, pid %s" % running,
                  file=sys.stderr)
        else:
            print("weka-sim: %s" % e.text, file=sys.stderr)
        return 1
    agent.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
