#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""cli - the `weka` command: it sends its arguments to the agent and prints
the reply. Also mount.wekafs and umount.wekafs, which are `weka mount` and
`weka umount` (cli reference). Imports are few: it is started very often.
"""
import json
import os
import socket
import sys

ENVIRONMENT = ("WEKA_CLI_LEGACY",)
HELPERS = {"mount.wekafs": "mount", "mount.fuse.wekafs": "mount",
           "umount.wekafs": "umount", "umount.fuse.wekafs": "umount",
           "umount.fuse": "umount"}


def ask(root, message):
    """The agent's answer (rc, out, err), or None when there is no agent."""
    conn = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        here = os.open(root + "/run/weka-sim", os.O_RDONLY | os.O_DIRECTORY)
        # a short path: a root may be too long for a socket address
        conn.connect("/proc/self/fd/%d/agent.sock" % here)
        conn.sendall(json.dumps(message).encode() + b"\n")
        data = b""
        while True:
            more = conn.recv(65536)
            if not more:
                break
            data += more
    except OSError:
        return None
    return json.loads(data) if data else None


def without_agent(root, argv):
    """umount and version work without the agent; other commands need it."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    if argv[:1] == ["umount"] or argv[:1] == ["version"]:
        from wekasim import commands
        from wekasim.node import Node, WekaError
        from wekasim.paths import Paths
        node = Node(Paths(root))
        try:
            node.own()
            node.remove = lambda container: None    # the agent does it later
            return commands.dispatch(node, {"argv": argv, "cwd": os.getcwd()},
                                     lambda: False)
        except WekaError as e:
            return 1, "", e.text + "\n"
    if argv[:1] == ["mount"]:
        return 32, "", ("mount.wekafs: cannot connect to the WEKA agent: is "
                        "weka-agent running?\n")
    return 1, "", ("error: Failed to connect to the WEKA agent: Connection "
                   "refused\n")


def foreign_umount(argv):
    """umount(8) identifies a FUSE mount by statfs(2) only and calls umount.fuse
    for each: mounts of other programs are unmounted as without a helper.
    """
    import ctypes
    target = [w for w in argv[1:] if not w.startswith("-")][0]
    flags = (2 if "-l" in argv else 0) | (1 if "-f" in argv else 0)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.umount2(target.encode(), flags) == 0:
        return 0
    sys.stderr.write("umount: %s: %s\n"
                     % (target, os.strerror(ctypes.get_errno())))
    return 32


def like_mount(root, argv):
    """mount(8) for unit tests, where it cannot be called: ROOT/bin/mount.
    When only the target is named, options of the mount table come first."""
    words, text = [], []
    queue = list(argv)
    while queue:
        word = queue.pop(0)
        if word in ("-o", "-t"):
            value = queue.pop(0)
            if word == "-o":
                text.append(value)
        else:
            words.append(word)
    if len(words) == 1:
        with open(root + "/run/weka-sim/mounts") as f:
            rows = [line.split(" ") for line in f]
        rows = [r for r in rows if r[1] == words[0] and r[2] == "wekafs"]
        if not rows:
            sys.exit("mount: %s: mount point not mounted or bad option."
                     % words[0])
        words.insert(0, rows[-1][0])
        text.insert(0, rows[-1][3])
    return ["mount"] + words + ["-o", ",".join(text)]


def main():
    root, program = sys.argv[1], sys.argv[2]
    argv = sys.argv[3:]
    if program in HELPERS:
        argv.insert(0, HELPERS[program])
    elif program == "mount":
        argv = like_mount(root, argv)
    elif program == "umount":
        argv.insert(0, "umount")
    try:
        cwd = os.getcwd()
    except OSError:
        cwd = "/"
    answer = ask(root, {
        "argv": argv, "cwd": cwd,
        "env": {k: os.environ[k] for k in ENVIRONMENT if k in os.environ}})
    if answer is None:
        answer = without_agent(root, argv)
    rc, out, err = answer
    if program.startswith("umount.fuse") and "not mounted" in err:
        return foreign_umount(argv)
    sys.stdout.write(out)
    sys.stdout.flush()
    sys.stderr.write(err)
    return rc


if __name__ == "__main__":
    sys.exit(main())
