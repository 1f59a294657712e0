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


def tell_hello(host: Host, one: dict[str, str]) -> None:
    add, ledger, why = host.findings.add, host.keys["ledger"], one.get("text") or "it gave up"
    values = {"why": why, "host": one["host"], "port": ledger["port"], "user": ledger["user"],
              "slurm_user": slurm_user(host)}
    stage = one["stage"]
    code = {"user": "L09", "munge": "L03", "connect": "L04"}.get(stage)
    if code == "L03" and is_slurm_auth(host) and host.setting("CredType") != "cred/munge":
        add("L03.slurm", "ledger" if host.is_role("ledger") else "-", **values)
    elif code:
        add(code, **values)
    elif stage == "done":
        ahead = int(why)
        if abs(ahead) >= CLOCK_S:
            add("L06", way="behind" if ahead > 0 else "ahead of", measured=f"{abs(ahead)} s")
    else:
        is_user = ledger["user"] != slurm_user(host)
        add("L05", "late" if stage == "late" else "user" if is_user else "key", **values)


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
            tell_hello(host, one)


# ---- records that wait on a node


def check_spool(host: Host) -> None:
    path = host.keys["spool_dir"]
    ages = [time.time() - mtime(host.path(record)) for record in host.glob(path + "/*.json")]
    refused = host.glob(path + "/bad/*")
    if max(ages, default=0) >= WAITS_S:
        host.findings.add("L07", spool=path, dir=folder_of(host), measured=(
            f"{len(ages)} of at most {host.keys['spool_max_records']}, "
            f"the oldest for {max(ages) // 60:.0f} minutes"))
    if refused:
        host.findings.add("L08", spool=path, measured=str(len(refused)))


# ---- host of the ledger


def fault(host: Host, path: str, user: str, is_kind: Callable[[int], bool], others: int) -> str:
    """Return the reason why jobio-ledgerd refuses the path (ledger/mariadb.c,
    ledger/store_sqlite.c), or "".

    others: permission bits that must not be set.
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
    ledger = host.keys["ledger"]
    user, path, secret = ledger["user"], ledger["store"], ledger["storage_pass_file"]
    folder = os.path.dirname(path)
    why = fault(host, folder, user, stat.S_ISDIR, 0) if folder else ""
    if why:
        host.findings.add("L11", store=path, why=why, user=user, dir=folder)
    why = fault(host, secret, user, stat.S_ISREG, 0o077) if secret and not folder else ""
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
    if level not in OPERATORS:
        cause = "not asked" if not answer or answer.status else "known" if level else "unknown"
        host.findings.add("L10", cause, user=user, slurm_user=owner)


def tell_dbd(host: Host, answer: Answer) -> None:
    """Report sacctmgr's error; on slurmdbd's host, if it does not run, the cause is in its log.
    Errors that scontrol also prints are S15."""
    if host.config is None and host.findings.has("S15") and faults(answer.err):
        return
    path = beside(host.slurm_conf, "slurmdbd.conf")
    own = dict(lines(host, path))
    last, log = log_end(host, own["logfile"]) if own.get("logfile") and \
        not host.process("slurmdbd") else ("", "")
    host.findings.add(
        "L15", why=answer.why + (f"; its log: {last}" if last else ""), said=log or answer.err,
        peer=host.setting("AccountingStorageHost") or "slurmdbd's host", daemon="slurmdbd",
        conf=path if log else host.slurm_conf, slurm_user=own.get("slurmuser", "root"))


def check_accounting(host: Host) -> None:
    kind = host.setting("AccountingStorageType")
    if host.config is not None and "slurmdbd" not in kind:
        host.findings.add("L12", value=kind or "not set")
        return
    is_up = False
    if host.is_role("ledger"):
        answer = sacctmgr(host, "list", "cluster", "format=Cluster")
        is_up = answer.status == 0
        if is_up:
            check_clusters(host, set(answer.out.lower().split()))
        elif answer.status != 127:
            tell_dbd(host, answer)
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
