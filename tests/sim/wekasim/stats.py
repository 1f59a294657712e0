# SPDX-License-Identifier: GPL-2.0-or-later
"""stats - counters of the mounted file systems, as WEKA would tell them.

`weka stats` gives per-second averages over buckets of 60 s, and a bucket is
there only when it is complete; `weka stats realtime` looks at one second; the
container's socket counts from the start (weka-operator node_agent.go). All of
them come from the counters that the mounted file system really keeps.
"""
import time

BUCKET_S = 60
NAMES = {"READS": "reads", "WRITES": "writes", "READ_BYTES": "read_bytes",
         "WRITE_BYTES": "write_bytes", "OPS": "ops"}
samples = []    # (time, {container: counters}), one a second, the agent's


def totals(node):
    out = {}
    for mount in node.state["mounts"]:
        row = out.setdefault(mount["container"], {})
        for name, value in node.kernel.counters(mount).items():
            row[name] = row.get(name, 0) + value
    return out


def sample(node):
    samples.append((time.time(), totals(node)))
    del samples[:-4000]


def _frontends(node):
    for container in node.state["containers"].values():
        slots = [s for s in container["ids"] if s != "0"]
        for slot in sorted(slots, key=int):
            yield container, slot, len(slots)


def _name(node, container, slot):
    number = container["ids"][slot]
    return number if node.knobs.is6() else "NodeId<%d>" % number


def _rate(container, key, first, last, share):
    span = max(last[0] - first[0], 0.001)
    name = container["name"]
    return (last[1].get(name, {}).get(key, 0)
            - first[1].get(name, {}).get(key, 0)) / span / share


def realtime(node):
    rows = []
    if len(samples) < 2:
        return rows
    first, last = samples[-2], samples[-1]
    for container, slot, share in _frontends(node):
        rates = {k: _rate(container, k, first, last, share)
                 for k in NAMES.values()}
        rows.append({
            "node_id": _name(node, container, slot),
            "hostname": node.hostname(), "role": "FRONTEND", "mode": "DPDK",
            "writeps": rates["writes"], "writebps": rates["write_bytes"],
            "readps": rates["reads"], "readbps": rates["read_bytes"],
            "ops": rates["ops"], "cpu": node.knobs["frontend.duty"]})
    return rows


def history(node, names):
    """Complete buckets only: a short job cannot be told from its neighbours."""
    buckets = {}
    for row in samples:
        buckets.setdefault(int(row[0]) // BUCKET_S, []).append(row)
    now = int(time.time()) // BUCKET_S
    out = []
    for bucket in sorted(buckets):
        if bucket >= now:
            continue
        first, last = buckets[bucket][0], buckets[bucket][-1]
        for container, slot, share in _frontends(node):
            for name in names or sorted(NAMES):
                if name not in NAMES:
                    continue
                out.append({
                    "node": _name(node, container, slot),
                    "category": "ops_driver", "stat_type": name,
                    "timestamp": time.strftime(
                        "%Y-%m-%dT%H:%M:%S",
                        time.gmtime((bucket + 1) * BUCKET_S)),
                    "stat_value": _rate(container, NAMES[name], first, last,
                                        share)})
    return out


def json_rpc(node, container, method):
    """The methods that weka-operator calls on container.sock."""
    if method == "fetch_local_stats":
        counters = totals(node).get(container["name"], {})
        names = ("READS", "WRITES", "READ_BYTES", "WRITE_BYTES")
        for name, more in zip(names, node.knobs["client.counters"]):
            counters[NAMES[name]] = counters.get(NAMES[name], 0) + int(more)
        rows = []
        for name in names:
            rows.append({
                "nodeId": _name(node, container, "1")
                if "1" in container["ids"] else "NodeId<0>",
                "category": "fs_stats", "stat": name,
                "value": str(counters.get(NAMES[name], 0)),
                "unit": "BYTES_PER_SECOND" if "BYTES" in name else "IOPS",
                "params": {"fS": "1"}})
        return rows
    if method == "fetch_local_realtime_cpu_usage":
        return {_name(node, c, slot): {
            "value": float(node.knobs["frontend.duty"]), "err": None}
            for c, slot, _ in _frontends(node) if c is container}
    if method == "get_local_config_summary":
        pids = node.connected(container)
        up = sum(1 for pid in pids if pid)
        ready = container["phase"] == "READY"
        return {"has_lease": ready, "host_name": node.hostname(),
                "filesystems_summary": [
                    {"filesystem_id": "FSId<%d>" % i, "name": fs}
                    for i, fs in enumerate(sorted(
                        {m["fs"] for m in node.mounts_of(container)}), 1)],
                "processes_summary": {
                    "frontend": {"up": up, "total": len(pids)},
                    "management": {"up": int(ready), "total": 1},
                    "total": {"up": up + int(ready),
                              "total": len(pids) + 1}}}
    return None
