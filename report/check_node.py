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
    log_end,
    log_file,
    needs_off_spec,
    off_spec,
    task_param,
)
from report.types import Json
from report.units import format_cpus, parse_cpus

SLURMD_S = 10
AUTO_DETECT = re.compile(r"(?i)\bAutoDetect\s*=\s*(full|nrt|nvidia|nvml|oneapi|rsmi)\b")
USUAL = ("/usr/sbin/slurmd", "/usr/local/sbin/slurmd", "/opt/slurm/sbin/slurmd")


# members of jobio-slurm's record of a node: settings of scontrol show config, and numbers of
# scontrol show node
SETTINGS = {"select_type": "SelectType", "scheduler_parameters": "SchedulerParameters",
            "slurmd_parameters": "SlurmdParameters", "task_plugin": "TaskPlugin",
            "prolog_flags": "PrologFlags"}
NUMBERS = {"cpus": "CPUTot", "boards": "Boards", "sockets": "Sockets",
           "cores_per_socket": "CoresPerSocket", "threads_per_core": "ThreadsPerCore",
           "core_spec_count": "CoreSpecCount", "mem_spec_limit": "MemSpecLimit"}


def number(node: dict[str, str] | None, key: str) -> int:
    """Return a number of a node's record; 0: it has none."""
    text = (node or {}).get(key, "")
    return int(text) if text.isdigit() else 0


def record(host: Host) -> str:
    """Return the node's record for jobio-facts, in jobio-slurm's format."""
    node = host.node or {}
    found: Json = {name: host.setting(key) for name, key in SETTINGS.items()}
    found.update({name: number(node, key) for name, key in NUMBERS.items()})
    allowed = host.setting("AllowSpecResourcesUsage").lower() in ("yes", "1")
    version = node.get("Version") or ".".join(f"{part:02}" for part in host.version)
    found.update(name=host.name, task_plugin_param=task_param(host), version=version,
                 boards=found["boards"] or 1, cpu_spec_list=node.get("CPUSpecList"),
                 conf_read_at=0, allow_spec_resources_usage=allowed)
    return json.dumps(found)


class Cores:
    """Slurm's record, and the machine's cores in Slurm's order.

    cpus, total: CPUs and cores in the record
    unit: of CpuSpecList: 1 if CPUs are cores, else threads of a core
    cores: OS CPUs of each core
    spec: OS CPUs of the spec set; list: CpuSpecList
    """

    def __init__(self, host: Host) -> None:
        node, facts = host.node or {}, host.facts["node"]
        self.cpus = number(node, "CPUTot")
        self.total = number(node, "Sockets") * number(node, "CoresPerSocket")
        self.unit = 1
        if self.total < self.cpus:
            self.unit = number(node, "ThreadsPerCore") or 1
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
        core_of = {cpu: core for core in self.cores for cpu in core}
        linuxs = all(core_of.get(cpu, {-1}) <= self.list for cpu in self.list)
        if self.list == self.spec or (slurms and not linuxs):
            return False
        if not client:
            return linuxs and not slurms
        if self.list <= client and self.spec != client:
            return True
        return bool(self.list & client) and not client <= self.spec


def reserve(host: Host, cores: Cores, os_cpus: set[int]) -> dict[str, str]:
    """Return the settings of slurm.conf that reserve these CPUs for the client: words of the node's
    line, and another line."""
    line = cores.line(os_cpus)
    if host.client() and not has_memory(host):
        count = sum(1 for core in cores.cores if core & os_cpus)
        line += " " + memory_words(host, count)
    return {"line": line, "off_spec": f", and {off_spec(host)}" if needs_off_spec(host) else "",
            "cause": "" if cores.total == len(cores.cores) else "geometry"}


def has_memory(host: Host) -> bool:
    return number(host.node, "MemSpecLimit") > 0


def memory_limit(host: Host, cores: int) -> int:
    """Return the MiB of a client with so many cores."""
    size = host.facts["sizing"]
    return int(size["memory_fixed_mb"] + size["memory_core_mb"] * max(1, cores))


def memory_words(host: Host, cores: int) -> str:
    """Return the words of the node's line. Slurm sets a MemSpecLimit to 0 that is not below
    RealMemory, which is 1 where the line has none (read_config.c)."""
    limit = memory_limit(host, cores)
    words = f"MemSpecLimit={limit}"
    if (number(host.node, "RealMemory") or 1) <= limit < host.memory:
        words = f"RealMemory={host.memory} {words}"
    return words


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
    types = [client["type"] for client in host.keys.get("clients", [])]
    if not found or "weka" not in types or host.findings.has("W01"):
        return
    if host.exists("/sys/fs/cgroup/cgroup.controllers"):
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
    why = "; ".join(faults(answer.err)[:3])
    if answer.status or not found:
        why = answer.why or f"{program} -C prints no CPUs"
    if why:
        host.findings.add("N12", why=why, program=program, output=answer.err)
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
    if "slurmdspecoverride" in param and host.version >= (25, 5):
        return
    if spec and (allowed <= spec or "slurmdoffspec" not in param):
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
        last, log = log_end(host, log_file(host, "SlurmdLogFile"))
        host.findings.add("N11", log=f" (its log: {last})" if last else "", output=log)
        return
    if "started_with" in facts:
        hidden("slurmd did not see, when it was started,", parse_cpus(str(facts["started_with"])))
    check_allowed(host, pid, online, spec)


def check(host: Host) -> None:
    facts = host.facts.get("node")
    if not host.node or not facts:
        return
    host.findings.add_facts(facts.get("findings", []))
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
