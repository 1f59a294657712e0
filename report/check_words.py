# SPDX-License-Identifier: GPL-2.0-or-later
"""Findings of jobio check, with the sentences of check.words."""
from __future__ import annotations

import re
from typing import NamedTuple

from report import words
from report.types import Json

SEVERITIES = ("error", "warning", "info")
LAST = 100000  # place of findings that are not in check.words


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

    def whole_text(self) -> str:
        return f"{self.text} ({self.measured})" if self.measured else self.text

    def line(self, is_verbose: bool) -> str:
        text = self.whole_text() if is_verbose else self.text
        return f"{self.code} {self.severity}: {text}\n    cure: {self.cure}"


def slurm_cause(output: str, values: Json) -> tuple[str, str] | None:
    """Return cause and cure from slurm.words; add the groups of the pattern to the values.

    output: of a program of Slurm
    """
    for pattern, entry in words.read("slurm.words").items():
        found = re.search(pattern, output)
        if not found:
            continue
        for name, text in found.groupdict().items():
            if text:  # "path2" is "path" in another form of the message
                values[name.rstrip("23")] = one_line(text)
        if "keys" in values:  # all that the program names
            keys = [one["keys"] for one in re.finditer(pattern, output)]
            values["keys"] = ", ".join(dict.fromkeys(keys))
        return re.sub("^source: [^:]*: ", "", entry["cause"]), entry["cure"]
    return None


class Findings:
    """common: values for all sentences"""

    def __init__(self) -> None:
        self.words = words.read("check.words")
        self.common: Json = {}
        self.list: list[Finding] = []

    def add(self, word: str, /, cause: str = "", measured: str = "", output: str = "",
            **values: object) -> None:
        """Add a finding.

        word: a code of check.words, or CODE.variant
        cause: selects one of its cures, if the sentence does not have it
        output: of a program of Slurm, for slurm.words
        values: of the names in the sentence and the cure
        """
        code = word.partition(".")[0]
        (severity, text), *cures = self.words[word].items()
        if not cures:
            cures = list(self.words[code].items())[1:]
        known = {**self.common, **values}
        cause = cause or str(values.get("why", ""))
        pattern, cure = next(row for row in cures if row[0] == "-" or re.search(row[0], cause))
        found = slurm_cause(output, known) if pattern == "-" else None
        if found:
            text = f"{text} ({found[0]})"
            cure = found[1]
        self.list.append(Finding(
            word, code, severity, one_line(text.format_map(known)),
            one_line(cure.format_map(known)), measured, list(self.words).index(word)))

    def add_facts(self, found: list[Json]) -> None:
        """Add findings of jobio-facts, which have sentences; "same_bytes": of the text without
        measured values."""
        for one in found:
            text, measured = str(one["text"]), ""
            if one.get("same_bytes"):
                raw, same = text.encode(), int(one["same_bytes"])
                text = raw[:same].decode(errors="replace")
                measured = raw[same:].decode(errors="replace").strip(" ()")
            code = str(one["code"])
            self.list.append(Finding(code, code, str(one["severity"]), text,
                                     str(one["cure"] or "none"), measured, LAST))

    def sorted(self) -> list[Finding]:
        """Return the findings, errors first."""
        return sorted(self.list, key=lambda one: (SEVERITIES.index(one.severity), one.place))

    def has(self, code: str) -> bool:
        return any(finding.code == code for finding in self.list)

    def count(self, severity: str) -> int:
        return sum(finding.severity == severity for finding in self.list)


def one_line(text: str) -> str:
    """Return the text of a daemon or a file, printable and in one line."""
    text = re.sub(r"[\t\n]", " ", text)
    return "".join(char if char.isprintable() else "?" for char in text).strip()
