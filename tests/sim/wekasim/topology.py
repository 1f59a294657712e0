# SPDX-License-Identifier: GPL-2.0-or-later
"""topology - the CPUs of this node: the real ones, or CPUs set by knobs."""
import os

from .knobs import cpulist
from .paths import read_text


def to_list(cpus):
    """{0, 1, 2, 8} -> '0-2,8'"""
    out = []
    run = []
    for cpu in sorted(cpus) + [None]:
        if run and cpu == run[-1] + 1 if cpu is not None else False:
            run.append(cpu)
            continue
        if run:
            out.append(str(run[0]) if len(run) == 1
                       else "%d-%d" % (run[0], run[-1]))
        run = [cpu]
    return ",".join(out)


class Topology:
    """siblings: CPU -> set of CPUs of its core; numa: CPU -> node; online."""

    def __init__(self, knobs):
        self.siblings = {}
        self.numa = {}
        if knobs["topology.sockets"]:
            self._made_up(knobs)
        else:
            self._real()

    def _made_up(self, knobs):
        sockets = knobs["topology.sockets"]
        per_socket = knobs["topology.cores_per_socket"]
        threads = int(knobs["topology.threads"])
        cores = sockets * per_socket
        for core in range(cores):
            node = core // per_socket
            cpus = {core + t * cores for t in range(threads)}
            for cpu in cpus:
                self.siblings[cpu] = cpus
                self.numa[cpu] = node
        self.online = set(self.siblings)

    def _real(self):
        base = "/sys/devices/system/cpu"
        self.online = set(cpulist(read_text(base + "/online", "0")))
        for cpu in self.online:
            text = read_text("%s/cpu%d/topology/thread_siblings_list"
                             % (base, cpu), str(cpu))
            self.siblings[cpu] = set(cpulist(text))
            self.numa[cpu] = 0
            for node in range(8):
                if os.path.isdir("%s/cpu%d/node%d" % (base, cpu, node)):
                    self.numa[cpu] = node

    def cores_of(self, cpus):
        """These CPUs with all their hardware siblings."""
        out = set()
        for cpu in cpus:
            out |= self.siblings.get(cpu, {cpu})
        return out

    def choose(self, count, taken):
        """Cores for num_cores=N: NUMA-balanced, from the top, never core 0
        ("the system allocates the cores", mounting-filesystems)."""
        nodes = {}
        seen = set(taken) | self.siblings.get(0, {0})
        for cpu in sorted(self.online, reverse=True):
            first = min(self.siblings[cpu])
            if first in seen or cpu != first:
                continue
            nodes.setdefault(self.numa[cpu], []).append(cpu)
        out = []
        while len(out) < count and any(nodes.values()):
            for node in sorted(nodes):
                if nodes[node] and len(out) < count:
                    out.append(nodes[node].pop(0))
        return out
