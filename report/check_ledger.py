# SPDX-License-Identifier: GPL-2.0-or-later
"""Connections of this host to the ledger, and of the ledger to slurmdbd."""
from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable

from report.check_conf import slurm_user, uid_of
from report.check_helpers import folder_of, mtime
from report.check_host import Answer, Host
from report.check_slurm import beside, faults, is_slurm_auth, lines, log_end

ASK_S = 10
CLOCK_S = 5
WAITS_S = 15 * 60  # three rounds of jobio-send.timer
OPERATORS = ("Operator", "Administrator")


# ---- requests to the ledger


# stages of a request: the codes of their errors
STAGES = {"user": "L09", "munge": "L03", "connect": "L04"}


def report_request(host: Host, one: dict[str, str]) -> None:
    """Report the stage at which a request to a ledger failed; "done": compare the clocks.

    one: "host", "stage", and "text": the reason or, of "done", the difference in seconds
    """
    add, ledger = host.findings.add, host.keys["ledger"]
    why, stage = one.get("text") or "it gave up", one["stage"]
    values = {"why": why, "host": one["host"], "port": ledger["port"], "user": ledger["user"],
              "slurm_user": slurm_user(host)}
    if stage == "done":
        ahead_s = int(why)
        if abs(ahead_s) >= CLOCK_S:
            add("L06", way="behind" if ahead_s > 0 else "ahead of", measured=f"{abs(ahead_s)} s")
    elif stage == "munge" and is_slurm_auth(host) and host.setting("CredType") != "cred/munge":
        add("L03.slurm", "ledger" if host.is_role("ledger") else "-", **values)
    elif stage in STAGES:
        add(STAGES[stage], **values)
    elif stage == "late":
        add("L05", "late", **values)
    else:
        add("L05", "key" if ledger["user"] == slurm_user(host) else "user", **values)


def is_loopback(name: str) -> bool:
    return bool(re.match(r"localhost(\.|$)|127\.|::1$", name, re.IGNORECASE))


def check_reach(host: Host) -> None:
    """Check the address of the ledger, which is in the same jobio.conf on all hosts."""
    hosts = re.split(r"[,\s]+", host.keys["ledger"]["host"].strip())
    if not hosts[0]:
        host.findings.add("L01")
    elif any(map(is_loopback, hosts)) and not host.is_role("ledger"):
        host.findings.add("L02", host=host.keys["ledger"]["host"])
    else:
        for one in host.facts.get("ledgers", []):
            report_request(host, one)


# ---- records that wait on a node


def check_spool(host: Host) -> None:
    path = host.keys["spool_dir"]
    ages = [time.time() - mtime(host.path(record)) for record in host.glob(path + "/*.json")]
    refused = host.glob(path + "/bad/*")
    oldest_s = max(ages, default=0)
    if oldest_s >= WAITS_S:
        measured = (f"{len(ages)} of at most {host.keys['spool_max_records']}, the oldest for "
                    f"{oldest_s // 60:.0f} minutes")
        host.findings.add("L07", spool=path, dir=folder_of(host), measured=measured)
    if refused:
        host.findings.add("L08", spool=path, measured=str(len(refused)))


# ---- host of the ledger


def fault(host: Host, path: str, user: str, is_kind: Callable[[int], bool], others: int) -> str:
    """Return the reason why jobio-ledgerd refuses the path (ledger/mariadb.c,
    ledger/store_sqlite.c), or "".

    others: permission bits that must not be set
    """
    try:
        found = os.lstat(host.path(path))
    except OSError as error:
        return error.strerror or "it cannot be read"
    if not is_kind(found.st_mode):
        return "it is of another kind"
    if found.st_uid != uid_of(user):
        return f"it is not {user}'s"
    return "others may read it" if found.st_mode & others else ""


def check_store(host: Host) -> None:
    """Check the folder of SQLite's file or, with MariaDB, the file of its password."""
    ledger = host.keys["ledger"]
    user, path, secret = ledger["user"], ledger["store"], ledger["storage_pass_file"]
    folder = os.path.dirname(path)
    if folder:
        why = fault(host, folder, user, stat.S_ISDIR, 0)
        if why:
            host.findings.add("L11", store=path, why=why, user=user, dir=folder)
    elif secret:
        why = fault(host, secret, user, stat.S_ISREG, 0o077)
        if why:
            host.findings.add("L13", path=secret, why=why, user=user)


def sacctmgr(host: Host, *words: str) -> Answer:
    return host.run(["sacctmgr", "-nP", *words], ASK_S)


def check_clusters(host: Host, clusters: set[str]) -> None:
    """Check the cluster of Slurm, and that of the ledger's key."""
    own = host.keys["ledger"]["cluster"]
    name = host.either("ClusterName")
    for cluster, where, cure in (
            (own, "[ledger] cluster=", f"cluster={name} in [ledger] of {host.conf}"),
            (name, "slurm.conf", f"sacctmgr -i add cluster {name}")):
        if cluster and cluster.lower() not in clusters:
            host.findings.add("L14", cluster=cluster, where=where, cure=cure,
                              known=", ".join(sorted(clusters)) or "it has none")
    if own and name and own.lower() in clusters and own.lower() != name.lower():
        host.findings.add("L14.other", cluster=own, name=name)


def check_user(host: Host, is_up: bool) -> None:
    """Check that the ledger's user is SlurmUser or an operator: others cannot change a job in
    slurmdbd."""
    user, owner = host.keys["ledger"]["user"], slurm_user(host)
    if not host.setting("SlurmUser") or user == owner:
        return
    answer = sacctmgr(host, "list", "user", user, "format=AdminLevel") if is_up else None
    level = answer.out.strip() if answer and answer.status == 0 else ""
    if level in OPERATORS:
        return
    cause = "known" if level else "unknown"
    if not answer or answer.status:
        cause = "not asked"
    host.findings.add("L10", cause, user=user, slurm_user=owner)


def report_dbd(host: Host, answer: Answer) -> None:
    """Report sacctmgr's error; on slurmdbd's host, if it does not run, the cause is in its log.
    Errors that scontrol also prints are S15."""
    if host.config is None and host.findings.has("S15") and faults(answer.err):
        return
    path = beside(host.slurm_conf, "slurmdbd.conf")
    own = dict(lines(host, path))
    why, output, conf = answer.why, answer.err, host.slurm_conf
    if own.get("logfile") and not host.process("slurmdbd"):
        last, log = log_end(host, own["logfile"])
        if log:
            why, output, conf = f"{why}; its log: {last}", log, path
    host.findings.add(
        "L15", why=why, output=output, conf=conf, daemon="slurmdbd",
        peer=host.setting("AccountingStorageHost") or "slurmdbd's host",
        slurm_user=own.get("slurmuser", "root"))


def check_accounting(host: Host) -> None:
    kind = host.setting("AccountingStorageType")
    if host.config is not None and "slurmdbd" not in kind:
        host.findings.add("L12", value=kind or "not set")
        return
    is_up = False
    if host.is_role("ledger"):
        answer = sacctmgr(host, "list", "cluster", "format=Cluster")
        if answer.status == 0:
            is_up = True
            check_clusters(host, set(answer.out.lower().split()))
        elif answer.status != 127:
            report_dbd(host, answer)
    check_user(host, is_up)


def check(host: Host) -> None:
    if not host.keys:
        return
    if host.is_role("node"):
        check_spool(host)
    if host.is_role("ledger"):
        check_store(host)
    if host.is_role("ledger", "ctld"):
        check_accounting(host)
    check_reach(host)
