# SPDX-License-Identifier: GPL-2.0-or-later
"""The node's record against the machine, the client's CPUs and the CPUs of slurmd."""
from __future__ import annotations

import json
import os
import re

from report.check_host import Host
from report.check_slurm import (
    beside,
    expand,
    faults,
    lacks_off_spec,
    log_end,
    log_file,
    off_spec,
    task_param,
)
from report.units import format_cpus, parse_cpus

SLURMD_S = 10
AUTO_DETECT = re.compile(r"(?i)\bAutoDetect\s*=\s*(full|nrt|nvidia|nvml|oneapi|rsmi)\b")
USUAL = ("/usr/sbin/slurmd", "/usr/local/sbin/slurmd", "/opt/slurm/sbin/slurmd")


def record(host: Host) -> str:
    """Return the node record for jobio-facts, in jobio-slurm's format."""
    node = host.node or {}

    def number(key: str) -> int:
        text = node.get(key, "0")
        return int(text) if text.isdigit() else 0

    version = node.get("Version") or ".".join(f"{part:02}" for part in host.version)
    return json.dumps({
        "name": host.name, "select_type": host.setting("SelectType"),
        "scheduler_parameters": host.setting("SchedulerParameters"),
        "slurmd_parameters": host.setting("SlurmdParameters"),
        "task_plugin": host.setting("TaskPlugin"), "task_plugin_param": task_param(host),
        "prolog_flags": host.setting("PrologFlags"), "cpus": number("CPUTot"),
        "boards": number("Boards") or 1, "sockets": number("Sockets"),
        "cores_per_socket": number("CoresPerSocket"), "threads_per_core": number("ThreadsPerCore"),
        "core_spec_count": number("CoreSpecCount"), "cpu_spec_list": node.get("CPUSpecList"),
        "version": version, "conf_read_at": 0, "mem_spec_limit": number("MemSpecLimit"),
        "allow_spec_resources_usage": host.setting("AllowSpecResourcesUsage").lower() in (
            "yes", "1")})


class Cores:
    """Slurm's record, and the machine's cores in Slurm's order."""

    def __init__(self, host: Host) -> None:
        node, facts = host.node or {}, host.facts["node"]
        self.cpus = int(node.get("CPUTot", 0))
        self.total = int(node.get("Sockets", 0)) * int(node.get("CoresPerSocket", 0))
        self.unit = 1 if self.total >= self.cpus else int(node.get("ThreadsPerCore", 1))
        self.cores = [parse_cpus(core) for core in facts["cores"]]
        self.spec = parse_cpus(facts.get("spec", ""))
        self.list = parse_cpus(node.get("CPUSpecList", ""))
        self.has_spec = bool(self.list or node.get("CoreSpecCount"))

    def spec_count(self) -> int:
        return len(self.list) // self.unit if self.list else len(
            [core for core in self.cores if core & self.spec])

    def line(self, os_cpus: set[int]) -> str:
        """Return the CpuSpecList that reserves these OS CPUs."""
        numbers = {i * self.unit + t for i, core in enumerate(self.cores) if core & os_cpus
                   for t in range(self.unit)}
        return "CpuSpecList=" + format_cpus(numbers)

    def is_in_os_numbers(self, client: set[int]) -> bool:
        """Return True if the CpuSpecList has OS CPU numbers: it is whole cores in these numbers
        only or, if that is ambiguous, the client's CPUs match."""
        slurms = all({cpu // self.unit * self.unit + t for t in range(self.unit)} <= self.list
                     for cpu in self.list)
        of = {cpu: core for core in self.cores for cpu in core}
        linuxs = all(of.get(cpu, {-1}) <= self.list for cpu in self.list)
        if self.list == self.spec or (slurms and not linuxs):
            return False
        if client:
            return (self.list <= client and self.spec != client) or (
                bool(self.list & client) and not client <= self.spec)
        return linuxs and not slurms


def reserve(host: Host, cores: Cores, os_cpus: set[int]) -> dict[str, str]:
    """Return the settings of slurm.conf that reserve these CPUs for the client: words of the node's
    line, and another line."""
    line, count = cores.line(os_cpus), len([core for core in cores.cores if core & os_cpus])
    if host.client() and not has_memory(host):
        line += " " + memory_words(host, count)
    return {"line": line, "off_spec": f", and {off_spec(host)}" if lacks_off_spec(host) else "",
            "cause": "" if cores.total == len(cores.cores) else "geometry"}


def has_memory(host: Host) -> bool:
    return int((host.node or {}).get("MemSpecLimit", 0)) > 0


def memory_limit(host: Host, cores: int) -> int:
    """Return the MiB of a client with so many cores."""
    size = host.facts["sizing"]
    return int(size["memory_fixed_mb"] + size["memory_core_mb"] * max(1, cores))


def memory_words(host: Host, cores: int) -> str:
    """Return the words of the node's line. Slurm sets a MemSpecLimit to 0 that is not below
    RealMemory, which is 1 where the line has none (read_config.c)."""
    limit, memory = memory_limit(host, cores), int((host.node or {}).get("RealMemory", 1))
    real = f"RealMemory={host.memory} " if memory <= limit < host.memory else ""
    return f"{real}MemSpecLimit={limit}"


def check_spec(host: Host, cores: Cores) -> None:
    add, client = host.findings.add, host.client() or set()
    if cores.list and cores.is_in_os_numbers(client):
        add("N05", list=format_cpus(cores.list), really=format_cpus(cores.spec),
            **reserve(host, cores, client or cores.list))
    away = client - cores.spec
    if away:
        add("N06" if cores.has_spec else "N07", open=format_cpus(away),
            really=format_cpus(cores.spec), **reserve(host, cores, client))
    if 0 in cores.spec:
        add("N08")
    if cores.has_spec and not has_memory(host):
        size = host.facts["sizing"]
        add("N09", fixed=f"{size['memory_fixed_mb'] / 1000:.1f}",
            core=f"{size['memory_core_mb'] / 1000:.1f}",
            line=memory_words(host, cores.spec_count()))


def check_cards(host: Host, cores: Cores) -> None:
    mine = cores.spec or parse_cpus(host.facts["node"].get("one", ""))
    for client in host.facts.get("clients", []):
        cards = [card for card in client.get("cards", []) if "cpus" in card]
        if not cards or not mine or any(parse_cpus(card["cpus"]) & mine for card in cards):
            continue
        names = ", ".join(f"{c['card']} (NUMA node {c['numa_node']})" for c in cards)
        host.findings.add("N13" if cores.spec else "N13.none", cores=format_cpus(mine),
                          client=client["name"], cards=names)


def check_discovery(host: Host) -> None:
    """N14: AutoDetect in gres.conf on a node with cgroup v2 and a WEKA client (WEKA, "Manage CPU
    allocations for WEKA and Slurm", step 1). With isolate_cpusets=true there is W01 instead."""
    path = beside(host.slurm_conf, "gres.conf")
    found = AUTO_DETECT.search(re.sub("#.*", "", host.read(path) or ""))
    if found and host.exists("/sys/fs/cgroup/cgroup.controllers") and not host.findings.has(
            "W01") and "weka" in [client["type"] for client in host.keys.get("clients", [])]:
        host.findings.add("N14", path=path, how=found[1])


# ---- slurmd


def slurmd_pid(host: Host) -> int | None:
    """Return the PID of slurmd's pid file if it is a slurmd, else of the oldest slurmd."""
    pid = host.number(expand(host, host.either("SlurmdPidFile", "/var/run/slurmd.pid")))
    return pid if host.status(pid, "Name") in ("slurmd", "slurmd-wlm") else host.process("slurmd")


def find_slurmd(host: Host, pid: int | None) -> str:
    if host.slurmd or host.root:
        return host.slurmd or "slurmd"
    try:
        running = os.readlink(f"/proc/{pid}/exe") if pid else ""
    except OSError:
        running = ""
    return next((p for p in (running, *USUAL) if p and os.access(p, os.X_OK)), "")


def check_count(host: Host, pid: int | None, online: set[int]) -> None:
    program = find_slurmd(host, pid)
    if not program:
        return
    answer = host.run([program, "-C"], SLURMD_S)
    if answer.status == 127:
        return
    found = re.search(r" CPUs=(\d+)", answer.out)
    memory = re.search(r" RealMemory=(\d+)", answer.out)
    host.memory = int(memory[1]) if memory else 0
    if answer.status or not found:
        host.findings.add("N12", why=answer.why or f"{program} -C prints no CPUs", program=program,
                          said=answer.err)
    elif faults(answer.err):
        host.findings.add("N12", why="; ".join(faults(answer.err)[:3]), program=program,
                          said=answer.err)
    if found and int(found[1]) < len(online):
        host.findings.add("N03.count", seen=found[1], program=program, online=len(online))


def check_allowed(host: Host, pid: int, online: set[int], spec: set[int]) -> None:
    """Check slurmd's CPUs.

    With a spec set slurmd binds itself to it, or to all others with SlurmdOffSpec
    (slurmd.c:_core_spec_init). With SlurmdSpecOverride (25.05) the cpuset in which it was started
    determines the spec set.
    """
    param = task_param(host).lower()
    allowed = parse_cpus(host.status(pid, "Cpus_allowed_list"))
    if ("slurmdspecoverride" in param and host.version >= (25, 5)) or (
            spec and (allowed <= spec or "slurmdoffspec" not in param)):
        return
    missing = online - spec - allowed
    if missing:
        host.findings.add("N10", measured=f"process {pid}", allowed=format_cpus(allowed),
                          missing=format_cpus(missing))


def started(host: Host) -> str | None:
    """Return the topology file of slurmd's start; 25.05 and later have none."""
    folder = expand(host, host.either("SlurmdSpoolDir", "/var/spool/slurmd"))
    path = host.path(folder + "/hwloc_topo_whole.xml")
    return path if host.version < (25, 5) and os.access(path, os.R_OK) else None


def check_slurmd(host: Host, facts: dict[str, object], spec: set[int]) -> None:
    if host.topology and not host.root:
        return  # the topology is of another machine
    online = parse_cpus(host.read("/sys/devices/system/cpu/online") or "")
    if not online:
        return
    seen = parse_cpus(str(facts["seen"]))
    if facts["ecores_dropped"]:
        online &= seen

    def hidden(what: str, cpus: set[int]) -> None:
        if online - cpus:
            host.findings.add("N03", what=what, hidden=format_cpus(online - cpus),
                              seen=format_cpus(cpus))
    if host.root:
        hidden("the file of --topology does not have", seen)
    pid = slurmd_pid(host)
    check_count(host, pid, online)
    if not pid:
        last, said = log_end(host, log_file(host, "SlurmdLogFile"))
        host.findings.add("N11", log=f" (its log: {last})" if last else "", said=said)
        return
    if "started_with" in facts:
        hidden("slurmd did not see, when it was started,", parse_cpus(str(facts["started_with"])))
    check_allowed(host, pid, online, spec)


def check(host: Host) -> None:
    facts = host.facts.get("node")
    if not host.node or not facts:
        return
    host.findings.take(facts.get("findings", []))
    if facts.get("error"):
        host.findings.add("N01", why=facts["error"], node=host.name)
        return
    cores = Cores(host)
    if cores.cpus < facts["machine_cpus"] and cores.cpus != facts["machine_cores"]:
        host.findings.add("N04", cpus=cores.cpus, machine=facts["machine_cpus"])
    check_slurmd(host, facts, cores.spec)
    check_spec(host, cores)
    check_cards(host, cores)
    check_discovery(host)
