# SPDX-License-Identifier: GPL-2.0-or-later
"""Advice about a job: order and sentences.

The ledger's reply has "judged" (advice_text() in advice/): codes, filesystems, classes of
calls, shares and numbers. Sentences are in advice.words; a site's file replaces entries.
"""
from __future__ import annotations

import re
from functools import cache

from report import units, words
from report.record import Members
from report.types import Json

WORDS = "advice.words"
GPU_LOW = 50  # percent
WORTH = 0.05  # share of the time that is worth an advice about GPUs
FAILED = {"FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "TIMEOUT", "BOOT_FAIL", "DEADLINE"}
ONLY_IF_FAILED = {"EACCES"}  # also an error of programs that search files
SMALL_READ, SMALL_WRITE = 40e3, 70e3

ONE = re.compile(r"(?<![\d.,])1 ([a-z-]{3,}[a-rt-z])s\b")  # 1 reads


class Advice(Members):
    """One advice of the ledger.

    kind: selects a cure of the code; "": the only one
    fs: None: of the whole job
    share: of the processes' time, from 0 to 1
    confidence: "sure", "likely" or "perhaps"
    by: source of the measured time: "kernel", "client" or "calls"
    option: a change to the next submission (record/run_json.h)
    """

    __slots__ = ("code", "kind", "fs", "node", "profile", "share", "confidence", "by", "option",
                 "numbers", "values")
    code: str
    kind: str
    fs: str | None
    node: str | None
    profile: str | None
    share: float
    confidence: str
    by: str | None
    option: Json | None
    numbers: dict[str, float]

    def __init__(self, json: Json, **more: str) -> None:
        super().__init__(json)
        self.kind = self.kind or ""
        self.share = float(self.share or 0)
        self.confidence = self.confidence or "perhaps"
        self.numbers = self.numbers or {}
        self.values = more  # of names in braces

    @property
    def is_error(self) -> bool:
        return self.code == "A50"

    def sentence(self, name: str, default: str) -> str:
        """Return a sentence of advice.words with its numbers: "what", "why" or "cure"."""
        text = words_of(self.code, self.kind).get(name) or default
        if "{" not in text:
            return text
        if "took" not in self.values:
            self.values.update(self.known_values())
        return fill(text, self.values)

    def known_values(self) -> dict[str, str]:
        found = number_words(self.numbers)
        for name in ("fs", "node", "profile"):
            found[name] = units.clean(getattr(self, name) or "")
        found["took"] = self.took()
        found["share"] = units.percent(self.share)
        found["small_read"] = units.size(SMALL_READ)
        found["small_write"] = units.size(SMALL_WRITE)
        if "late_bytes" in self.numbers:  # late_share is also set
            found["late"] = units.percent(self.numbers["late_share"])
            found["late_size"] = units.size(self.numbers["late_bytes"])
        if self.code == "A30":
            found["kinds"] = kinds(self.numbers)
        return found

    def took(self) -> str:
        """Return "took 15 % of the processes' time"."""
        mean = self.numbers.get("mean_share")
        if mean is None:
            verb = "may have taken about" if self.by == "calls" else "took about"
            return f"{verb} {units.percent(self.share)} of the job's time"
        slowest = self.numbers.get("slowest_share", 0)
        text = f"took {units.percent(mean)} of the processes' time"
        if slowest >= mean * 1.5:
            text += f"; the slowest process spent {units.percent(slowest)} of its life in I/O"
        return text

    @property
    def what(self) -> str:
        numbers = [f"{name} {value}" for name, value in number_words(self.numbers).items()]
        return self.sentence("what", f"{self.code} on {{fs}}: {', '.join(numbers)}")

    @property
    def why(self) -> str:
        return self.sentence("why", "")

    @property
    def cure(self) -> str:
        """Return a sentence or a command."""
        return self.sentence("cure", "man jobio-advice")

    @property
    def how_sure(self) -> str:
        """Return the source of the measured time or, without one, the confidence."""
        word = self.confidence
        if "{took}" in words_of(self.code, self.kind).get("what", "") and word != "perhaps":
            word = str(self.by)
        return words.of("by").get(word, self.confidence)

    def to_json(self) -> Json:
        return {"code": self.code, "fs": self.fs or None, "what": self.what, "why": self.why,
                "do": self.cure, "confidence": self.confidence, "source": None,
                "value": round(self.share * 100), "kind": self.kind or None,
                "class": self.json.get("class") or None, "share": self.share,
                "option": self.option, "numbers": self.numbers}


class Judged(Members):
    """The ledger's judgement of a run.

    judged: there was enough to judge; None: the run is not judged
    silence: the reason for no advice, a key of report.words
    share: time in I/O as a share of the processes' elapsed time
    least: what is enough to judge
    """

    __slots__ = ("judged", "silence", "share", "least", "filesystems", "advice")
    judged: bool | None
    silence: str | None
    share: float | None
    least: dict[str, float] | None
    filesystems: list[Json] | None
    advice: list[Json] | None


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


def kinds(numbers: dict[str, float]) -> str:
    """Return the three most frequent kinds of metadata operations: "30 k opens, 9,000 renames"."""
    found = [(numbers.get(key, 0), text) for key, text in words.of("operations").items()]
    found.sort(key=lambda item: (-item[0], item[1]))
    most = found[0][0]
    return ", ".join(f"{count(number)} {text}" for number, text in found[:3]
                     if number * 50 >= most > 0)


# ---- words -----------------------------------------------------------------------


@cache
def words_of(code: str, kind: str) -> dict[str, str]:
    """Return the words of this kind, else of the code, else of another kind of the code."""
    known = words.read(WORDS)
    first = next((one for one in known if one.partition(".")[0] == code), "")
    return known.get(f"{code}.{kind}") or known.get(code) or known.get(first) or {}


class Values(dict):  # type: ignore[type-arg]
    """Values of names in braces; an unknown name becomes "?"."""

    def __missing__(self, key: str) -> str:
        return "?"


def fill(text: str, values: dict[str, str]) -> str:
    """Insert the values into a sentence; a sentence that is no format stays as it is."""
    try:
        return ONE.sub(r"1 \1", text.format_map(Values(values)))
    except (ValueError, IndexError, AttributeError):
        return text


# ---- interface of the report -----------------------------------------------------


def judged(answer: Json) -> Judged:
    return Judged(answer.get("judged") or {})


def lines(answer: Json, slurm: Json | None) -> list[Advice]:
    """Return the advice of a job, the largest share first.

    answer: the ledger's reply
    slurm: sacct's "state" and, if it is an average over time, "gpu_percent"
    """
    known = slurm or {}
    is_failed = str(known.get("state") or "").split(" ")[0] in FAILED
    found = [Advice(one) for one in judged(answer).advice or []]
    if not is_failed:
        found = [one for one in found if not (one.is_error and one.kind in ONLY_IF_FAILED)]
    gpu = known.get("gpu_percent")
    worth = [one for one in found if not one.is_error and one.share >= WORTH]
    if worth and isinstance(gpu, (int, float)) and gpu < GPU_LOW:
        head = Advice({"code": "A60", "confidence": "likely", "share": worth[0].share},
                      gpu=units.percent(gpu / 100), first=worth[0].cure)
        found.insert(sum(one.is_error for one in found), head)
    return found


def silence(answer: Json) -> str:
    """Return the reason why lines() is empty, without a full stop."""
    found = judged(answer)
    known = words.of("silence")
    if not found.json:
        return known["not_judged"]
    reason = found.silence or "nothing"
    if reason in ("little", "nothing") and found.share is None:
        return "nothing that a rule knows"
    share, least = found.share or 0.0, found.least or {}
    return known.get(reason, known["nothing"]).format(
        share=f"{share * 100:.1f} %" if share < 0.1 else units.percent(share),  # 4.7 % is below 5 %
        seconds=least.get("seconds", 60), waited=least.get("waited", 3),
        least=units.size(least.get("mib", 1024) * 1048576), calls=count(least.get("calls", 10000)))


def job_share(answer: Json) -> float | None:
    """Return the share of the processes' elapsed time on all filesystems, as measured by the kernel
    or the client."""
    found = judged(answer)
    if all(one["by"] == "calls" for one in found.filesystems or []):
        return None
    return found.share


def as_json(answer: Json, slurm: Json | None) -> list[Json] | None:
    """Return the member "advice" of jobio report --json; None: too little to judge."""
    if not judged(answer).judged:
        return None
    return [one.to_json() for one in lines(answer, slurm)]
