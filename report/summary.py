# SPDX-License-Identifier: GPL-2.0-or-later
"""The line jobio/1 of SystemComment, as in record/summary.h."""
from __future__ import annotations

import re
from collections.abc import Sequence

from report import units

MAX = 1000
_FIND = re.compile(r"(?:^|(?<=\s))jobio/1(?: [a-z]+=[A-Za-z0-9+/=._:;,@%-]+)+")
_NUMBER = re.compile(r"(\d{1,19}(?:\.\d{1,9})?)([A-Za-z]{0,3})", re.A)
_PAIRS = {  # {key: units of both numbers}
    "rd": (units.BYTES, units.COUNTS), "wr": (units.BYTES, units.COUNTS),
    "nodes": (units.COUNTS, units.COUNTS), "peak": (units.BYTES, units.BYTES),
    "chg": (units.COUNTS, units.COUNTS), "find": (units.COUNTS, units.COUNTS)}


def find(comment: str) -> str | None:
    """Return our line from other text in the field; the last one, which the ledger replaces."""
    found = [match[0] for match in _FIND.finditer(comment) if len(match[0]) <= MAX]
    return found[-1] if found else None


def _number(text: str, names: Sequence[str]) -> int | None:
    match = _NUMBER.fullmatch(text)
    if not match or match[2] not in names:
        return None
    step = 1024 if names is units.BYTES else 1000
    value: int = round(float(match[1]) * step ** names.index(match[2]))
    return min(value, 2 ** 63 - 1)


def _words(key: str) -> property:
    return property(lambda self: [word for word in self.word(key).split(",") if word])


def _text(key: str) -> property:
    return property(lambda self: self.word(key))


def _of(key: str, which: int) -> property:
    return property(lambda self: self.pair(key)[which])


def _count(key: str, word: str) -> property:
    return property(lambda self: self.counts(key).get(word, 0))


class Summary:
    """A parsed summary; unknown values are None or ""; texts are those after "="."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.words = dict(word.split("=", 1) for word in text.split()[1:])
        if text and "nodes" not in self.words:
            raise ValueError("summary: nodes= is missing")

    read_bytes, read_calls = _of("rd", 0), _of("rd", 1)
    write_bytes, write_calls = _of("wr", 0), _of("wr", 1)
    nodes_seen, nodes_expected = _of("nodes", 0), _of("nodes", 1)
    peak_read, peak_write = _of("peak", 0), _of("peak", 1)
    cores, cpus, prof, fs = _text("cores"), _text("cpus"), _text("prof"), _text("fs")
    src, miss, scope = _text("src"), _text("miss"), _text("scope")
    flags, unmet = _words("q"), _words("not")
    errors, warnings = _of("find", 0), _of("find", 1)
    # tasks that could run on the client's CPUs
    gate_warned, gate_refused = _count("gate", "warn"), _count("gate", "refuse")
    meta = property(lambda self: _number(self.word("meta"), units.COUNTS))
    refused = property(lambda self: _number(self.word("refused"), units.COUNTS) or 0)
    failed = property(lambda self: self.counts("err"))  # calls, by errno

    @property
    def io_share(self) -> float | None:
        """Return the time in I/O as a share of the processes' elapsed time."""
        share = _NUMBER.fullmatch(self.word("io").partition("%/")[0])
        return float(share[1]) / 100 if share and not share[2] else None

    @property
    def io_seconds(self) -> float | None:
        ns = _number(self.word("io").partition("%/")[2], units.NANOSECONDS)
        return None if ns is None else ns / 1e9

    def counts(self, key: str) -> dict[str, int]:
        """Parse "warn:2,refuse:1"."""
        told = (word.partition(":") for word in self.word(key).split(","))
        return {name: _number(number, units.COUNTS) or 0 for name, _, number in told if number}

    def word(self, key: str) -> str:
        value: str = self.words.get(key, "")
        return "" if value == "-" else value

    def pair(self, key: str) -> tuple[int | None, int | None]:
        if key not in self.words:
            return None, None
        first, _, second = self.words[key].partition("/")
        names = _PAIRS[key]
        return _number(first, names[0]), _number(second, names[1])

    def at(self, key: str) -> tuple[str, str]:
        """Return value and node of imb and slow: VALUE@NODE."""
        value, _, node = self.word(key).partition("@")
        return value, node


def parse(text: str | None) -> Summary | None:
    """Parse a summary; None: not ours, or damaged."""
    try:
        return Summary(text) if text and text.startswith("jobio/1 ") else None
    except ValueError:
        return None
