# SPDX-License-Identifier: GPL-2.0-or-later
"""One run of a job: the ledger's data together with sacct's row."""
from __future__ import annotations

from functools import cached_property

from report import advice, job_id, sacct
from report.record import Run, Time
from report.summary import Summary, parse
from report.types import Json

TOTALS = ("read_bytes", "read_calls", "write_bytes", "write_calls")
UNKNOWN = Run({})
CLOCKS_S = 60  # maximum difference of the clocks of a node and of slurmctld


class Job:
    """One run of a job.

    id: as on the command line, or as in sacct
    source: "ledger", "sacct" (the summary only, three digits) or "live"
    run: the ledger's data; empty if the source is sacct
    slurm: sacct's row, of the newest run of the job; None: sacct has none
    number: SLURM_JOB_ID, also of a task of an array
    is_old_run: selected by the number of its run
    is_of_slurm: sacct's row is of this run, and of its end
    why_not_ledger: the reason why the source is sacct
    """

    def __init__(self, id_: str, source: str, answer: Json | None = None,
                 slurm: sacct.Row | None = None, is_old_run: bool = False) -> None:
        self.id = id_
        self.source = source
        self.run = Run(answer) if answer else UNKNOWN
        self.slurm = slurm
        self.is_old_run = is_old_run
        self.why_not_ledger = ""
        self.number = self.run.job or sacct.number(slurm.raw_id if slurm else "")
        self.is_of_slurm = self.has_end_of_slurm()

    def has_end_of_slurm(self) -> bool:
        if not self.slurm:
            return False
        if self.is_old_run and self.run.restarts[:1] != [self.run.restart]:
            return False
        if self.source != "ledger":
            return True
        return not sacct.is_early(self.slurm.word) and not self.is_before_slurm

    @property
    def is_before_slurm(self) -> bool:
        """Return True if sacct's row is of a newer run."""
        if not self.slurm:
            return False
        if not self.slurm.start:
            return sacct.is_early(self.slurm.word)
        last = self.run.time.last
        return last is not None and last + CLOCKS_S < self.slurm.start

    @property
    def answer(self) -> Json:
        """Return the JSON of the run, for templates."""
        return self.run.json

    # ---- names

    @property
    def run_number(self) -> tuple[int, int] | None:
        """Return the number of the run from 1, and the count of runs; None: there is one."""
        restart = self.run.restart or 0
        count = max([restart, *(known or 0 for known in self.run.restarts)]) + 1
        return (restart + 1, count) if count > 1 else None

    @property
    def array(self) -> tuple[int, int] | None:
        """Return the array, and the number of the task."""
        return self.family("array_job", "array_task", "_")

    @property
    def het(self) -> tuple[int, int] | None:
        """Return the heterogeneous job, and the number of the component."""
        return self.family("het_job", "het_offset", "+")

    def family(self, whole: str, part: str, sign: str) -> tuple[int, int] | None:
        if self.answer.get(whole):
            return self.answer[whole], self.answer[part]
        if self.source == "sacct" and self.slurm:
            return job_id.parts(self.slurm.id, sign)
        return None

    @property
    def user(self) -> str:
        return self.run.user or (self.slurm.user if self.slurm else "")

    @property
    def cluster(self) -> str | None:
        if self.answer or not self.slurm:
            return self.run.cluster
        return self.slurm.cluster or None

    # ---- numbers

    @cached_property
    def summary(self) -> Summary:
        text = self.run.summary
        if self.source == "sacct" and self.slurm:
            text = self.slurm.summary
        return parse(text) or Summary()

    @cached_property
    def totals(self) -> dict[str, int | None]:
        """Return bytes and calls of TOTALS, exact if the ledger has them; None: unknown."""
        exact = self.run.totals
        return {key: exact[key] if key in exact else getattr(self.summary, key) for key in TOTALS}

    @property
    def summary_text(self) -> str | None:
        """Return the summary; None: there is none, or it is damaged."""
        return self.summary.text or None

    @property
    def is_node_wide(self) -> bool:
        return bool(self.summary.scope == "node")

    @property
    def node_count(self) -> int | None:
        if self.summary.nodes_expected is not None:
            return int(self.summary.nodes_expected)
        nodes = self.slurm.nodes if self.slurm and self.is_of_slurm else None
        return nodes or self.summary.nodes_seen or None

    @property
    def time(self) -> Time:
        """Return the times of the run by the clocks of its nodes or, without records, Slurm's."""
        row = self.slurm
        if self.run.time.first is not None or not row or not self.is_of_slurm:
            return self.run.time
        seconds: float | None = row.elapsed_s or None
        if seconds is None and row.start and row.end and row.end > row.start:
            seconds = row.end - row.start
        return Time({"first": row.start, "last": row.end, "seconds": seconds})

    # ---- advice

    @property
    def slurm_values(self) -> Json | None:
        """Return the values of sacct that advice depends on."""
        if not self.slurm or not self.is_of_slurm:
            return None
        share = self.slurm.gpu_share
        return {"state": self.slurm.state, "gpu_percent": share and share * 100}

    @property
    def advice(self) -> list[advice.Advice]:
        """Return the advice, the largest share first; [] without records."""
        return advice.lines(self.answer, self.slurm_values) if self.run.record_count else []

    @property
    def why_no_advice(self) -> str:
        if not self.run.record_count:
            return "the ledger shows no records of this job"
        if self.is_node_wide:
            return "the counters are those of whole nodes, other jobs included"
        return advice.silence(self.answer)
