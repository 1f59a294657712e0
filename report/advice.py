# SPDX-License-Identifier: GPL-2.0-or-later
"""Order and sentences of advice; codes, classes and numbers are the ledger's."""
from __future__ import annotations

from report import units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TIMES = ("read_us", "write_us", "meta_us", "sync_us", "close_us", "mapped_us", "async_us")


class Advice:
    def __init__(self, told: dict[str, Any]) -> None:
        self.code, self.fs = told["code"], told.get("fs") or ""
        self.what, self.cure, self.why = told["what"], told["do"], told.get("why") or ""
        self.sure, self.how_sure = told["confidence"], told["confidence"]
        self.share = (told.get("value") or 0) / 100


def lines(answer: dict[str, Any], slurm: dict[str, Any] | None) -> list[Advice]:
    """The most valuable first. 'slurm': what sacct has of the job."""
    return [Advice(told) for told in answer.get("advice") or []]


def as_json(answer: dict[str, Any], slurm: dict[str, Any] | None) -> list[dict[str, Any]] | None:
    """None: too little to judge."""
    told: list[dict[str, Any]] | None = answer.get("advice")
    return told


def shares(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By filesystem: "share", "slowest_share", "classes" of a process's life."""
    return {}


def silence(answer: dict[str, Any]) -> str:
    """Why lines() is empty, in a sentence without its full stop."""
    known = [line for line in answer.get("lines") or [] if line["kind"] == "app"]
    if known and not any(line.get("fs") for line in known):
        return "this node counts all files together, not each filesystem (jobio check H02)"
    if answer.get("advice") is None:
        return "less than 60 s, 1 GiB and 10 k calls on a client's filesystem"
    life = sum(line.get("thread_us") or 0 for line in known)
    if life:
        spent = sum(line.get(key) or 0 for line in known for key in TIMES)
        return f"I/O took {units.percent(spent / life)} of the processes' time"
    return "nothing stands out in what was counted"
