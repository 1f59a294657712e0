# SPDX-License-Identifier: GPL-2.0-or-later
"""States of a host (the features in use), and the severity of each finding in them:
check.states."""
from __future__ import annotations

import os
import re

from report import paths
from report.check_host import Host
from report.check_words import SEVERITIES, Finding

COUNTING, CORES = "counting", "io-cores"
STATES = (COUNTING, CORES, "gate", "polls", "ledger")
SILENT, SAME = ".", "="


def codes(text: str) -> list[str]:
    """Return [L01] for "L01", [L01, L02] for "L01-L02"."""
    found = re.fullmatch(r"([A-Z]+)(\d\d)-\1(\d\d)", text)
    if not found:
        return [text]
    return [f"{found[1]}{n:02}" for n in range(int(found[2]), int(found[3]) + 1)]


def read(path: str) -> dict[str, dict[str, str]]:
    """Return {code or CODE.variant: {state: severity}}."""
    table: dict[str, dict[str, str]] = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, *cells = line.split()
                for code in codes(name):
                    table[code] = dict(zip(STATES, cells))
    return table


# ---- features in use


def polls(host: Host) -> bool:
    """Return True if a client has cores of its own on this host. A WEKA client counts while its
    cores are unknown: it is not mounted, or this host is not a node."""
    types = {client["name"]: client["type"] for client in host.keys["clients"]}
    if not host.is_role("node"):
        return "weka" in types.values()
    if host.client_cpus is not None:
        return bool(host.client_cpus)
    return any(bool(one["cpus"]) if "cpus" in one else types.get(one["name"]) == "weka"
               for one in host.facts.get("clients", []))


def find(host: Host) -> set[str]:
    """Return the states of the host; all of them if jobio.conf cannot be read."""
    keys = host.keys
    if not keys:
        return set(STATES)
    found = {COUNTING}
    if keys["ledger"]["host"].strip() or host.is_role("ledger"):
        found.add("ledger")
    if keys["enabled"] and (keys["is_for_node"] or not host.is_role("node")):
        found |= {CORES} if keys["offers"] else set()
        found |= {"gate"} if keys["gate"] != "off" else set()
        found |= {"polls"} if polls(host) else set()
    return found


# ---- findings


class States:
    def __init__(self, host: Host) -> None:
        self.table = read(os.path.join(paths.REPORT, "check.states"))
        self.on = find(host)
        self.host = host

    def severity(self, finding: Finding, states: set[str]) -> str:
        """Return the highest severity in these states; "": not printed."""
        row = self.table.get(finding.word, {})
        found = {cell for state, cell in row.items() if state in states and cell != SILENT}
        if SAME in found or not row:
            found.add(finding.severity)
        return next((severity for severity in SEVERITIES if severity in found), "")

    def apply(self) -> None:
        """Set each finding's severity on this host; remove those without one."""
        findings = self.host.findings
        judged = [(self.severity(one, self.on), one) for one in findings.list]
        findings.list = [one._replace(severity=severity) for severity, one in judged if severity]

    def verdict(self, states: set[str]) -> str:
        """Return "ready", or the errors of counting or of io-cores."""
        missing = [one.code for one in self.host.findings.sorted()
                   if self.severity(one, states & self.on) == "error"]
        if missing:
            return f"not ready ({' '.join(dict.fromkeys(missing))})"
        if self.host.findings.has("H05"):
            return "not checked as a whole (H05)"
        return "ready"

    def verdicts(self) -> dict[str, str]:
        cores = self.verdict(set(STATES) - {"ledger"}) if CORES in self.on else "not on offer"
        return {COUNTING: self.verdict({COUNTING, "ledger"}), CORES: cores}
