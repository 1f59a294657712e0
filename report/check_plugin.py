# SPDX-License-Identifier: GPL-2.0-or-later
"""Check that Slurm finds jobio.so, once, and loads it, as a user without privileges: root can
read files that sbatch of a user cannot.
"""
from __future__ import annotations

import fnmatch
import os
import re
import stat

from report import paths
from report.check_host import Host
from report.check_slurm import beside

LOAD_S = 10


class Stack:
    """plugstack.conf and its includes.

    files: those that are read
    lines: file and line of jobio.so
    free: a path that an include line matches
    ignored: file, reason and cure of a line that Slurm ignores
    """

    def __init__(self) -> None:
        self.files: list[str] = []
        self.lines: list[tuple[str, str]] = []
        self.free = ""
        self.ignored: list[tuple[str, str, str]] = []


def misread(path: str, line: str, word: str) -> tuple[str, str, str] | None:
    """Return file, reason and cure if Slurm misreads the line: it compares words with their case,
    and splits at blanks, tabs and line feeds (spank.c of 22.05 to 26.05: _plugin_stack_line_type(),
    _plugin_stack_parse_line())."""
    if line.rstrip(" \t").endswith("\r"):
        why = "its lines end in CR LF, and Slurm takes the CR for a part of the last word"
        return path, why, f"sed -i 's/\\r$//' {path}"
    small = word.lower()
    if word != small:
        line = line.strip()
        why = f'line "{line}": Slurm takes {small} in small letters only'
        return path, why, f"{line.replace(word, small, 1)} in {path}"
    return None


def walk(host: Host, path: str, stack: Stack, depth: int = 0) -> None:
    """Read plugstack.conf and its includes (spank.c:_spank_conf_include)."""
    text = host.read(path, newline="") if depth < 4 else None
    if text is None:
        return
    stack.files.append(path)
    for line in text.split("\n"):
        words = line.partition("#")[0].split()
        if len(words) < 2:
            continue
        kind, before = words[0].lower(), len(stack.lines)
        if kind == "include":
            include(host, beside(path, words[1]), stack, depth)
        elif kind in ("optional", "required") and words[1].endswith("jobio.so"):
            stack.lines.append((path, " ".join([kind, *words[1:]])))
        ignored = misread(path, line, words[0])
        if ignored and len(stack.lines) > before:
            stack.ignored.append(ignored)


def include(host: Host, pattern: str, stack: Stack, depth: int) -> None:
    """Read the files of an include line."""
    folder = os.path.dirname(pattern)
    if host.exists(folder):
        if fnmatch.fnmatch(folder + "/jobio.conf", pattern):
            stack.free = folder + "/jobio.conf"
        if re.search(r"[*?\[]", pattern):
            stack.files.append(folder)  # users must be able to list it
    for file in host.glob(pattern):
        walk(host, file, stack, depth + 1)


def plugstack(host: Host) -> str:
    return beside(host.slurm_conf, host.either("PlugStackConfig", "plugstack.conf"))


# ---- the line


def report_line(host: Host, path: str, stack: Stack) -> None:
    """Report the missing line, and the file that it belongs in; plugstack.conf.d is read only if a
    line includes it, as in Debian's file."""
    folder = os.path.dirname(path)
    line, into = "optional jobio.so", stack.free or path
    if not stack.free and host.exists(folder + "/plugstack.conf.d/jobio.conf"):
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
    if len(stack.lines) > 1:
        files = list(dict.fromkeys(file for file, _ in stack.lines))
        add("S25", count=len(stack.lines), files=" and ".join(files))
    for file, line in stack.lines:
        if line.startswith("required"):
            add("S26.risk" if is_loaded else "S26", file=file, line=line,
                cure=optional(line, file))


# ---- as a user


def as_user(words: list[str]) -> list[str]:
    """Return the words that run a command without privileges."""
    if os.geteuid():
        return words
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *words]


def barrier(path: str) -> tuple[str, str]:
    """Return the first part of a path that users cannot pass, and the missing permissions."""
    parts = path.split("/")
    for end in range(2, len(parts)):
        folder = "/".join(parts[:end])
        if not os.stat(folder).st_mode & stat.S_IXOTH:
            return folder, "x"
    return path, "rx" if os.path.isdir(path) else "r"


def check_readable(host: Host, name: str, path: str) -> bool:
    if host.root or host.run(as_user(["test", "-r", path])).status == 0:
        return True
    part, missing = barrier(path)
    mode = os.stat(part).st_mode & 0o7777
    host.findings.add(name, file=path, why=f"{part} has mode {mode:03o}",
                      cure=f"chmod o+{missing} {part}")
    return False


def load_error(host: Host) -> tuple[str, str]:
    """Return the reason why srun cannot load the plugin, and srun's output; "": it can. srun --help
    loads all plugins."""
    srun = paths.program("srun")
    if not srun:
        return "", ""
    answer = host.run(as_user([srun, "--help"]), LOAD_S)
    lines = re.findall(r"(?m)^srun: (?:error: )?(.*(?:spank|plugin).*)$", answer.err)
    if not lines or "--io-cores" in answer.out:
        return "", ""
    why = f"srun: {lines[0]}"
    if "Incompatible" in why:  # the message has only the plugin's version
        version = host.run([srun, "--version"], LOAD_S).out.split()[-1:]
        why += "".join(f"; this host has Slurm {word}" for word in version)
    return why, answer.err


def check_plugin(host: Host, word: str) -> bool:
    """Check that the plugin can be loaded.

    word: its name or path in plugstack.conf
    """
    if host.root:
        return True  # files of another host cannot be loaded
    folders = host.either("PluginDir", paths.PLUGINS)
    found = [path for path in (f"{folder}/{word}" for folder in folders.split(":"))
             if os.path.exists(path)]
    plugin = found[0] if found and not word.startswith("/") else word
    if not os.path.exists(plugin):
        place = "" if plugin.startswith("/") else f" in {folders}"
        why, output = "there is no such file" + place, ""
    elif not check_readable(host, "S27.plugin", plugin):
        return False
    else:
        why, output = load_error(host)
    if why:
        host.findings.add("S16", plugin=plugin, why=why, dir=folders.split(":")[0], output=output)
    return not why


def check(host: Host) -> None:
    for folder in host.setting("PluginDir").split(":"):
        if folder and not host.root and not os.path.isdir(folder):
            host.findings.add("S19", dir=folder)
    path, stack = plugstack(host), Stack()
    walk(host, path, stack)
    if not stack.lines:
        report_line(host, path, stack)
        return
    for file, why, cure in stack.ignored:
        host.findings.add("S14.node" if host.is_role("node") else "S14.misread", "misread",
                          file=file, why=why, cure=cure)
    files = list(dict.fromkeys(stack.files))
    if host.exists(host.slurm_conf) and host.slurm_conf not in files:
        files.insert(0, host.slurm_conf)
    unread = [file for file in files if not check_readable(host, "S27", file)]
    is_loaded = True  # not checked if Slurm cannot read the line
    if not unread and not stack.ignored:
        is_loaded = check_plugin(host, stack.lines[0][1].split()[1])
    check_line(host, stack, is_loaded)
