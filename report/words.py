# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of words: entries of NAME: TEXT. A site's file replaces lines of ours."""
from __future__ import annotations

import os
from contextlib import suppress
from functools import cache

from report import paths
from report.files import is_trusted

REPORT = "report.words"


def parse(path: str) -> dict[str, dict[str, str]]:
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


@cache
def read(name: str) -> dict[str, dict[str, str]]:
    words = parse(os.path.join(paths.REPORT, name))
    with suppress(OSError, UnicodeDecodeError):
        if is_trusted(paths.site(name)):
            for key, entry in parse(paths.site(name)).items():
                words[key] = {**words.get(key, {}), **entry}
    return words


def of(entry: str) -> dict[str, str]:
    return read(REPORT)[entry]
