# SPDX-License-Identifier: GPL-2.0-or-later
"""show - the texts and the JSON that `weka` prints.

Shapes: local ps and status of docs-weka-io 4.2-4.4; internalStatus as
weka-operator parses it (internal/services/weka.go): health is display_status,
`state` says READY all the time; resources as OpenAPI 4.2 and the tables of
weka-and-slurm-integration.
"""
import json
import time

from . import resources

STATUS = {      # phase: (display_status, message, text column)
    "stopped": ("", "", ""),
    "STEM": ("STEM", "Container is starting", "STEM"),
    "CLUSTERIZING": ("CLUSTERIZING", "Joining cluster", "Joining cluster"),
    "READY": ("READY", "Ready", "Ready"),
    "stopping": ("STOPPING", "Container is stopping", "Stopping"),
    "DRAINING": ("DRAINING", "Container is draining", "Draining"),
}


def dump(value):
    return json.dumps(value, indent=4) + "\n"


def table(header, rows, show_header=True):
    rows = [[str(cell) for cell in row] for row in rows]
    lines = ([header] if show_header else []) + rows
    widths = [max(len(line[i]) for line in lines) if lines else 0
              for i in range(len(header))]
    return "".join("  ".join(cell.ljust(width) for cell, width in
                             zip(line, widths)).rstrip() + "\n"
                   for line in lines)


def csv(header, rows, show_header=True):
    lines = ([header] if show_header else []) + rows
    return "".join(",".join(str(cell) for cell in line) + "\n"
                   for line in lines)


def internal_status(container):
    display, message, _ = STATUS[container["phase"]]
    return {"action": container["action"], "display_status": display,
            "message": message,
            "state": "READY" if container["phase"] != "stopped" else ""}


def uptime(container):
    if container["phase"] == "stopped" or not container["started"]:
        return None
    return int(time.time() - container["started"])


def pid_of(container):
    row = container["procs"].get("0")
    return row[0] if row else None


def container_json(node, container):
    running = container["phase"] != "stopped"
    # the keys that WEKA's public tools read, and no other: no pid
    out = {
        "name": container["name"], "type": "weka",
        "versionName": container["version"],
        "runStatus": "Running" if running else "Stopped",
        "isRunning": running, "isDisabled": container["disabled"],
        "lastFailure": container["last_failure"],
        "lastFailureTime": container["last_failure_time"],
        "internalStatus": internal_status(container),
    }
    if node.knobs.is6():
        # 6.x renames columns (getting-started 6.0); the JSON names follow the
        # documented -o names, which is an assumption
        out["version"] = out.pop("versionName")
        out["lastFailureText"] = out["lastFailure"]
        out["containerId"] = container["ids"].get("0", 0)
        out["state"] = out["runStatus"]
        out["running"] = running
        out["hasLease"] = container["phase"] == "READY"
        out["ioProcessesNotUp"] = sum(
            1 for pid in node.connected(container) if not pid)
        out["managementIps"] = container["stable"]["ips"]
    return out


def elapsed(seconds):
    if seconds is None:
        return ""
    return "%d:%02d:%02dh" % (seconds // 3600, seconds // 60 % 60,
                              seconds % 60)


PS_COLUMNS = [      # (-o name, heading, value)
    ("name", "CONTAINER", lambda c: c["name"]),
    ("state", "STATE",
     lambda c: "Stopped" if c["phase"] == "stopped" else "Running"),
    ("disabled", "DISABLED", lambda c: c["disabled"]),
    ("uptime", "UPTIME", lambda c: elapsed(uptime(c))),
    ("monitoring", "MONITORING", lambda c: c["monitoring"]),
    ("persistent", "PERSISTENT", lambda c: c["persistent"]),
    ("port", "PORT", lambda c: c["port"]),
    ("pid", "PID", lambda c: pid_of(c) or ""),
    ("status", "STATUS", lambda c: STATUS[c["phase"]][2]),
    ("versionName", "VERSION", lambda c: c["version"]),
    ("failureText", "LAST FAILURE", lambda c: c["last_failure"]),
]
PS_MORE = [
    ("running", "RUNNING", lambda c: c["phase"] != "stopped"),
    ("failure", "LAST FAILURE", lambda c: c["last_failure"]),
    ("failureTime", "FAILURE TIME", lambda c: c["last_failure_time"]),
    ("upgradeState", "UPGRADE STATE", lambda c: "NONE"),
]
PS_RENAMED = {"version": "versionName", "lastFailureText": "failureText",
              "lastFailure": "failure", "lastFailureTime": "failureTime"}


def ps_rows(containers, names, is6):
    """(header, rows); ValueError names an unknown column."""
    known = {row[0]: row for row in PS_COLUMNS + PS_MORE}
    if names:
        columns = []
        for name in names:
            key = PS_RENAMED.get(name, name) if is6 else name
            if key not in known:
                raise ValueError(name)
            columns.append(known[key])
    else:
        columns = list(PS_COLUMNS)
        if not any(c["last_failure"] for c in containers):
            columns.pop()
    return ([c[1] for c in columns],
            [[c[2](container) for c in columns] for container in containers])


def node_states(node, container):
    """[(slot, roles, READY|UNKNOWN)]"""
    out = []
    for slot in sorted(container["stable"]["nodes"], key=int):
        up = container["phase"] == "READY" and node.alive(container, slot)
        out.append((slot, container["stable"]["nodes"][slot]["roles"],
                    "READY" if up else "UNKNOWN"))
    return out


def cgroups_line(node):
    """`Cgroups: mode=auto, enabled=true` (4.2), with version= since 4.4,
    lower case on the newest page."""
    mode = node.state["agent"].get("config", {}).get("cgroups_mode", "auto")
    enabled, version = False, node._cgroups().version
    for container in node.state["containers"].values():
        if container["phase"] != "stopped":
            mode = container["cgroup"]["mode"]
            enabled = enabled or container["cgroup"]["enabled"]
    word = "cgroups" if node.knobs.is5() else "Cgroups"
    middle = ""
    if node.knobs.version() >= (4, 4):
        middle = "version=V%d, " % (version or 1)
    return "%s: mode=%s, %senabled=%s\n" % (word, mode, middle,
                                            str(enabled).lower())


def status_text(node, containers, verbose):
    version = node.knobs["client.version"]
    out = "Weka v%s (CLI build %s)\n" % (version, version)
    out += cgroups_line(node) + "\n"
    running = [c for c in containers if c["phase"] != "stopped"]
    out += "Containers: %d/%d running (%d weka)\n" % (
        len(running), len(containers), len(running))
    states = [s for c in running for s in node_states(node, c)]
    ready = [s for s in states if s[2] == "READY"]
    word = "Processes" if node.knobs.is6() else "Nodes"
    out += "%s: %d/%d running (%d READY)\n" % (word, len(ready), len(states),
                                               len(ready))
    mounts = len(node.state["mounts"])
    out += "Mounts: %s\n" % (mounts or "No active WekaFS mounts")
    if verbose:
        for container in containers:
            out += _verbose(node, container)
    return out


def _verbose(node, container):
    _, message, text = STATUS[container["phase"]]
    state = "Stopped" if container["phase"] == "stopped" else "Running"
    out = "\nContainer: %s\n" % container["name"]
    for key, value in (
            ("Status", "%s (%s)" % (state, text) if text else state),
            ("PID", pid_of(container) or ""),
            ("Version", container["version"]),
            ("Last Message", message),
            ("Cluster Membership", "Joined" if container["phase"] == "READY"
             else "Not joined"),
            ("API Port", container["port"])):
        out += "    %s: %s\n" % (key, value)
    out += "    Nodes:\n"
    for slot, roles, ready in node_states(node, container):
        out += ("        Slot: %s\n            Node State: %s\n"
                "            Roles: %s\n" % (slot, ready, ", ".join(roles)))
    return out


def status_json(node, containers):
    """A dict by container; internalStatus below `status` in newer releases,
    directly in the container in older ones (weka/tools reads both)."""
    out = {}
    for container in containers:
        row = {"type": "weka", "isRunning": container["phase"] != "stopped"}
        if node.knobs.version() >= (4, 3):
            row["status"] = {"internalStatus": internal_status(container)}
            row["mount_points"] = [
                m["target"] for m in node.mounts_of(container)]
        else:
            row["internalStatus"] = internal_status(container)
        out[container["name"]] = row
    return dump(out)


def resources_text(shape):
    rows = []
    for slot in sorted(shape["nodes"], key=int):
        row = shape["nodes"][slot]
        core = row["core_id"]
        rows.append([",".join(row["roles"]), slot,
                     "<auto>" if core == resources.AUTO else core])
    out = table(["ROLES", "NODE ID", "CORE ID"], rows) + "\n"
    rows = [[d["device"], d["identifier"], d["gateway"], " ".join(d["ips"]),
             d["netmask"], d["network_label"]] for d in shape["net_devices"]]
    return out + table(["NET DEVICE", "IDENTIFIER", "DEFAULT GATEWAY", "IPS",
                        "NETMASK", "NETWORK LABEL"], rows)


def process_id(node, container, slot):
    number = container["ids"].get(slot, 0)
    return number if node.knobs.is6() else "NodeId<%d>" % number


def processes_json(node):
    out = []
    for container in node.state["containers"].values():
        host = container["ids"].get("0", 0) % 1000
        for slot, roles, ready in node_states(node, container):
            out.append({
                "node_id": process_id(node, container, slot),
                "roles": roles, "status": "UP" if ready == "READY" else "DOWN",
                "node_info": {
                    "host_id": host if node.knobs.is6()
                    else "HostId<%d>" % host,
                    "container_name": container["name"], "slot": int(slot),
                    "mgmt_ips": container["stable"]["ips"],
                    "mgmt_port": container["port"]}})
    return out
