# SPDX-License-Identifier: GPL-2.0-or-later
"""Check that Slurm finds jobio.so, once, and loads it, as a user without privileges: root can
read files that sbatch of a user cannot.
"""
from __future__ import annotations

import fnmatch
import os
import re

from report import paths
from report.check_host import Host
from report.check_slurm import beside

LOAD_S = 10


class Stack:
    def __init__(self) -> None:
        self.files: list[str] = []  # files that are read
        self.named: list[tuple[str, str]] = []  # (file, line) of jobio.so
        self.room = ""  # a path that an include line matches
        self.wrong: list[tuple[str, str, str]] = []  # file, why, cure: Slurm ignores a line


def misread(path: str, line: str, word: str) -> tuple[str, str, str] | None:
    """Return file, reason and cure if Slurm misreads the line: it compares words with their case,
    and splits at blanks, tabs and line feeds (spank.c of 22.05 to 26.05: _plugin_stack_line_type(),
    _plugin_stack_parse_line())."""
    if line.rstrip(" \t").endswith("\r"):
        return path, "its lines end in CR LF, and Slurm takes the CR for a part of the last word", \
            f"sed -i 's/\\r$//' {path}"
    if word != word.lower():
        return path, f'line "{line.strip()}": Slurm takes {word.lower()} in small letters only', \
            f"{line.strip().replace(word, word.lower(), 1)} in {path}"
    return None


def walk(host: Host, path: str, stack: Stack, depth: int = 0) -> None:
    """Read plugstack.conf and its includes (spank.c:_spank_conf_include)."""
    text = host.read(path, newline="") if depth < 4 else None
    if text is None:
        return
    stack.files.append(path)
    for line in text.split("\n"):
        words, before = line.partition("#")[0].split(), len(stack.named)
        if len(words) < 2:
            continue
        kind = words[0].lower()
        if kind == "include":
            include(host, beside(path, words[1]), stack, depth)
        elif kind in ("optional", "required") and words[1].endswith("jobio.so"):
            stack.named.append((path, " ".join([kind, *words[1:]])))
        wrong = misread(path, line, words[0]) if len(stack.named) > before else None
        stack.wrong += [wrong] if wrong else []


def include(host: Host, pattern: str, stack: Stack, depth: int) -> None:
    room = os.path.dirname(pattern) + "/jobio.conf"
    if fnmatch.fnmatch(room, pattern) and host.exists(os.path.dirname(pattern)):
        stack.room = room
    if re.search(r"[*?\[]", pattern) and host.exists(os.path.dirname(pattern)):
        stack.files.append(os.path.dirname(pattern))  # users must be able to list it
    for file in host.glob(pattern):
        walk(host, file, stack, depth + 1)


def plugstack(host: Host) -> str:
    return beside(host.slurm_conf, host.either("PlugStackConfig", "plugstack.conf"))


# ---- the line


def tell_line(host: Host, path: str, stack: Stack) -> None:
    """Report the missing line, and the file that it belongs in; plugstack.conf.d is read only if a
    line includes it, as in Debian's file."""
    folder = os.path.dirname(path)
    line, into = "optional jobio.so", stack.room or path
    if not stack.room and host.exists(folder + "/plugstack.conf.d/jobio.conf"):
        line = f"include {folder}/plugstack.conf.d/*.conf"
    if path.startswith("/run/slurm/conf/"):
        into = "plugstack.conf on slurmctld's host"
    why = "no line names jobio.so" if host.exists(path) else "there is no such file"
    host.findings.add("S14.node" if host.is_role("node") else "S14", file=path, why=why,
                      line=line, into=into)


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


def as_user(words: list[str]) -> list[str]:
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] * (
        os.geteuid() == 0) + words


def barrier(path: str) -> tuple[str, str]:
    """Return the first part of a path that users cannot pass, and the missing permissions."""
    parts = path.split("/")
    for end in range(2, len(parts) + 1):
        part = "/".join(parts[:end])
        wanted = 1 if end < len(parts) else 5 if os.path.isdir(part) else 4
        if os.stat(part).st_mode & wanted != wanted:
            return part, {1: "x", 4: "r", 5: "rx"}[wanted]
    return path, "r"


def check_readable(host: Host, name: str, path: str) -> bool:
    if host.root or host.run(as_user(["test", "-r", path])).status == 0:
        return True
    part, lacks = barrier(path)
    mode = os.stat(part).st_mode & 0o7777
    host.findings.add(name, file=path, why=f"{part} has mode {mode:03o}",
                      cure=f"chmod o+{lacks} {part}")
    return False


def check_plugin(host: Host, word: str) -> bool:
    """Check the errors of srun --help, which loads all plugins."""
    dirs = host.either("PluginDir", paths.PLUGINS)
    plugin = word if word.startswith("/") else next(
        (f"{d}/{word}" for d in dirs.split(":") if os.path.exists(f"{d}/{word}")), word)
    srun, why, said_all = paths.program("srun"), "", ""
    if host.root:
        return True  # files of another host cannot be loaded
    if not os.path.exists(plugin):
        why = "there is no such file" + ("" if plugin.startswith("/") else f" in {dirs}")
    elif not check_readable(host, "S27.plugin", plugin):
        return False
    elif srun:
        answer = host.run(as_user([srun, "--help"]), LOAD_S)
        said_all = answer.err
        said = re.findall(r"(?m)^srun: (?:error: )?(.*(?:spank|plugin).*)$", answer.err)
        why = f"srun: {said[0]}" if said and "--io-cores" not in answer.out else ""
        if "Incompatible" in why:  # the message has only the plugin's version
            why += "".join(f"; this host has Slurm {word}" for word in
                           host.run([srun, "--version"], LOAD_S).out.split()[-1:])
    if why:
        host.findings.add("S16", plugin=plugin, why=why, dir=dirs.split(":")[0], said=said_all)
    return not why


def check(host: Host) -> None:
    for folder in host.setting("PluginDir").split(":"):
        if folder and not host.root and not os.path.isdir(folder):
            host.findings.add("S19", dir=folder)
    path, stack = plugstack(host), Stack()
    walk(host, path, stack)
    if not stack.named:
        tell_line(host, path, stack)
        return
    for file, why, cure in stack.wrong:
        host.findings.add("S14.node" if host.is_role("node") else "S14.misread", "misread",
                          file=file, why=why, cure=cure)
    slurm_conf = [host.slurm_conf] * host.exists(host.slurm_conf)
    unread = [f for f in dict.fromkeys([*slurm_conf, *stack.files])
              if not check_readable(host, "S27", f)]
    check_line(host, stack, bool(unread or stack.wrong) or
               check_plugin(host, stack.named[0][1].split()[1]))
