# SPDX-License-Identifier: GPL-2.0-or-later
"""slurm.conf, NodeName and roles of this host, as Slurm's daemons find them.

slurmd of 22.05 to 26.05 (slurmd.c: _read_config(), in 26.05 _log_setup()) takes the NodeName of
-N; else that of the NodeHostname which is the name without domain (gethostname_short()), the
whole name, or another name that the resolver has (slurm_conf_get_aliased_nodename()); else that
of localhost.
slurmctld (controller.c: _controller_index()) and `scontrol show daemons` compare SlurmctldHost with
the name without domain and with the whole name.
"""
from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator

from report.check_host import NOT_FOUND, Answer, Host
from report.check_slurm import controllers

ROLES = ("login", "node", "ctld", "ledger")
WITH_VALUE = "dfLnN"  # slurmd.c, controller.c: opt_string; "F" can have a value in the same word
RESOLVE_S = 5


# ---- from the daemons


def option(host: Host, pid: int | None, letter: str) -> str:
    """Return the last value of a one-letter option on a daemon's command line."""
    words = (host.read(f"/proc/{pid}/cmdline") or "").split("\0")[1:] if pid else []
    value = ""
    while words:
        word = words.pop(0)
        found = re.match(f"-[A-EG-Za-eg-z]*?([{WITH_VALUE}])(.*)", word)
        if found:
            text = found[2] or (words.pop(0) if words else "")
            value = text if found[1] == letter and text else value
    return value


def daemon_conf(host: Host) -> list[str]:
    """Return slurm.conf of the daemons on this host: -f, else SLURM_CONF (slurmd.c,
    read_config.c)."""
    files = []
    for name in ("slurmd", "slurmctld"):
        pid = host.process(name)
        environ = (host.read(f"/proc/{pid}/environ") or "").split("\0") if pid else []
        named = [text[len("SLURM_CONF="):] for text in environ if text.startswith("SLURM_CONF=")]
        files += [option(host, pid, "f"), *named]
    return [file for file in files if file.startswith("/")]


# ---- names


def whole_name(host: Host) -> str:
    """Return the full name of this host; of a capture without one, the name of its node."""
    own = os.uname().nodename
    if not host.root:
        return own
    queries = host.glob("/answers/scontrol_-ao_show_node_*")
    nodes = [path.rpartition("_show_node_")[2] for path in queries
             if not path.endswith((".err", ".rc"))]
    return (host.read("/etc/hostname") or "").strip() or (nodes or [own])[0]


def names(host: Host) -> Iterator[str]:
    whole = whole_name(host)
    yield whole.partition(".")[0]
    yield whole
    yield from host.run(["getent", "hosts", whole], RESOLVE_S).out.split()[1:]
    yield "localhost"


def node_names(host: Host, daemons: Answer) -> tuple[list[str], Answer]:
    """Return this host's NodeNames in slurm.conf, as read by scontrol, and scontrol's output."""
    if daemons.status not in (0, NOT_FOUND):
        return [], daemons
    if daemons.status == 0 and "slurmd" not in daemons.out.split():
        return [], daemons
    answer = daemons
    for name in dict.fromkeys(names(host)):
        answer = host.run(["scontrol", "show", "aliases", name])
        if answer.out.split() or answer.status not in (0, NOT_FOUND):
            break
    return answer.out.split(), answer


# ---- roles


def is_controller(host: Host, daemons: Answer) -> bool:
    if daemons.status == 0:
        return "slurmctld" in daemons.out.split()
    whole = whole_name(host)
    return any(name in (whole, whole.partition(".")[0], host.name)
               for name, _ in controllers(host))


def is_own(host: Host, name: str) -> bool:
    """Return True for a name or an address of this host: for an own address the kernel chooses the
    same source address; nothing is sent."""
    whole = whole_name(host)
    if name.lower() in (whole.lower(), whole.partition(".")[0].lower()):
        return True
    if host.root or re.match(r"localhost(\.|$)|127\.|::1$", name, re.IGNORECASE):
        return False
    for line in host.run(["getent", "ahosts", name], RESOLVE_S).out.splitlines():
        address = line.split()[0]
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as link:
                link.connect((address, 9))
                if link.getsockname()[0] == address:
                    return True
        except OSError:
            pass
    return False


def find(host: Host, is_given: bool) -> Answer:
    """Set the name without --host, and the roles without --role; return scontrol's output.

    is_given: the roles are those of --role
    """
    daemons = host.run(["scontrol", "show", "daemons"])
    known, answer = node_names(host, daemons)
    pid = host.process("slurmd")
    given = host.name  # of --host
    if not given:
        host.name = node_name(host, pid, known)
    if not is_given:
        is_node = bool(known)
        if given:
            aliases = host.run(["scontrol", "show", "aliases", given])
            is_node = given in known or bool(aliases.out.split())
        is_here = {"node": pid or is_node, "ledger": host.process("jobio-ledgerd"),
                   "ctld": host.process("slurmctld") or is_controller(host, daemons)}
        host.roles = [role for role in ROLES if is_here.get(role)] or ["login"]
    return answer


def node_name(host: Host, pid: int | None, known: list[str]) -> str:
    """Return the NodeName of this host.

    pid: of slurmd
    known: NodeNames in slurm.conf
    """
    given = option(host, pid, "N")
    if not given and not host.root:
        given = os.environ.get("SLURMD_NODENAME", "")
    if given or known:
        return given or known[0]
    whole = whole_name(host)
    command = host.read(f"/proc/{pid}/cmdline") or ""
    is_dynamic = re.search(r"\0-[A-Za-z]*[ZF]", command)
    return whole if is_dynamic else whole.partition(".")[0]


def drop_future(host: Host) -> None:
    """Remove the role node from a controller that is in slurm.conf as a node that slurmctld does
    not list (State=FUTURE), without a slurmd."""
    if host.has_no_record and host.is_role("ctld") and not host.process("slurmd"):
        host.roles = [role for role in host.roles if role != "node"]


def add_ledger(host: Host) -> None:
    """Add the role ledger if [ledger] host= is this host or the unit is enabled, even if it does
    not run."""
    if "ledger" in host.roles:
        return
    names = str(host.keys["ledger"]["host"]) if host.keys else ""
    is_enabled = host.glob("/etc/systemd/system/*.wants/jobio-ledgerd.service")
    if is_enabled or any(is_own(host, name) for name in re.split(r"[,\s]+", names) if name):
        host.roles = [role for role in [*host.roles, "ledger"] if role != "login"]
