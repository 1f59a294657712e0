# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers, times and texts for output. Unknown is None, printed as "-" or "unknown"."""
from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable, Sequence
from functools import cache

BYTES = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
COUNTS = ("", "k", "M", "G", "T", "P", "E")
NANOSECONDS = ("ns", "us", "ms", "s")

# Characters that move the cursor or change the direction (base/utf8.h), and decoding errors
_HIDDEN = [*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F),
           *range(0x2066, 0x206A), 0xFFFD]
_CLEAN = dict.fromkeys(_HIDDEN, "?")
_ESCAPED = {code: f"\\u{code:04x}" for code in _HIDDEN if code not in (10, 0xFFFD)}
_JSON_ESCAPE = re.compile(
    r"\\(?:(u(?:00[01][\da-fA-F]|007[fF]|00[89][\da-fA-F]|061[cC]|200[eEfF]|202[89a-eA-E]"
    r"|206[6-9]|[dD][89a-fA-F][\da-fA-F]{2}(?!\\u[dD])))|[bfnrt]|.)", re.S)


def clean(text: str) -> str:
    """Replace characters that move the cursor by "?", in text of a record or of sacct."""
    return text if text.isascii() and text.isprintable() else text.translate(_CLEAN)


def clean_json(text: str) -> str:
    """Replace them in JSON, also if they are escaped."""
    def visible(match: re.Match[str]) -> str:
        return "?" if match[1] or match[0][1] in "bfnrt" else match[0]

    text = text.rstrip("\n")
    if "\\" in text:
        text = _JSON_ESCAPE.sub(visible, text)
    return clean(text)


def escape_json(text: str) -> str:
    """Return JSON with hidden characters as escapes, safe for a terminal."""
    return text if text.isascii() else text.translate(_ESCAPED).replace("\ufffd", "?")


def _scaled(value: float, step: int, names: Sequence[str]) -> tuple[str, str]:
    """Return three digits, and the unit that keeps the value below 1000."""
    at = 0
    while round(value) >= 1000 and at + 1 < len(names):
        value /= step
        at += 1
    if 999 < value < 1000:
        value = 999.0
    text = f"{value:.0f}" if value >= 100 or at == 0 else f"{value:.3g}"
    return text, names[at]


def size(value: float | None, unknown: str = "unknown") -> str:
    """Format bytes: 2.51 TiB."""
    if value is None:
        return unknown
    text, unit = _scaled(value, 1024, BYTES)
    return "0" if text == "0" else f"{text} {unit}"


def count(value: float | None, unknown: str = "unknown") -> str:
    """Format a count: 45 M."""
    if value is None:
        return unknown
    text, unit = _scaled(value, 1000, COUNTS)
    return f"{text} {unit}" if unit else text


def whole(value: int | None, unknown: str = "unknown") -> str:
    """Format a number with all digits: 1,024."""
    return unknown if value is None else f"{value:,}"


def span(ns: float | None, unknown: str = "unknown") -> str:
    """Format nanoseconds: 4.1 ms; from one minute on 1 min 5 s, 2 h 3 min."""
    if ns is None:
        return unknown
    if ns < 60e9:
        text, unit = _scaled(ns, 1000, NANOSECONDS)
        return f"{text} {unit}"
    seconds = round(ns / 1e9)
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds // 60 % 60} min"


def percent(share: float | None, unknown: str = "unknown") -> str:
    """Format a share: 0.4 %, 17 %."""
    if share is None:
        return unknown
    value = share * 100
    if 0 < value < 0.05:
        return "< 0.1 %"
    return f"{value:.1f} %" if 0 < value < 1 else f"{value:.0f} %"


def known(values: Iterable[int | None]) -> int | None:
    """Return the sum without unknown values; None: all are unknown."""
    there = [value for value in values if value is not None]
    return sum(there) if there else None


def plural(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def elapsed(seconds: float | None, unknown: str = "-") -> str:
    """Format seconds as Slurm does, always with hours: 1-02:03:04."""
    if seconds is None:
        return unknown
    rest = int(seconds + 0.5)
    days = f"{rest // 86400}-" if rest >= 86400 else ""
    return f"{days}{rest % 86400 // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"


def clock(when: float | None, form: str = "%Y-%m-%d %H:%M:%S", unknown: str = "unknown") -> str:
    if when is None:
        return unknown
    try:
        return time.strftime(form, time.localtime(when))
    except (OverflowError, ValueError, OSError):
        return "?"


# ---- the terminal ---------------------------------------------------------------------

BLOCKS = " ▁▂▃▄▅▆▇█"
PLAIN = " .:-=+*%#"
CODES = {"good": 32, "warn": 33, "bad": 31, "strong": 1, "faint": 2}


@cache
def is_utf8() -> bool:
    """Return True if the caller's terminal accepts UTF-8; Python itself changes C to C.UTF-8."""
    env = os.environ
    name = env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or ""
    if not env.get("LC_ALL") and env.get("LC_CTYPE") in ("C.UTF-8", "C.utf8", "UTF-8"):
        name = env.get("LANG") or ""
    return "utf-8" in name.lower() or "utf8" in name.lower()


def bars(values: Sequence[float]) -> str:
    """Return one character for each value, a full one for the largest."""
    glyphs = BLOCKS if is_utf8() else PLAIN
    most = max(values, default=0) or 1
    return "".join(glyphs[min(8, 1 + int(v * 7.99 / most)) if v > 0 else 0] for v in values)


@cache
def has_colour() -> bool:
    term = os.environ.get("TERM", "")
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and term not in ("", "dumb")


def tone(kind: str, text: str) -> str:
    """Colour a text if the terminal supports it; kind: good, warn, bad, strong, faint."""
    return f"\033[{CODES[kind]}m{text}\033[0m" if kind and has_colour() else text


def wrap(text: str, before: str) -> list[str]:
    """Wrap a sentence to the terminal's width, or 100 columns; before: prefix of the first line,
    blanks in the others."""
    lines = [before]
    for word in text.split():
        if len(lines[-1]) + 1 + len(word) > (width() or 100) and len(lines[-1]) > len(before):
            lines.append(" " * len(before))
        lines[-1] += ("" if len(lines[-1]) == len(before) else " ") + word
    return lines


def width() -> int:
    """Return the columns of the terminal; 0: none."""
    if not sys.stdout.isatty():
        return 0
    try:
        columns = os.get_terminal_size(1).columns
    except OSError:
        return 0
    return columns if columns >= 40 else 0


# ---- sets of CPUs ----------------------------------------------------------------------


def parse_cpus(text: str, most: int = 1 << 20) -> set[int]:
    """Parse "0-3,8"; an invalid list is empty.

    most: maximum CPUs of a range, and in total
    """
    cpus: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or (last and not last.isdecimal()) or int(first) > 1 << 20:
            return set()
        cpus.update(range(int(first), min(int(last or first), int(first) + most) + 1))
        if len(cpus) > most:
            break
    return cpus


def format_cpus(cpus: Iterable[int]) -> str:
    """Format a set of CPUs: 0-3,8."""
    ranges: list[list[int]] = []
    for cpu in sorted(cpus):
        if ranges and cpu == ranges[-1][1] + 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)
