# SPDX-License-Identifier: GPL-2.0-or-later
"""Findings of jobio check, with the sentences of check.words."""
from __future__ import annotations

import re
from typing import NamedTuple

from report import words

SEVERITIES = ("error", "warning", "info")


class Finding(NamedTuple):
    """One finding.

    word: entry of check.words, the code or CODE.variant
    measured: differs between equal nodes, printed with -v and in JSON only
    place: order of the entry in check.words
    """

    word: str
    code: str
    severity: str
    text: str
    cure: str
    measured: str
    place: int

    def line(self, verbose: bool) -> str:
        measured = f" ({self.measured})" if verbose and self.measured else ""
        return f"{self.code} {self.severity}: {self.text}{measured}\n    cure: {self.cure}"


def slurm_cause(said: str, known: dict[str, object]) -> tuple[str, str] | None:
    """Return cause and cure from slurm.words; add the groups of the pattern to known."""
    for pattern, entry in words.read("slurm.words").items():
        found = re.search(pattern, said)
        if found:
            # "path2" is "path" in another form of the message
            known.update({name.rstrip("23"): one_line(text) for name, text in
                          found.groupdict().items() if text})
            if "keys" in known:  # all that the program names
                known["keys"] = ", ".join(dict.fromkeys(
                    one["keys"] for one in re.finditer(pattern, said)))
            return re.sub("^source: [^:]*: ", "", entry["cause"]), entry["cure"]
    return None


class Findings:
    def __init__(self) -> None:
        self.words = words.read("check.words")
        self.common: dict[str, object] = {}  # values for all sentences
        self.list: list[Finding] = []

    def add(self, word: str, /, cause: str = "", measured: str = "", said: str = "",
            **values: object) -> None:
        """Add a finding.

        word: a code of check.words, or CODE.variant
        cause: selects one of its cures, if the sentence does not have it
        said: text of a program of Slurm, for slurm.words
        """
        code = word.partition(".")[0]
        (severity, text), *cures = self.words[word].items()
        known = {**self.common, **values}
        cause = cause or str(values.get("why", ""))
        pattern, cure = next(row for row in cures or [*self.words[code].items()][1:]
                             if row[0] == "-" or re.search(row[0], cause))
        if pattern == "-" and (meant := slurm_cause(said, known)):
            text, cure = f"{text} ({meant[0]})", meant[1]
        self.list.append(Finding(word, code, severity, one_line(text.format_map(known)),
                                 one_line(cure.format_map(known)), measured,
                                 [*self.words].index(word)))

    def take(self, found: list[dict[str, object]]) -> None:
        """Add findings of jobio-facts, which have sentences."""
        for one in found:
            text, same = str(one["text"]), int(str(one.get("same_bytes") or 0))
            raw = text.encode()
            measured = raw[same:].decode(errors="replace").strip(" ()") if same else ""
            code = str(one["code"])
            self.list.append(Finding(code, code, str(one["severity"]),
                                     raw[:same].decode(errors="replace") if same else text,
                                     str(one["cure"] or "none"), measured, 100000))

    def sorted(self) -> list[Finding]:
        return sorted(self.list, key=lambda f: (SEVERITIES.index(f.severity), f.place))

    def has(self, code: str) -> bool:
        return any(finding.code == code for finding in self.list)

    def count(self, severity: str) -> int:
        return sum(f.severity == severity for f in self.list)


def one_line(text: str) -> str:
    """Return the text of a daemon or a file, printable and in one line."""
    return "".join(c if c.isprintable() else " " if c in "\t\n" else "?" for c in text).strip()
