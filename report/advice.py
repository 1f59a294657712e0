# SPDX-License-Identifier: GPL-2.0-or-later
"""Advice about a job: order and sentences.

The ledger's reply has "judged" (advice_text() in advice/): codes, filesystems, classes of
calls, shares and numbers. Sentences are in advice.words; a site's file replaces entries.
"""
from __future__ import annotations

import re
from functools import cache, cached_property

from report import units, words
from report.types import Json

WORDS = "advice.words"
GPU_LOW = 50  # percent
FAILED = {"FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "TIMEOUT", "BOOT_FAIL", "DEADLINE"}
ONLY_IF_FAILED = {"EACCES"}  # also an error of programs that search files
SMALL_READ, SMALL_WRITE = 40e3, 70e3

ONE = re.compile(r"(?<![\d.,])1 ([a-z-]{3,}[a-rt-z])s\b")  # 1 reads


class Advice:
    """One advice of the ledger; its sentences are formatted on first use."""

    def __init__(self, one: Json, **more: str) -> None:
        self.one, self.more = one, more
        self.code = str(one["code"])
        self.kind = str(one.get("kind") or "")  # selects a cure of the code; "": the only one
        self.fs: str = one.get("fs") or ""  # "": of the whole job
        self.klass: str = one.get("class") or ""  # read, write, meta, sync, close, mapped, async
        self.share = float(one.get("share") or 0)  # of the processes' time, 0 to 1
        self.sure = str(one.get("confidence") or "perhaps")  # sure, likely, perhaps
        self.is_error = self.code == "A50"
        self.option: Json | None = one.get("option")  # options of sbatch
        self.numbers: dict[str, float] = one.get("numbers") or {}

    @cached_property
    def words(self) -> dict[str, str]:
        """Return the values of the names in braces, by name."""
        numbers = self.numbers
        told = {
            **number_words(numbers),
            **{key: units.clean(self.one.get(key) or "") for key in ("fs", "node", "profile")},
            "took": took(self.one), "share": units.percent(self.share),
            "small_read": units.size(SMALL_READ), "small_write": units.size(SMALL_WRITE),
            **self.more}
        if "late_bytes" in numbers:  # late_share is also set
            told["late"] = units.percent(numbers["late_share"])
            told["late_size"] = units.size(numbers["late_bytes"])
        if self.code == "A30":
            told["kinds"] = kinds(numbers)
        return told

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
        """Return a sentence or a command."""
        return self.sentence("cure", "man jobio-advice")

    @property
    def how_sure(self) -> str:
        """Return the source of the measured time or, without one, the confidence."""
        is_timed = "{took}" in words_of(self.code, self.kind).get("what", "")
        by = str(self.one.get("by")) if is_timed and self.sure != "perhaps" else self.sure
        return words.of("by").get(by, self.sure)


# ---- formatted numbers -----------------------------------------------------------


def count(number: float) -> str:
    """Return a count as text: 9,999, larger ones as 12.3 k, 45 M."""
    if number < 10 and number != int(number):
        return f"{number:.1f}"
    return f"{number:,.0f}" if number < 9999.5 else units.count(number)


def number_words(numbers: dict[str, float]) -> dict[str, str]:
    """Format {"size_bytes": 4096} as {"size": "4 KiB"}, by the unit at the end of each key."""
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


@cache
def words_of(code: str, kind: str) -> dict[str, str]:
    """Return the words of this kind, else of the code, else of another kind of the code."""
    known = words.read(WORDS)
    first = next((one for one in known if one.partition(".")[0] == code), "")
    return known.get(f"{code}.{kind}") or known.get(code) or known.get(first) or {}


class _Known(dict):  # type: ignore[type-arg]
    def __missing__(self, key: str) -> str:
        return "?"


def fill(text: str, words: dict[str, str]) -> str:
    """Insert the numbers into a sentence; an unknown name becomes "?"."""
    try:
        text = text.format_map(_Known(words))
    except (ValueError, IndexError, AttributeError):
        return text
    return ONE.sub(r"1 \1", text)


def took(one: Json) -> str:
    """Return "took 15 % of the processes' time"."""
    numbers, share = one.get("numbers") or {}, float(one.get("share") or 0)
    if "mean_share" not in numbers:
        verb = "may have taken about" if one.get("by") == "calls" else "took about"
        return f"{verb} {units.percent(share)} of the job's time"
    mean, slowest = numbers["mean_share"], numbers.get("slowest_share", 0)
    text = f"took {units.percent(mean)} of the processes' time"
    if slowest >= mean * 1.5:
        text += f"; the slowest process spent {units.percent(slowest)} of its life in I/O"
    return text


def kinds(numbers: dict[str, float]) -> str:
    """Return the three most frequent kinds of metadata operations: "30 k opens, 9,000 renames"."""
    most = sorted((-numbers.get(key, 0), text) for key, text in words.of("operations").items())[:3]
    return ", ".join(f"{count(-number)} {text}" for number, text in most
                     if -number * 50 >= -most[0][0] > 0)


def plain(code: str, numbers: dict[str, float]) -> str:
    """Return the sentence of a code without words."""
    return f"{code} on {{fs}}: " + ", ".join(
        f"{key} {value}" for key, value in number_words(numbers).items())


# ---- interface of the report -----------------------------------------------------


def judged(answer: Json) -> Json:
    found = answer.get("judged")
    return found if isinstance(found, dict) else {}


def lines(answer: Json, slurm: Json | None) -> list[Advice]:
    """Return the advice of a job, the largest share first.

    slurm: sacct's "state" and, if it is an average over time, "gpu_percent".
    """
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


def silence(answer: Json) -> str:
    """Return the reason why lines() is empty, without a full stop."""
    told = judged(answer)
    silence = words.of("silence")
    if not told:
        return silence["not_judged"]
    least, share = told.get("least") or {}, told.get("share")
    if told.get("silence") in ("little", "nothing") and share is None:
        return "nothing that a rule knows"
    spent = float(share or 0)  # 4.7 % is below 5 %
    return silence.get(str(told.get("silence") or "nothing"), silence["nothing"]).format(
        share=f"{spent * 100:.1f} %" if spent < 0.1 else units.percent(spent),
        seconds=least.get("seconds", 60),
        least=units.size(float(least.get("mib", 1024)) * 1048576),
        calls=count(least.get("calls", 10000)), waited=least.get("waited", 3))


def shares(answer: Json) -> dict[str, Json]:
    """Return by filesystem the shares of a process's elapsed time: "share", "slowest_share",
    "classes"; and "by", the source.
    """
    return {one["fs"]: one for one in judged(answer).get("filesystems") or []}


def job_share(answer: Json) -> float | None:
    """Return the share of the processes' elapsed time on all filesystems, as measured by the kernel
    or the client."""
    told = judged(answer)
    if all(one["by"] == "calls" for one in told.get("filesystems") or []):
        return None
    share: float | None = told.get("share")
    return share


def as_json(answer: Json, slurm: Json | None) -> list[Json] | None:
    """Return the member "advice" of jobio report --json; None: too little to judge."""
    if not judged(answer).get("judged"):
        return None
    return [
        {"code": one.code, "fs": one.fs or None, "what": one.what, "why": one.why, "do": one.cure,
         "confidence": one.sure, "source": None, "value": round(one.share * 100),
         "kind": one.kind or None, "class": one.klass or None, "share": one.share,
         "option": one.option, "numbers": one.numbers}
        for one in lines(answer, slurm)]
