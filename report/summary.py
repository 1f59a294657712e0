# SPDX-License-Identifier: GPL-2.0-or-later
"""The line jobio/1 of SystemComment, as lib/summary.h has it."""
from __future__ import annotations

import re

from report import units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAX = 1000
_FIND = re.compile(r"(?:^|(?<=\s))jobio/1(?: [a-z]+=[A-Za-z0-9+/=._:;,@%-]+)+")
_NUMBER = re.compile(r"(\d[\d.]*)([A-Za-z]*)")
_PAIRS = {  # key: units of both numbers
    "rd": (units.BYTES, units.COUNTS), "wr": (units.BYTES, units.COUNTS),
    "nodes": (units.COUNTS, units.COUNTS), "wire": (units.BYTES, units.BYTES),
    "rsz": (units.BYTES, units.BYTES), "wsz": (units.BYTES, units.BYTES),
    "rlat": (units.NANOSECONDS, units.NANOSECONDS),
    "wlat": (units.NANOSECONDS, units.NANOSECONDS), "peak": (units.BYTES, units.BYTES),
    "chg": (units.COUNTS, units.COUNTS), "find": (units.COUNTS, units.COUNTS)}


def find(comment: str) -> str | None:
    """Ours among what others wrote; the last, as the ledger replaces it."""
    found = None
    for match in _FIND.finditer(comment):
        if len(match[0]) <= MAX:
            found = match[0]
    return found


def _number(text: str, names: Sequence[str]) -> int | None:
    if text == "-":
        return None
    match = _NUMBER.fullmatch(text)
    if not match or match[2] not in names:
        raise ValueError(text)
    step = 1024 if names is units.BYTES else 1000
    value: int = round(float(match[1]) * step ** list(names).index(match[2]))
    return min(value, 2 ** 63 - 1)


class Summary:
    """What is unknown is None or ""; the texts are those behind the "="."""

    def __init__(self, text: str = "") -> None:
        self.words = words = dict(w.split("=", 1) for w in text.split()[1:])
        if text and "nodes" not in words:
            raise ValueError("summary: nodes= is missing")
        self.read_bytes, self.read_calls = self.pair("rd")
        self.write_bytes, self.write_calls = self.pair("wr")
        self.nodes_seen, self.nodes_expected = self.pair("nodes")
        self.peak_read, self.peak_write = self.pair("peak")
        self.cores, self.cpus, self.prof, self.fs, self.src, self.miss, self.scope = (
            self.word(key) for key in ("cores", "cpus", "prof", "fs", "src", "miss", "scope"))
        self.flags = [flag for flag in self.word("q").split(",") if flag]
        self.lacks = [lack for lack in self.word("not").split(",") if lack]
        self.meta = self.single("meta")
        self.refused = self.single("refused") or 0
        self.errors, self.warnings = (n or 0 for n in self.pair("find"))
        gate = dict(w.split(":", 1) for w in self.word("gate").split(",") if ":" in w)
        self.gate_warned = _number(gate.get("warn", "0"), units.COUNTS) or 0
        self.gate_refused = _number(gate.get("refuse", "0"), units.COUNTS) or 0

    def word(self, key: str) -> str:
        value: str = self.words.get(key, "")
        return "" if value == "-" else value

    def single(self, key: str) -> int | None:
        return _number(self.words.get(key, "-"), units.COUNTS)

    def pair(self, key: str) -> tuple[int | None, int | None]:
        if key not in self.words:
            return None, None
        first, _, second = self.words[key].partition("/")
        names = _PAIRS[key]
        return _number(first, names[0]), _number(second or "-", names[1])

    def at(self, key: str) -> tuple[str, str]:
        """VALUE@NODE: of imb and slow."""
        value, _, node = self.word(key).partition("@")
        return value, node


def parse(text: str | None) -> Summary | None:
    """None: it is none of ours, or damaged."""
    try:
        return Summary(text) if text and text.startswith("jobio/1 ") else None
    except ValueError:
        return None
