# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a job of one second, and report the result of each part of jobio."""
from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import closing

from report.check_host import NOT_FOUND, TIMEOUT, Answer, Host
from report.command import Failure
from report.ledger import Ledger
from report.types import Any, Json

JOB_S = 120
WAIT_S = 60
ASK_S = 20
MARK = "JOBIO-CHECK"
# printed by the task
TASK = (f'echo {MARK} "$SLURM_JOB_ID" "$SLURMD_NODENAME" "${{SLURM_IO_CORES:--}}" '
        '"${SLURM_IO_CPUS:--}"; sleep 1')


class Trial:
    """The job, its node and its io-cores (0: none).

    why: the reason why the ledger has no record
    """

    def __init__(self, host: Host, is_quiet: bool) -> None:
        self.host = host
        self.is_quiet = is_quiet
        self.job = ""
        self.node = ""
        self.why = ""
        self.cores = host.keys["io_cores_min"] if host.keys["offers"] else 0

    def print(self, part: str, text: str) -> None:
        """Print the result of a part of jobio."""
        if not self.is_quiet:
            print(f"{part:<8} {text}", flush=True)


# ---- option, prolog, gate


def judge_task(trial: Trial, answer: Answer) -> None:
    found = re.search(MARK + r" (\S+) (\S+) (\S+) (\S+)", answer.out)
    if answer.status or not found:
        why = answer.why
        if answer.status not in (NOT_FOUND, TIMEOUT):
            lines = [line for line in answer.err.splitlines() if line.strip()]
            lines = [line for line in lines if "error: " in line] + lines + ["it printed nothing"]
            why = f"srun: exit status {answer.status}: {lines[0]}"
        trial.host.findings.add("T01" if trial.cores else "T01.plain", cores=trial.cores, why=why,
                                output=answer.err)
        return
    trial.job, trial.node, cores, cpus = found.groups()
    if not trial.cores:
        trial.print("job", f"job {trial.job} ran on node {trial.node}")
        return
    trial.print("option", f"srun took --io-cores={trial.cores}: job {trial.job} on node "
                f"{trial.node}")
    if cores == "-":
        trial.host.findings.add("T02", job=trial.job, node=trial.node)
        return
    trial.print("prolog", f"Slurm keeps CPUs {cpus} for the client")
    trial.print("gate", "the task may start, and has their list")


def run_job(trial: Trial, partition: str | None) -> None:
    words = ["srun", "--job-name=jobio-check", "--nodes=1", "--ntasks=1", "--time=1",
             "--immediate=60"]
    if trial.cores:
        words.append(f"--io-cores={trial.cores}")
    words.append(f"--partition={partition}" if partition else "--quiet")
    judge_task(trial, trial.host.run([*words, "/bin/sh", "-c", TASK], JOB_S))


# ---- epilog, ledger, accounting


def wait(get: Callable[[], Any]) -> Any:
    """Return a result that is there within WAIT_S, else the last one."""
    end = time.monotonic() + WAIT_S
    while True:
        found = get()
        if found or time.monotonic() > end:
            return found
        time.sleep(0.5)


def ask(trial: Trial) -> Json:
    """Return the ledger's reply, {} without a record."""
    try:
        with closing(Ledger(trial.host.conf)) as ledger:
            answer = ledger.ask(op="get", job=trial.job)
    except Failure as failure:
        answer = {"ok": False, "error": str(failure)}
    trial.why = str(answer.get("error") or "it has none")
    return answer if answer.get("records") else {}


def check_record(trial: Trial) -> bool:
    answer = wait(lambda: ask(trial))
    if not answer:
        trial.host.findings.add("T03", job=trial.job, seconds=WAIT_S, node=trial.node,
                                why=trial.why)
        return False
    record = answer["records"][0]
    trial.print("epilog", f"node {record['node']} has left its record")
    trial.print("ledger", str(answer.get("summary") or ""))
    for one in record.get("findings") or []:
        text = f"job {trial.job} on node {record['node']}: {one['text']}"
        trial.host.findings.add_facts([{**one, "text": text, "same_bytes": 0}])
    return True


def has_summary(trial: Trial) -> bool:
    answer = trial.host.run(["sacct", "-nXP", "-j", trial.job, "-o", "SystemComment"], ASK_S)
    return "jobio/" in answer.out


def check(host: Host, partition: str | None, is_quiet: bool) -> None:
    trial = Trial(host, is_quiet)
    run_job(trial, partition)
    if not trial.job or not check_record(trial):
        return
    if wait(lambda: has_summary(trial)):
        trial.print("report", "sacct has the same")
    else:
        host.findings.add("T04", job=trial.job, seconds=WAIT_S)
