# SPDX-License-Identifier: GPL-2.0-or-later
"""Does Slurm find jobio.so, once, and would it take it? Looked at as a user without privileges:
root can read files that sbatch of a user cannot."""
from __future__ import annotations

import fnmatch
import os
import re

from report import paths
from report.check_host import Host, forked
from report.check_slurm import beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ctypes import CDLL

LOAD_S = 10
FULL = "libslurmfull.so"
# plugins of Slurm's own, which say what it is
OWN = ("auth_munge.so", "auth_none.so", "select_cons_tres.so", "task_affinity.so")


class Stack:
    def __init__(self) -> None:
        self.files: list[str] = []  # that are read
        self.named: list[tuple[str, str]] = []  # (file, line) of jobio.so
        self.room = ""  # a file that would be included


def walk(host: Host, path: str, stack: Stack, depth: int = 0) -> None:
    """plugstack.conf and what it includes (spank.c:_spank_conf_include)."""
    text = host.read(path) if depth < 4 else None
    if text is None:
        return
    stack.files.append(path)
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if len(words) < 2:
            continue
        if words[0].lower() != "include":
            if words[0].lower() in ("optional", "required") and words[1].endswith("jobio.so"):
                stack.named.append((path, " ".join(words)))
            continue
        pattern = beside(path, words[1])
        room = os.path.dirname(pattern) + "/jobio.conf"
        if fnmatch.fnmatch(room, pattern) and host.exists(os.path.dirname(pattern)):
            stack.room = room
        if re.search(r"[*?\[]", pattern) and host.exists(os.path.dirname(pattern)):
            stack.files.append(os.path.dirname(pattern))  # users must list it
        for file in host.glob(pattern):
            walk(host, file, stack, depth + 1)


def plugstack(host: Host) -> str:
    return beside(host.slurm_conf, host.either("PlugStackConfig", "plugstack.conf"))


# ---- the line


def tell_line(host: Host, path: str, stack: Stack) -> None:
    """The line to write, and the file that it belongs in. A file of plugstack.conf.d that no line
    includes is never read: only Debian ships that line."""
    folder = os.path.dirname(path)
    line, into = "optional jobio.so", stack.room or path
    if not stack.room and host.exists(folder + "/plugstack.conf.d/jobio.conf"):
        line = f"include {folder}/plugstack.conf.d/*.conf"
    if path.startswith("/run/slurm/conf/"):
        into = "plugstack.conf on slurmctld's host"
    why = "no line names jobio.so" if host.exists(path) else "there is no such file"
    host.findings.add("S14", file=path, why=why, line=line, into=into)


def optional(line: str, file: str) -> str:
    return f"{re.sub('^required', 'optional', line)} in {file}"


def check_line(host: Host, stack: Stack, is_loaded: bool) -> None:
    add = host.findings.add
    if len(stack.named) > 1:
        files = list(dict.fromkeys(file for file, _ in stack.named))
        add("S25", count=len(stack.named), files=" and ".join(files))
    for file, line in stack.named:
        if line.startswith("required"):
            add("S26.risk" if is_loaded else "S26", file=file, line=line,
                cure=optional(line, file))


# ---- as a user


def barrier(path: str) -> str:
    """Why a user cannot read it: the first part of it that he cannot pass, or ""."""
    parts = path.split("/")[1:]
    for i in range(1, len(parts) + 1):
        part = "/" + "/".join(parts[:i])
        mode = os.X_OK if i < len(parts) else os.R_OK | (os.X_OK if os.path.isdir(part) else 0)
        if not os.access(part, mode):
            return part
    return ""


def check_readable(host: Host, name: str, path: str) -> bool:
    found = forked(lambda: barrier(host.path(path)), LOAD_S, True)
    if not found:
        return True
    part = found[len(host.root):]
    mode = os.stat(host.path(part)).st_mode
    bits = "x" if part != path else "rx" if os.path.isdir(host.path(part)) else "r"
    host.findings.add(name, file=path, why=f"{part} has mode {mode & 0o7777:03o}",
                      cure=f"chmod o+{bits} {part}")
    return False


# ---- jobio.so


def find_in(dirs: str, name: str) -> str:
    return next((f"{d}/{name}" for d in dirs.split(":") if os.path.exists(f"{d}/{name}")), "")


def release(library: CDLL) -> int:
    import ctypes

    try:
        return ctypes.c_uint32.in_dll(library, "plugin_version").value & 0xffff00
    except ValueError:
        return 0


def spell(version: int) -> str:
    return f"{version >> 16}.{version >> 8 & 0xff:02}"


def load(plugin: str, full: str, another: str) -> str:
    """In a child: why Slurm would not take it, or ""."""
    import ctypes

    if full:
        try:
            ctypes.CDLL(full, ctypes.RTLD_GLOBAL)
        except OSError as error:
            return f"Slurm's own library cannot be loaded: {error}"
    try:
        library = ctypes.CDLL(plugin)
    except OSError as error:
        # without Slurm's library its functions are missing to all plugins
        is_known = full or "undefined symbol" not in str(error)
        return f"it cannot be loaded: {error}" if is_known else ""
    try:
        kind = (ctypes.c_char * 6).in_dll(library, "plugin_type").value
    except ValueError:
        kind = b""
    if kind != b"spank":
        return "it is no SPANK plugin"
    try:
        here = release(ctypes.CDLL(another)) if another else 0
    except OSError:
        here = 0
    built = release(library)
    if here and built != here:
        return (f"it was built for Slurm {spell(built)}, and Slurm here is {spell(here)}, "
                "which refuses it")
    return ""


def why_not(word: str, dirs: str) -> tuple[str, str]:
    """(the plugin as it is found, why Slurm would not take it)"""
    plugin = word if word.startswith("/") else find_in(dirs, word)
    if not plugin or not os.path.exists(plugin):
        return word, "there is no such file" + ("" if word.startswith("/") else f" in {dirs}")
    full = find_in(dirs, FULL) or find_in(dirs, "../" + FULL)
    another = next((found for found in (find_in(dirs, own) for own in OWN) if found), "")
    why = forked(lambda: load(plugin, full, another), LOAD_S, True)
    return plugin, "loading it ends a program" if why is None else why


def check_plugin(host: Host, word: str) -> bool:
    if host.root:
        return True  # the files of another host
    dirs = host.either("PluginDir", paths.PLUGINS)
    plugin, why = why_not(word, dirs)
    if os.path.exists(plugin) and not check_readable(host, "S27.plugin", plugin):
        return False
    if why:
        host.findings.add("S16", plugin=plugin, why=why, dir=dirs.split(":")[0])
    return not why


def check(host: Host) -> None:
    for folder in host.setting("PluginDir").split(":"):
        if folder and not os.path.isdir(host.path(folder)):
            host.findings.add("S19", dir=folder)
    path, stack = plugstack(host), Stack()
    walk(host, path, stack)
    if not stack.named:
        tell_line(host, path, stack)
        return
    unread = [f for f in dict.fromkeys(stack.files) if not check_readable(host, "S27", f)]
    check_line(host, stack, bool(unread) or check_plugin(host, stack.named[0][1].split()[1]))
