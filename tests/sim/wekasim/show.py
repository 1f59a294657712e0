# SPDX-License-Identifier: GPL-2.0-or-later
"""show - the texts and the JSON that `weka` prints.

Shapes: internalStatus as weka-operator parses it (internal/services/weka.go):
health is display_status, `state` is always READY; resources as in OpenAPI
4.2 and the tables of weka-and-slurm-integration.
"""
import json

from . import resources

STATUS = {      # phase: (display_status, message)
    "stopped": ("", ""),
    "STEM": ("STEM", "Container is starting"),
    "CLUSTERIZING": ("CLUSTERIZING", "Joining cluster"),
    "READY": ("READY", "Ready"),
    "stopping": ("STOPPING", "Container is stopping"),
    "DRAINING": ("DRAINING", "Container is draining"),
}


def dump(value):
    return json.dumps(value, indent=4) + "\n"


def table(header, rows):
    lines = [header] + [[str(cell) for cell in row] for row in rows]
    widths = [max(len(line[i]) for line in lines)
              for i in range(len(header))]
    return "".join("  ".join(cell.ljust(width) for cell, width in
                             zip(line, widths)).rstrip() + "\n"
                   for line in lines)


def internal_status(container):
    display, message = STATUS[container["phase"]]
    return {"action": container["action"], "display_status": display,
            "message": message,
            "state": "READY" if container["phase"] != "stopped" else ""}


def container_json(node, container):
    running = container["phase"] != "stopped"
    # the keys that WEKA's public tools read, and no others: no pid
    out = {
        "name": container["name"], "type": "weka",
        "versionName": container["version"],
        "runStatus": "Running" if running else "Stopped",
        "isRunning": running, "isDisabled": False,
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
