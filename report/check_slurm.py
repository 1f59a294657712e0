# SPDX-License-Identifier: GPL-2.0-or-later
"""Slurm's settings from slurmctld, and errors in its files from the output of its programs."""
from __future__ import annotations

import errno
import os
import re
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

from report import paths
from report.check_host import Answer, Host

ASK_S = 5
CONTACT = re.compile(r"(?i)slurm_load_\w+ error|Unable to contact|connection (refused|timed out)|"
                     r"getaddrinfo|No route|authentication|munged?\b|Zero Bytes|"
                     r"Incompatible versions|sack socket|create_external|"
                     r"Unable to (resolve|establish)")

# errors of a slurmctld that can be reached
REFUSED = re.compile(r"(?i)authentication|munge|Zero Bytes|Incompatible|Protocol version")

# settings with a required or a forbidden word: pattern of ",WORD,WORD,"
EVERY, NODES = ("login", "node", "ctld", "ledger"), ("node", "ctld")
RULES = (("S01", "SelectType", r"cons_tres|cons_res", True, EVERY),
         ("S02", "AllowSpecResourcesUsage", ",(yes|1),", True, EVERY),
         ("S04", "TaskPlugin", ",(task/)?cgroup,", True, NODES),
         ("S05", "TaskPlugin", ",(task/)?affinity,", True, NODES),
         ("S06", "PrologFlags", ",(contain|x11),", True, NODES),
         ("S07", "PrologFlags", ",runinjob,", False, NODES),
         ("S08", "SchedulerParameters", ",spec_cores_first,", False, NODES),
         ("S09", "ProctrackType", ",proctrack/cgroup,", True, NODES),
         ("S10", "SelectTypeParameters", "cr_cpu", False, ("node",)))

# by role, the daemon with the socket of AuthType=auth/slurm (sack.c)
SACKS = (("ctld", "slurmctld"), ("node", "slurmd"), ("ledger", "slurmdbd"))


# ---- lines of slurm.conf and cgroup.conf


def lines(host: Host, path: str, depth: int = 0) -> list[tuple[str, str]]:
    """Return the lines KEY=VALUE of a file and its includes, joined and split as by Slurm: a
    backslash and blanks at the end continue a line, # starts a comment (parse_config.c)."""
    if depth >= 8:
        return []
    found: list[tuple[str, str]] = []
    for line in re.sub(r"\\[ \t]*\n", " ", host.read(path) or "").splitlines():
        line = re.sub(r"(?<!\\)#.*", "", line).strip()
        key, equals, value = line.partition("=")
        if equals:
            found.append((key.strip().lower(), value.strip().strip("\"'")))
        elif line.lower().startswith("include"):
            name = line[len("include"):].strip()
            for file in host.glob(beside(path, name)):
                found += lines(host, file, depth + 1)
    return found


def beside(path: str, name: str) -> str:
    """Return the path of a name in the folder of another path."""
    return name if name.startswith("/") else os.path.join(os.path.dirname(path), name)


# ---- queries


def parse_config(text: str) -> dict[str, list[str]]:
    """Parse the output of scontrol show config; keys are in lower case, without [0]."""
    config: dict[str, list[str]] = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        value = value.strip()
        if equals and value and not value.startswith("(null"):
            config.setdefault(re.sub(r"\[\d+\]$", "", key.strip()).lower(), []).append(value)
    return config


def parse_record(line: str) -> dict[str, str]:
    """Parse a line "NodeName=n01 CPUTot=64 ..." of scontrol -o."""
    record: dict[str, str] = {}
    for word in line.split():
        key, equals, value = word.partition("=")
        if equals and value not in ("(null)", "N/A"):
            record.setdefault(key, value)
    return record


def ask(host: Host) -> None:
    """Query slurmctld: two RPCs from a node, three from a host with other roles as well."""
    words = {"config": ["config"]}
    if host.is_role("node"):
        words["node"] = ["node", host.name]
    if host.is_role("login", "ctld"):
        words["partitions"] = ["partition"]

    def show(what: list[str]) -> Answer:
        return host.run(["scontrol", "-ao", "show", *what], ASK_S)

    with ThreadPoolExecutor() as pool:
        answers = dict(zip(words, pool.map(show, words.values())))
    report_faults(host, answers["config"])
    if answers["config"].status == 0:
        host.config = parse_config(answers["config"].out)
        if not host.local and host.setting("SLURM_CONF"):
            host.slurm_conf = host.setting("SLURM_CONF")
    records = {key: [parse_record(line) for line in answer.out.splitlines()]
               for key, answer in answers.items() if answer.status == 0}
    host.partitions = records.get("partitions")
    nodes = [node for node in records.get("node", []) if node.get("NodeName") == host.name]
    host.node = nodes[0] if nodes else None
    if "node" in answers and not host.node:
        output = answers["node"].out + answers["node"].err
        host.has_no_record = "node" in records or "not found" in output


def pace(host: Host) -> None:
    """Sleep for up to a second, by the host name: many nodes may start at the same time."""
    time.sleep(zlib.crc32(host.name.encode()) % 1000 / 1000)


# ---- errors of Slurm's programs, unreachable slurmctld


def faults(text: str) -> list[str]:
    """Return the lines of errors about files; a summary only if it is the only one."""
    found = [re.sub(r"^.*?((error|fatal): )", r"\1", line) for line in text.splitlines()
             if re.search(r"\b(error|fatal): ", line) and not CONTACT.search(line)]
    causes = [line for line in found if "Unable to process configuration file" not in line]
    return causes or found


def report_faults(host: Host, answer: Answer) -> None:
    """Report scontrol's errors about the files, each once."""
    why = "; ".join(faults(answer.err)[:3])
    if answer.status == 127:
        host.findings.add("S22")
    elif why:
        host.findings.add("S15" if answer.status else "S15.warning", program="scontrol", why=why,
                          output=answer.err)
    elif answer.status:
        report_unreachable(host, answer)


def report_node(host: Host) -> None:
    if host.has_no_record and host.is_role("node"):
        host.findings.add("N02", node=host.name)


def expand(host: Host, path: str) -> str:
    """Return a path of slurm.conf with the name of the node."""
    return path.replace("%n", host.name).replace("%h", host.name)


def log_end(host: Host, path: str) -> tuple[str, str]:
    """Return the errors at the end of a daemon's log: the last two in one line, and the last
    eight. Lines before its last start, or before it was stopped, have no cause of its end."""
    try:
        with open(host.path(expand(host, path)), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - 65536))
            text = "\n".join(file.read().decode(errors="replace").splitlines()[-40:])
    except OSError:
        return "", ""
    parts = re.split(r"(Terminate signal|shutdown completing|version \S+ started)", text)
    if len(parts) > 1 and "started" not in parts[-2] and "fatal: " not in parts[-1]:
        return "", ""  # stopped
    found = re.findall("(?:fatal: |error: |Unable to open logfile).*", parts[-1])[-8:]
    return "; ".join(found[-2:]), "\n".join(found)


def log_file(host: Host, key: str) -> str:
    return next(iter(host.here(key)), host.setting(key))


def controllers(host: Host) -> list[tuple[str, str]]:
    """Return name and address of each controller: NAME or NAME(ADDRESS), in old files NAME,NAME."""
    values = [name for value in host.here("SlurmctldHost") + host.here("ControlMachine")
              for name in value.split(",")]
    found = [re.match(r"([^(]*)(?:\(([^)]*)\))?", value) for value in values]
    return [(one[1].strip(), (one[2] or one[1]).strip()) for one in found if one]


def controller(host: Host) -> tuple[str, str, int]:
    """Return name, address and port of the first controller."""
    name, address = (controllers(host) or [("slurmctld's host", "slurmctld's host")])[0]
    port = (host.here("SlurmctldPort") or ["6817"])[-1].split("-")[0]
    return name, address, int(port) if port.isdigit() and int(port) < 65536 else 6817


def tcp_state(name: str, address: str, port: int) -> str:
    """Return the result of a TCP connection; of several addresses, as 127.0.0.1 and ::1, one that
    refuses shows that the host is up."""
    import socket

    codes: list[int] = []
    try:
        for family, kind, _, _, to in socket.getaddrinfo(address, port, 0, socket.SOCK_STREAM):
            with socket.socket(family, kind) as link:
                link.settimeout(2)
                codes.append(link.connect_ex(to))
    except OSError:
        return f" (the name {address} is unknown on this host)"
    if 0 in codes:
        return ""
    state = "refuses connections" if errno.ECONNREFUSED in codes else "is not reachable"
    return f" ({name}:{port} {state})"


def is_slurm_auth(host: Host) -> bool:
    """Return True if this site's Slurm does not need MUNGE."""
    return host.either("AuthType").lower() == "auth/slurm"


def ctld_log(host: Host) -> tuple[str, str]:
    """Return log_end() of slurmctld, if it should run on this host."""
    if not host.is_role("ctld") or host.process("slurmctld") is not None:
        return "", ""
    return log_end(host, log_file(host, "SlurmctldLogFile"))


def report_unreachable(host: Host, answer: Answer) -> None:
    """Report that slurmctld does not reply, with the cause in its log, or of the connection."""
    name, address, port = controller(host)
    auth = re.search(r"Munge \w+ failed.*|failed to connect to any sack socket.*", answer.err)
    why, output = answer.why, answer.err
    if auth:
        why = f"scontrol: {auth[0]}"
    if is_slurm_auth(host) and re.search("(?i)authentication", answer.err):
        why += " (AuthType=auth/slurm)"
    if not host.root and controllers(host) and not REFUSED.search(answer.err):
        why += tcp_state(name, address, port)
    last, log = ctld_log(host)
    if last:
        why, output = f"{answer.why}; its log: {last}", log
    sack = next((daemon for role, daemon in SACKS if host.is_role(role)), "sackd")
    host.findings.add("S21", "log" if last else "", why=why, port=port, sack=sack, output=output)


# ---- this host's files against slurmctld's


def check_same(host: Host) -> None:
    """Compare Slurm's own hash, and the local lines of slurm.conf."""
    found = []
    for key in ("Prolog", "Epilog", "PlugStackConfig"):
        here, there = host.here(key), host.settings(key)
        if not here or not here[-1].startswith("/"):
            continue
        is_same = set(here) == set(there)
        if key == "PlugStackConfig":
            is_same = here[-1:] == there[-1:]
        if not is_same:
            found.append(f"{key}={','.join(here)} here, {','.join(there) or 'not set'} there")
    is_different = host.setting("HASH_VAL").startswith("Different")
    if not found and is_different and not host.findings.has("S15"):
        found.append("their hashes differ")
    if found:
        host.findings.add("S20", "ctld" if host.is_role("ctld") else "-", what="; ".join(found))
    name, cluster = (host.here("ClusterName") or [""])[-1], host.setting("ClusterName")
    if name and cluster and name.lower() != cluster.lower():
        host.findings.add("S23", here=name, there=cluster)


# ---- settings


def check_settings(host: Host) -> None:
    """Check settings against RULES; cures keep the site's other values except NoHold: slurmctld
    does not accept it together with Contain."""
    machine = host.facts.get("node") or {}
    cpus = machine.get("machine_cpus")
    has_one_thread = cpus is not None and cpus == machine["machine_cores"]
    for code, key, pattern, is_required, roles in RULES:
        value = host.setting(key)
        is_found = bool(re.search(pattern, f",{value.replace(' ', '').lower()},"))
        if is_found == is_required or not host.is_role(*roles):
            continue
        if code == "S10" and has_one_thread:
            continue
        flags = re.sub("(?i)NoHold,|,?NoHold", "", value)
        host.findings.add(code, value=value or "not set", flags=flags or "Alloc",
                          whole=re.sub("(?i)CR_CPU", "CR_Core", value))


def check_hooks(host: Host) -> None:
    for key, what in (("Prolog", "no node is prepared for a job"),
                      ("Epilog", "no node is put back, and jobs have no record")):
        if not host.settings(key) and not host.here(key):
            host.findings.add("S12", key=key, what=what, path=paths.helper(key.lower()))


def check_partitions(host: Host) -> None:
    for partition in host.partitions or []:
        value = partition.get("OverSubscribe", "")
        if value.startswith("FORCE") and value != "FORCE:1":
            host.findings.add("S13", partition=partition["PartitionName"], value=value)


def check_cgroup(host: Host) -> None:
    """Check cgroup.conf: slurmd's in the folder of slurm.conf, or slurmctld's from scontrol."""
    path = beside(host.slurm_conf, "cgroup.conf")
    value, where = host.setting("ConstrainCores"), "cgroup.conf of slurmctld"
    if host.local:
        value = dict(lines(host, path)).get("constraincores", "")
        where = path if host.exists(path) else f"{path} (no such file)"
    if value.lower() not in ("yes", "true", "1", "up"):
        host.findings.add("S03", where=where)


def task_param(host: Host) -> str:
    """Return TaskPluginParam with the local value: scontrol of 22.05 does not print
    SlurmdOffSpec."""
    return ",".join([host.setting("TaskPluginParam"), *host.here("TaskPluginParam")])


def needs_off_spec(host: Host) -> bool:
    """Return True if slurmd on a node with a spec set is bound to it."""
    param = task_param(host).lower()
    if "slurmdoffspec" in param or ("slurmdspecoverride" in param and host.version >= (25, 5)):
        return False
    return bool(host.local) or host.version >= (24, 5)


def off_spec(host: Host) -> str:
    """Return the line that sets SlurmdOffSpec, with the site's other values."""
    value = host.either("TaskPluginParam").replace("(null type)", "")
    return f"TaskPluginParam={value}{',' if value else ''}SlurmdOffSpec"


def check_off_spec(host: Host) -> None:
    node = host.node or {}
    if (node.get("CoreSpecCount") or node.get("CPUSpecList")) and needs_off_spec(host):
        host.findings.add("S11", off_spec=off_spec(host))


def check(host: Host) -> None:
    if host.config is None:
        return
    check_settings(host)
    check_same(host)
    check_partitions(host)
    if host.is_role("node", "ctld"):
        check_hooks(host)
    if host.is_role("node"):
        check_cgroup(host)
        check_off_spec(host)
