# SPDX-License-Identifier: GPL-2.0-or-later
"""stats - replies of the container's socket: counters since its start, and the
mounted file systems (weka-operator node_agent.go).
"""
NAMES = {"READS": "reads", "WRITES": "writes", "READ_BYTES": "read_bytes",
         "WRITE_BYTES": "write_bytes"}


def json_rpc(node, container, method):
    if method == "get_local_config_summary":
        mounted = sorted({m["fs"] for m in node.mounts_of(container)})
        return {"host_name": node.hostname(), "filesystems_summary": [
            {"filesystem_id": "FSId<%d>" % i, "name": fs}
            for i, fs in enumerate(mounted, 1)]}
    if method != "fetch_local_stats":
        return None
    counters = dict.fromkeys(NAMES, 0)
    for name, more in zip(NAMES, node.knobs["client.counters"]):
        counters[name] = int(more)
    for mount in node.mounts_of(container):
        kept = node.kernel.counters(mount)
        for name, key in NAMES.items():
            counters[name] += kept[key]
    number = container["ids"].get("1", 0)
    return [{
        "nodeId": number if node.knobs.is6() else "NodeId<%d>" % number,
        "category": "fs_stats", "stat": name, "value": str(value),
        "unit": "BYTES_PER_SECOND" if "BYTES" in name else "IOPS",
        "params": {"fS": "1"}} for name, value in counters.items()]
