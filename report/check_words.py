# SPDX-License-Identifier: GPL-2.0-or-later
"""Findings of jobio check: their words are in check.words."""
from __future__ import annotations

import os
import re
from typing import NamedTuple

from report import paths

SEVERITIES = ("error", "warning", "info")


class Finding(NamedTuple):
    """'measured' differs between equal nodes: with -v and in JSON only; 'place' is that of
    check.words."""

    code: str
    severity: str
    text: str
    cure: str
    measured: str
    place: int

    def line(self, verbose: bool) -> str:
        measured = f" ({self.measured})" if verbose and self.measured else ""
        return f"{self.code} {self.severity}: {self.text}{measured}\n    cure: {self.cure}"


class Entry(NamedTuple):
    severity: str
    text: str
    place: int
    cures: list[tuple[str, str]]  # pattern of a cause, cure


def load(path: str) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    entry = Entry("", "", 0, [])
    with open(path, encoding="utf-8") as file:
        for place, line in enumerate(file):
            head, _, rest = line.strip().partition(" ")
            if line.startswith(" "):
                entry.cures.append((head, rest))
            elif rest and head != "#":
                severity, _, text = rest.partition(" ")
                entry = entries[head] = Entry(severity, text, place, [])
    return entries


class Findings:
    def __init__(self) -> None:
        self.words = load(os.path.join(paths.REPORT, "check.words"))
        self.common: dict[str, object] = {}  # values that any sentence may use
        self.list: list[Finding] = []

    def add(self, word: str, /, cause: str = "", measured: str = "", **values: object) -> None:
        """'word': a code of check.words, or CODE.variant; 'cause': which of its cures, where the
        sentence does not say it."""
        code, entry = word.partition(".")[0], self.words[word]
        known = {**self.common, **values}
        cause = cause or str(values.get("why", ""))
        cure = next(cure for pattern, cure in entry.cures or self.words[code].cures
                    if pattern == "-" or re.search(pattern, cause))
        self.list.append(Finding(code, entry.severity, one_line(entry.text.format_map(known)),
                                 one_line(cure.format_map(known)), measured, entry.place))

    def take(self, found: list[dict[str, object]]) -> None:
        """Those of jobio-facts, which have their words."""
        for one in found:
            text, same = str(one["text"]), int(str(one.get("same_bytes") or 0))
            raw = text.encode()
            measured = raw[same:].decode(errors="replace").strip(" ()") if same else ""
            self.list.append(Finding(str(one["code"]), str(one["severity"]),
                                     raw[:same].decode(errors="replace") if same else text,
                                     str(one["cure"]) or "none", measured, 100000))

    def sorted(self) -> list[Finding]:
        return sorted(self.list, key=lambda f: (SEVERITIES.index(f.severity), f.place))

    def has(self, code: str) -> bool:
        return any(finding.code == code for finding in self.list)

    def count(self, severity: str) -> int:
        return sum(f.severity == severity for f in self.list)


def one_line(text: str) -> str:
    """What a daemon or a file says, printable and on one line."""
    return "".join(c if c.isprintable() else " " if c in "\t\n" else "?" for c in text).strip()
