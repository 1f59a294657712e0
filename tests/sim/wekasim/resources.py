# SPDX-License-Identifier: GPL-2.0-or-later
"""resources - the output of `weka local resources -J`: the container's processes.

Keys: containerResource of WEKA's OpenAPI 4.2, and those that public tools
edit (weka/tools resources_generator.py). An automatic core is 4294967295;
slot 0 is MANAGEMENT with dedicate_core false but dedicated_mode FULL.
"""
import copy

from .knobs import cpulist

AUTO = 4294967295
FRONTEND_BYTES = 1400 * 1024 * 1024     # hugepages, memory_mb default
CORES_MAX = 19                          # "up to 19 cores per container"


def node(role, core, dedicate, port, slot, mode="FULL"):
    return {"core_id": core, "dedicate_core": dedicate,
            "dedicated_mode": mode, "http_port": port,
            "roles": [role], "rpc_port": port + 10 + slot}


def new(port, hostname, backends):
    return {
        "allow_protocols": False, "allow_unsupported_nics": False,
        "auto_discovery_enabled": True, "auto_remove_timeout": 3600,
        "backend_endpoints": [{"ip": b, "port": 14000} for b in backends],
        "bandwidth": 0, "base_port": port, "cpu_governor": "PERFORMANCE",
        "dedicate_memory": True, "disable_numa_balancing": True,
        "drives": [], "failure_domain": "", "format": 3,
        "hardware_watchdog": False, "host_id": 65535, "hostname": hostname,
        "ignore_clock_skew": False, "ips": ["127.0.0.1"], "join_secret": [],
        "mask_interrupts": True, "memory": 0, "mode": "CLIENT",
        "net_devices": [], "nodes": {}, "reserve_1g_hugepages": True,
        "restricted_client": False, "rdma_devices": {},
    }


def with_cores(resources, cores, dedicate=True, role="FRONTEND", mode="FULL"):
    """A copy with one process for each of 'cores' (ids or AUTO)."""
    out = copy.deepcopy(resources)
    port = out["base_port"]
    out["nodes"] = {"0": node("MANAGEMENT", AUTO, False, port, 0)}
    for slot, core in enumerate(cores, 1):
        out["nodes"][str(slot)] = node(role, core, dedicate, port, slot, mode)
    out["memory"] = FRONTEND_BYTES * len(cores)
    return out


def with_nets(resources, nets):
    out = copy.deepcopy(resources)
    out["net_devices"] = []
    for index, net in enumerate(nets):
        slots, _, device = net.rpartition("=")      # "net:s1-4=ib0"
        device = device.split("/")[0]
        out["net_devices"].append({
            "device": device, "gateway": "",
            "identifier": "0000:%02x:00.0" % (0x4b + index), "ips": [],
            "name": device, "netmask": 19, "network_label": ""})
        if slots.startswith("net:s"):
            out["net_devices"][-1]["slots"] = cpulist(slots[len("net:s"):])
    return out


def processes(resources, roles=("FRONTEND", "COMPUTE", "DRIVES")):
    """[(slot, core id or AUTO)] of these roles in slot order."""
    nodes = resources["nodes"]
    return [(slot, nodes[slot]["core_id"]) for slot in sorted(nodes, key=int)
            if set(roles) & set(nodes[slot]["roles"])]


def frontends(resources):
    return processes(resources, ("FRONTEND",))
