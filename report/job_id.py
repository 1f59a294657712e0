# SPDX-License-Identifier: GPL-2.0-or-later
"""Job IDs of the command line: 7, 5_1, 5_[1-3,7], 7+1, and 101;c1 of another cluster."""
from __future__ import annotations

import re

from report.command import USAGE, Failure

FAMILY_MAX = 1000  # tasks of an array
ID = re.compile(r"([1-9]\d{0,9})(?:([_+])(\d{1,10}))?")
PIECE = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?(?::([1-9]\d{0,9}))?")
TASKS = re.compile(r"(\d{1,10})_\[([0-9,:-]+)(?:%\d+)?\]")
CLUSTER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")


def is_id(word: str) -> bool:
    """Return True for 7, 5_1 or 7+1."""
    match = ID.fullmatch(word)
    return bool(match and int(match[1]) < 2 ** 32 and int(match[3] or 0) < 2 ** 32)


def tasks_of(text: str) -> range:
    """Return the tasks of 3, 1-3 or 0-8:2; an empty range for other texts."""
    piece = PIECE.fullmatch(text)
    if not piece:
        return range(0)
    first = int(piece[1])
    return range(first, int(piece[2] or first) + 1, int(piece[3] or 1))


def expand(word: str) -> list[str]:
    """Return the tasks of 5_[1-3,7] or 5_[0-8:2%4], as Slurm prints them.

    Raises: Failure
    """
    match = TASKS.fullmatch(word)
    ranges = [tasks_of(text) for text in match[2].split(",")] if match else []
    if match and all(ranges) and sum(map(len, ranges)) <= FAMILY_MAX:
        found = [f"{match[1]}_{task}" for tasks in ranges for task in tasks]
        if all(map(is_id, found)):
            return found
    raise Failure(f"job: '{word}': not tasks of an array like 5_[1-3,7], or more than "
                  f"{FAMILY_MAX}", USAGE)


def check(word: str) -> None:
    """Check the syntax of a job.

    Raises: Failure
    """
    if "[" in word:
        expand(word)
        return
    if is_id(word):
        return
    job = word.split(".")[0]
    if job != word and is_id(job):
        raise Failure(f"job: '{word}': a step; what is counted is the whole job: {job}", USAGE)
    raise Failure(f"job: '{word}': not a job id like 7, 5_1 or 7+1", USAGE)


def split_cluster(word: str) -> tuple[str, str]:
    """Return job and cluster of 101;c1, as sbatch --parsable prints it; "": this cluster.

    Raises: Failure
    """
    job, sign, cluster = word.partition(";")
    if sign and not CLUSTER.fullmatch(cluster):
        raise Failure(f"job: '{word}': not a job and its cluster like 101;c1", USAGE)
    return job, cluster


def split(words: str) -> list[str]:
    """Return 7 and 5_[1-3,9] of 7,5_[1-3,9]."""
    return [word for word in re.split(r",(?![^\[]*\])", words) if word]


def for_sacct(words: list[str]) -> str:
    """Return the jobs in sacct's syntax: 5 for 5_[1-3], and 7."""
    return ",".join(word.split("_[")[0] for word in words)


def parts(job: str, sign: str) -> tuple[int, int] | None:
    """Return the numbers of 5_1 or 7+1; None: it has another sign."""
    match = ID.fullmatch(job)
    if not match or match[2] != sign:
        return None
    return int(match[1]), int(match[3])
