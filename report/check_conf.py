# SPDX-License-Identifier: GPL-2.0-or-later
"""jobio.conf: its file, profiles, numbers, and its names of nodes and partitions."""
from __future__ import annotations

import itertools
import os
import pwd
import re

from report.check_host import Host
from report.check_node import Cores
from report.files import is_trusted
from report.types import Json

MANY_CORES = 256  # the maximum in jobio.conf
NO_TIME = 65534  # PrologEpilogTimeout is not set


def slurm_user(host: Host) -> str:
    return host.setting("SlurmUser").partition("(")[0] or "slurm"


def uid_of(user: str) -> int | None:
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        return None


def check_file(host: Host) -> None:
    """Check that only root can write the file, or SlurmUser: its slurm.conf names programs that
    root runs."""
    try:
        found = os.stat(host.path(host.conf))
    except OSError:
        return
    user = uid_of(slurm_user(host)) if host.setting("SlurmUser") else 0
    mode = f"{found.st_mode & 0o777:03o}"
    if found.st_uid not in (0, user) or found.st_mode & 0o022:
        host.findings.add("J04", uid=found.st_uid, mode=mode)
    if not found.st_mode & 0o004:
        host.findings.add("J05", mode=mode)
    for path in host.glob(os.path.join(os.path.dirname(host.conf), "jobio", "*.*")):
        if path.endswith((".words", ".j2")) and not is_trusted(host.path(path)):
            host.findings.add("J04.site", path=path, uid=os.stat(host.path(path)).st_uid)


def check_profiles(host: Host, keys: Json) -> None:
    for profile in keys["profiles"]:
        for client in profile["clients"]:
            for why in client["refused"]:
                host.findings.add("J06", profile=profile["name"], client=client["name"],
                                  why=why.partition("; the profile was not applied")[0])
        if not (profile["empty"] or any(client["used"] for client in profile["clients"])):
            host.findings.add("J07", profile=profile["name"])
    if keys["calibration_error"] and host.is_role("login", "ledger"):
        host.findings.add("J14", why=keys["calibration_error"])


def check_clients(host: Host) -> None:
    clients = host.facts.get("clients", [])
    if not clients:
        host.findings.add("J02")
    for client in clients:
        if client.get("error"):
            host.findings.add("J03", client=client["name"], why=client["error"])
        host.findings.add_facts(client.get("findings", []))


def check_bounds(host: Host, keys: Json) -> None:
    facts = host.facts.get("node") or {}
    if not host.node or "cores" not in facts:
        return
    cores, low, high = Cores(host), keys["io_cores_min"], keys["io_cores_max"]
    fixed = sum(c.get("fixed_cores", 0) for c in host.facts.get("clients", []))
    if high >= cores.total:
        host.findings.add("J08", max=high, cores=cores.total, below=max(1, cores.total - 1))
    client = host.client() or set()
    own = reserved = len([core for core in cores.cores if core & client])
    if cores.has_spec and client <= cores.spec:  # else N06, N07
        reserved = cores.spec_count()
    count = max(fixed, reserved)
    if count <= low:
        return
    word = "J09.polls" if own == count else "J09.spec"
    if fixed > low:
        word = "J09"
    line = f"io_cores_min={count}"
    if count > high:
        line += f" and io_cores_max={count}"
    host.findings.add(word, "many" if count > MANY_CORES else "-", min=low, cores=count, line=line)


def hook_limit(host: Host, key: str) -> tuple[str, int]:
    """Return PrologEpilogTimeout, or PrologTimeout and EpilogTimeout of 25.05, in seconds; 0:
    none."""
    for name in (key, "PrologEpilogTimeout"):
        found = re.match(r"\d+", host.setting(name))
        if found and 0 < int(found[0]) < NO_TIME:
            return name, int(found[0])
    return key, 0


def check_limits(host: Host, keys: Json) -> None:
    limits = [("PrologTimeout", "prolog_budget_ms", keys["prolog_budget_ms"],
               "Slurm may end a prolog, and drain the node, before jobio gives up by itself")]
    if keys["waits"]:
        limits.append(("EpilogTimeout", "send_timeout_ms and wait_nodes",
                       keys["ledger"]["send_timeout_ms"],
                       "Slurm may end an epilog, and drain the node, while it waits for the "
                       "ledger"))
    for key, name, ms, what in limits:
        key, seconds = hook_limit(host, key)
        if seconds and ms > seconds * 500:
            host.findings.add("J13", key=key, seconds=seconds, name=name, ms=ms, what=what,
                              enough=-(-ms // 500))


def check_scope(host: Host, keys: Json) -> None:
    if not keys["enabled"]:
        host.findings.add("J10", why="enabled=no")
    elif host.is_role("node") and not keys["is_for_node"]:
        host.findings.add("J10", why=f"nodes={keys['nodes']} does not have this node")
    elif keys["partitions"]:
        host.findings.add("J12", partitions=keys["partitions"])


# ---- names in Slurm


def expand(text: str) -> set[str]:
    """Return the names of a list of Slurm: "n[01-04],m7"."""
    names: set[str] = set()
    for part in re.findall(r"(?:[^,\s\[]|\[[^\]]*\])+", text):
        pieces = [numbers(piece[1:-1]) if piece.startswith("[") else [piece]
                  for piece in re.findall(r"\[[^\]]*\]|[^\[]+", part)]
        names.update("".join(word) for word in itertools.product(*pieces))
    return names


def numbers(text: str) -> list[str]:
    """Return the numbers of "01-04,7", each with its leading zeros."""
    found: list[str] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += [f"{n:0{len(first)}}" for n in range(int(first), int(last or first) + 1)]
    return found


def check_names(host: Host, keys: Json) -> None:
    """Check partitions and nodes against slurmctld; a node has only its own record."""
    if host.partitions is not None:
        known = {p["PartitionName"] for p in host.partitions if "PartitionName" in p}
        for name in re.split(r"[,\s]+", keys["partitions"]):
            if name and name not in known:
                host.findings.add("J11", partition=name)
        nodes = set().union(*[expand(p.get("Nodes", "")) for p in host.partitions])
        lists = [("jobio", "nodes", keys["nodes"]),
                 ("ledger", "wait_nodes", keys["ledger"]["wait_nodes"])]
        lists += [(f"client {c['name']}", "nodes", c["nodes"]) for c in keys["clients"]]
        for section, key, text in lists:
            if text and text != "ALL" and not expand(text) & nodes:
                host.findings.add("J15", section=section, key=key, list=text)


def check(host: Host) -> None:
    check_file(host)
    if not host.keys:
        host.findings.add("J01", why=host.facts["conf"]["error"])
        return
    keys = host.keys
    check_scope(host, keys)
    check_names(host, keys)
    check_profiles(host, keys)
    if host.is_role("node"):
        check_clients(host)
        check_bounds(host, keys)
    if host.is_role("node", "ctld"):
        check_limits(host, keys)
