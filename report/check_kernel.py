# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel parameters, modules and settings that affect polling cores.

Lenovo and WEKA measured their best latencies with these: polling cores lose microseconds to
sleep states, a slow clock, page migration and an SMBus interrupt. The state reported by the
kernel takes precedence over its command line. Flow control and switch settings are not in files,
and are not checked.
"""
from __future__ import annotations

import os
import re

from report.check_host import Host
from report.units import format_cpus, parse_cpus

SLEEP_US = 10  # wakeup latency of deeper states is higher
SMALL_MTU = 4000
CPU = "/sys/devices/system/cpu"
CLOCK = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
# clocks that are read without a system call (arch/x86/entry/vdso, arm_arch_timer.c)
FAST = ("tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page")
IRQBALANCE = ("/etc/default/irqbalance", "/etc/sysconfig/irqbalance")
AT_BOOT = {"intel": "intel_idle.max_cstate=0 processor.max_cstate=0",
           "amd": "processor.max_cstate=1", "arm": "cpuidle.off=1", "": "cpuidle.off=1"}
PASS = {"intel": "intel_iommu=off (iommu=pt where virtual machines need it)", "amd": "iommu=pt",
        "arm": "iommu.passthrough=1", "": "iommu=pt"}


def vendor(host: Host) -> str:
    text = host.read("/proc/cpuinfo") or ""
    words = {"GenuineIntel": "intel", "AuthenticAMD": "amd", "CPU implementer": "arm"}
    return next((name for word, name in words.items() if word in text), "")


def deepest(host: Host, cpu: int) -> tuple[int, str]:
    """Return the enabled state with the highest wakeup latency, in microseconds."""
    worst = (0, "")
    for folder in host.glob(f"{CPU}/cpu{cpu}/cpuidle/state[0-9]*"):
        us = host.number(folder + "/latency") or 0
        if us > max(SLEEP_US, worst[0]) and not host.number(folder + "/disable"):
            worst = us, (host.read(folder + "/name") or "a state").strip()
    return worst


def check_cpus(host: Host, cpus: set[int]) -> None:
    add, maker = host.findings.add, vendor(host)
    clock = (host.read(CLOCK) or "").strip()
    if clock and clock not in FAST:
        add("K03", clock=clock)
    found = {cpu: deepest(host, cpu) for cpu in cpus}
    us, state = max(found.values())
    if us:
        add("K04", cpus=format_cpus({cpu for cpu in cpus if found[cpu][0]}), state=state, us=us,
            parameter=AT_BOOT[maker])
    if host.number("/proc/sys/kernel/numa_balancing"):
        add("K05")
    # since Linux 5.11: "identity", "DMA", "DMA-FQ", "blocked" or "auto"
    types = [host.read(path) or "" for path in host.glob("/sys/kernel/iommu_groups/*/type")]
    translated = sum(kind.startswith("DMA") for kind in types)
    if translated:
        add("K06", translated=translated, groups=len(types), parameter=PASS[maker])
    if host.number(CPU + "/smt/active") == 1:
        add("K07")


def check_smbus(host: Host) -> None:
    if host.exists("/sys/module/i2c_i801") and not any(
            re.search(r"(?m)^options i2c_i801 .*disable_features=0x10", host.read(path) or "")
            for path in host.glob("/etc/modprobe.d/*.conf")):
        host.findings.add("K02")


def banned(host: Host) -> set[int]:
    """Return the CPUs that irqbalance skips; it skips isolated ones without an option."""
    cpus = parse_cpus(host.read(CPU + "/isolated") or "")
    for path in IRQBALANCE:
        for name, value in re.findall(r"^\s*IRQBALANCE_BANNED_(CPULIST|CPUS)=[\"']?([^\s\"'#]+)",
                                      host.read(path) or "", re.MULTILINE):
            if name == "CPULIST":
                cpus |= parse_cpus(value)
            else:
                mask = int(value.replace(",", "") or "0", 16)
                cpus |= {i for i in range(mask.bit_length()) if mask >> i & 1}
    return cpus


def check_interrupts(host: Host, cpus: set[int]) -> None:
    left = banned(host)
    if host.process("irqbalance") is None or cpus <= left:
        return
    file = next((path for path in IRQBALANCE if host.exists(path)),
                IRQBALANCE[not host.exists("/etc/debian_version")])
    host.findings.add("K08", cpus=format_cpus(cpus - left), all=format_cpus(left | cpus), file=file)


def check_hugepages(host: Host) -> None:
    """Check for more hugepages than all io-cores of a job need."""
    unused = 0
    for folder in host.glob("/sys/kernel/mm/hugepages/hugepages-*kB"):
        kb = int(re.sub(r"\D", "", os.path.basename(folder)))
        free = host.number(folder + "/free_hugepages") or 0
        unused += (free - (host.number(folder + "/resv_hugepages") or 0)) * (kb >> 10)
    core = host.facts["sizing"]["huge_core_mb"]
    cores = host.keys.get("io_cores_max")
    if cores and unused > cores * core:
        host.findings.add("K10", mb=unused, core=core, cores=cores)


def check(host: Host) -> None:
    cpus = host.client()
    if not cpus:
        return
    check_cpus(host, cpus)
    check_smbus(host)
    check_interrupts(host, cpus)
    for client in host.facts.get("clients", []):
        for card in client.get("cards", []):
            if 0 <= (card["mtu"] if card["mtu"] is not None else -1) < SMALL_MTU:
                host.findings.add("K09", card=card["card"], client=client["name"], mtu=card["mtu"])
    check_hugepages(host)
