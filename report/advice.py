# SPDX-License-Identifier: GPL-2.0-or-later
"""Advice about a job: the order and the sentences of what the ledger judged.

The ledger's answer has "judged" (advice_text() in advice/): codes, filesystems, classes of
calls, shares and numbers. Sentences are in advice.words; a site's own file replaces entries.
"""
from __future__ import annotations

import os
import re
from functools import cached_property

from report import paths, units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WORDS = "advice.words"
GPU_LOW = 50  # percent
FAILED = {"FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "TIMEOUT", "BOOT_FAIL", "DEADLINE"}
ONLY_IF_FAILED = {"EACCES"}  # programs that look around meet it, too
SMALL_READ, SMALL_WRITE = 40e3, 70e3

SILENCE = {
    "little": "I/O took {share} of the processes' time",
    "nothing": "I/O took {share} of the processes' time, in a way that no rule explains",
    "cached": "what was read came from the page cache; read it so again, not with O_DIRECT",
    "short": "less than {seconds} s, {least} and {calls} calls on a client's filesystem",
    "all_files": "this node counts all files together, not each filesystem (jobio check H02)",
    "node_wide": "the numbers are of everything on the node, not of this job (jobio check H02)",
    "no_numbers": "no I/O of this job was counted on a filesystem of jobio.conf",
}
NOT_JUDGED = "the ledger has not judged this job yet"
BY = {"kernel": "measured by the kernel", "client": "measured by the client",
      "calls": "estimated from the number of calls"}
ONE = re.compile(r"(?<![\d.,])1 ([a-z-]{3,}[a-rt-z])s\b")  # 1 reads
PERHAPS = "the record cannot tell this from another cause"


class Advice:
    """One that the ledger gave; its sentences are made when they are asked for."""

    def __init__(self, one: dict[str, Any], **more: str) -> None:
        self.one, self.more = one, more
        self.code = str(one["code"])
        self.kind = str(one.get("kind") or "")  # which cure of the code fits; "": it has one
        self.fs: str = one.get("fs") or ""  # "": of the whole job
        self.klass: str = one.get("class") or ""  # read, write, meta, sync, close, mapped, async
        self.share = float(one.get("share") or 0)  # of the processes' time, 0 to 1
        self.sure = str(one.get("confidence") or "perhaps")  # sure, likely, perhaps
        self.is_error = self.code == "A50"
        self.option: dict[str, Any] | None = one.get("option")  # what sbatch would be told
        self.numbers: dict[str, float] = one.get("numbers") or {}

    @cached_property
    def words(self) -> dict[str, str]:
        """What stands in braces in its sentences."""
        numbers = self.numbers
        words = {
            **number_words(numbers),
            **{key: units.clean(self.one.get(key) or "") for key in ("fs", "node", "profile")},
            "took": took(self.one), "share": units.percent(self.share),
            "small_read": units.size(SMALL_READ), "small_write": units.size(SMALL_WRITE),
            **self.more}
        if "late_bytes" in numbers:  # beside late_share
            words["late"] = units.percent(numbers["late_share"])
            words["late_size"] = units.size(numbers["late_bytes"])
        if self.code == "A30":
            words["kinds"] = kinds(numbers)
        return words

    def sentence(self, name: str, other: str) -> str:
        return fill(words_of(self.code, self.kind).get(name) or other, self.words)

    @cached_property
    def what(self) -> str:
        return self.sentence("what", plain(self.code, self.numbers))

    @cached_property
    def why(self) -> str:
        return self.sentence("why", "")

    @cached_property
    def cure(self) -> str:
        """A sentence, or what to type."""
        return self.sentence("cure", "man jobio-advice")

    @property
    def how_sure(self) -> str:
        """Also where its time comes from, if it has some."""
        by = BY.get(str(self.one.get("by")), self.sure) if self.share else self.sure
        return PERHAPS if self.sure == "perhaps" else by


# ---- numbers in words ------------------------------------------------------------


def count(number: float) -> str:
    """9,999; from there on 12.3 k, 45 M"""
    if number < 10 and number != int(number):
        return f"{number:.1f}"
    return f"{number:,.0f}" if number < 9999.5 else units.count(number)


def number_words(numbers: dict[str, float]) -> dict[str, str]:
    """{"size_bytes": 4096} as {"size": "4 KiB"}: a key ends with its unit."""
    words = {}
    for key, value in numbers.items():
        name, _, unit = key.rpartition("_")
        if unit == "bytes":
            words[name] = units.size(value)
        elif unit == "Bps":
            words[name] = units.size(value) + "/s"
        elif unit == "share":
            words[name] = units.percent(value)
        elif unit == "s" and not name.endswith("per"):
            words[name] = units.span(value * 1e9)
        else:
            words[key] = count(value)
    return words


# ---- words -----------------------------------------------------------------------


def read_words(path: str) -> dict[str, dict[str, str]]:
    words: dict[str, dict[str, str]] = {}
    entry: dict[str, str] = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.strip() or line.startswith("#"):
                continue
            if line[0] not in " \t":
                entry = words.setdefault(line.strip(), {})
                continue
            name, _, text = line.strip().partition(": ")
            entry[name] = text
    return words


_words: dict[str, dict[str, str]] = {}


def words_of(code: str, kind: str) -> dict[str, str]:
    """Ours, and what the site has in their place."""
    if not _words:
        _words.update(read_words(os.path.join(paths.REPORT, WORDS)))
        try:
            for key, entry in read_words(paths.site(WORDS)).items():
                _words[key] = {**_words.get(key, {}), **entry}
        except (OSError, UnicodeDecodeError):
            pass
    key = f"{code}.{kind}"
    if key not in _words:
        first = next((one for one in _words if one.partition(".")[0] == code), "")
        _words[key] = _words.get(code) or _words.get(first) or {}
    return _words[key]


class _Known(dict):  # type: ignore[type-arg]
    def __missing__(self, key: str) -> str:
        return "?"


def fill(text: str, words: dict[str, str]) -> str:
    """Insert the numbers; an unknown name in a site's sentence becomes "?"."""
    try:
        text = text.format_map(_Known(words))
    except (ValueError, IndexError, AttributeError):
        return text
    return ONE.sub(r"1 \1", text)


def took(one: dict[str, Any]) -> str:
    """took 15 % of the processes' time"""
    numbers, share = one.get("numbers") or {}, float(one.get("share") or 0)
    if "mean_share" not in numbers:
        verb = "may have taken about" if one.get("by") == "calls" else "took about"
        return f"{verb} {units.percent(share)} of the job's time"
    mean, slowest = numbers["mean_share"], numbers.get("slowest_share", 0)
    text = f"took {units.percent(mean)} of the processes' time"
    if slowest >= mean * 1.5:
        text += f"; the slowest process spent {units.percent(slowest)} of its life in I/O"
    return text


KINDS = {"files": "files created", "folders": "folders created", "gone": "removals",
         "opens": "opens", "stats": "stat", "renames": "renames", "links": "links",
         "changes": "changes of mode, owner or time"}


def kinds(numbers: dict[str, float]) -> str:
    """The three kinds of metadata operations that are most: "30 k opens, 9,000 renames" """
    most = sorted((-numbers.get(key, 0), words) for key, words in KINDS.items())[:3]
    return ", ".join(f"{count(-number)} {words}" for number, words in most
                     if -number * 50 >= -most[0][0] > 0)


def plain(code: str, numbers: dict[str, float]) -> str:
    """Of a code without words."""
    return f"{code} on {{fs}}: " + ", ".join(
        f"{key} {value}" for key, value in number_words(numbers).items())


# ---- what a report asks ----------------------------------------------------------


def judged(answer: dict[str, Any]) -> dict[str, Any]:
    found = answer.get("judged")
    return found if isinstance(found, dict) else {}


def lines(answer: dict[str, Any], slurm: dict[str, Any] | None) -> list[Advice]:
    """The most valuable first. 'slurm': what sacct has of the job, with "state", and "gpu_percent"
    where it is known to be an average over time."""
    state = str((slurm or {}).get("state") or "").split(" ")[0]
    told = judged(answer)
    found = [
        Advice(one) for one in told.get("advice") or []
        if one.get("code") != "A50" or one.get("kind") not in ONLY_IF_FAILED or state in FAILED]
    gpu = (slurm or {}).get("gpu_percent")
    worth = next((one for one in found if not one.is_error and one.share >= 0.05), None)
    if worth and isinstance(gpu, (int, float)) and gpu < GPU_LOW:
        head = Advice({"code": "A60", "confidence": "likely", "share": worth.share},
                      gpu=units.percent(gpu / 100), first=worth.cure)
        found.insert(sum(one.is_error for one in found), head)
    return found


def silence(answer: dict[str, Any]) -> str:
    """Why lines() is empty, in a sentence without its full stop."""
    told = judged(answer)
    if not told:
        return NOT_JUDGED
    least, share = told.get("least") or {}, told.get("share")
    if told.get("silence") in ("little", "nothing") and share is None:
        return "nothing that a rule knows"
    return SILENCE.get(str(told.get("silence") or "nothing"), SILENCE["nothing"]).format(
        share=units.percent(float(share or 0)), seconds=least.get("seconds", 60),
        least=units.size(float(least.get("mib", 1024)) * 1048576),
        calls=count(least.get("calls", 10000)))


def shares(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By filesystem: "share", "slowest_share", "classes" of a process's life, and "by"."""
    return {one["fs"]: one for one in judged(answer).get("filesystems") or []}


def job_share(answer: dict[str, Any]) -> float | None:
    """Of the processes' life on all filesystems, as the kernel or the client measured it."""
    told = judged(answer)
    if all(one["by"] == "calls" for one in told.get("filesystems") or []):
        return None
    share: float | None = told.get("share")
    return share


def as_json(answer: dict[str, Any], slurm: dict[str, Any] | None) -> list[dict[str, Any]] | None:
    """The member "advice" of jobio report --json; None: too little to judge."""
    if not judged(answer).get("judged"):
        return None
    return [
        {"code": one.code, "fs": one.fs or None, "what": one.what, "why": one.why, "do": one.cure,
         "confidence": one.sure, "source": None, "value": round(one.share * 100),
         "kind": one.kind or None, "class": one.klass or None, "share": one.share,
         "option": one.option, "numbers": one.numbers}
        for one in lines(answer, slurm)]
