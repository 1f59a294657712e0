# SPDX-License-Identifier: GPL-2.0-or-later
"""Options of a command line: loading argparse takes longer than a report."""
from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from getopt import GetoptError, getopt, gnu_getopt

from report import paths
from report.command import USAGE, Failure, Help
from report.types import Any, Json, Take

# "  -j, --jobs=A,B,C   more jobs"; a value: =A, [=A] or a blank and a word in capitals
LINE = re.compile(r"(?m)^  (?:-(\w), )?--([a-z-]+)(?:(\[?=| (?=[A-Z]))(\S*))?")
NO_TAKES: dict[str, Take] = {}


def usage(text: str | None) -> int:
    """Print a module's docstring, the text of --help."""
    print((text or "").format(conf=paths.SYSCONF + "/slurm/jobio.conf"))
    return 0


def number(name: str, text: str, least: int, most: int) -> int:
    if text.isascii() and text.isdigit() and least <= int(text) <= most:
        return int(text)
    raise Failure(f"--{name}: '{text[:60]}': not a number from {least} to {most}", USAGE)


def slurm_version(text: str) -> tuple[int, int]:
    found = re.match(r"(\d+)\.(\d+)(\.|-|$)", text)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    if not (22, 5) <= version <= (26, 5):
        raise Failure(f"--slurm-version: '{text}': must be from 22.05 to 26.05", USAGE)
    return version


def numbered(least: int, most: int) -> Callable[[str, str], int]:
    return partial(number, least=least, most=most)


def choice(*words: str) -> Callable[[str, str], str]:
    def take(name: str, text: str) -> str:
        if text not in words:
            raise Failure(f"--{name}: '{text[:60]}': must be {', '.join(words[:-1])} or "
                          f"{words[-1]}", USAGE)
        return text
    return take


def word(signs: str) -> Callable[[str, str], str]:
    """Return a parser of values that are safe as one word of sacct's command line."""
    allowed = "A-Za-z0-9" + re.escape(signs)

    def take(name: str, value: str) -> str:
        if re.fullmatch(f"[{allowed}][-{allowed}]*", value) and len(value) <= 4000:
            return value
        raise Failure(f"--{name}: '{value[:60]}': not a word that sacct takes", USAGE)
    return take


def text(name: str, value: str) -> str:
    return value


def read(help_text: str | None, args: list[str], takes: Mapping[str, Take] = NO_TAKES,
         words_last: bool = False) -> tuple[Json, list[str]]:
    """Return the given options, the last value of each, and the other words."""
    given, words = parse(help_text, args, takes, words_last)
    return dict(given), words


def parse(help_text: str | None, args: list[str], takes: Mapping[str, Take],
          words_last: bool = False) -> tuple[list[tuple[str, Any]], list[str]]:
    """Parse the options in a help text.

    takes: parsers of values that are not plain text, and of hidden options
    words_last: all after the first word are words
    Returns: options in their order with their values, True without one; and the other words.
    """
    table: dict[str, Take | None] = {"help": None, **takes}
    letters = {"-h": "help"}
    for letter, name, sign, value in LINE.findall(help_text or ""):
        if letter:
            letters["-" + letter] = name
        usual = choice(*value.split("|")) if "|" in value else text
        table.setdefault(name, usual if sign else None)
    long = [name + "=" * bool(take) for name, take in table.items()]
    short = "".join(letter[1] + ":" * bool(table[name]) for letter, name in letters.items())
    try:
        found, words = (getopt if words_last else gnu_getopt)(args, short, long)
    except GetoptError as error:
        arg = ("-" if len(error.opt) == 1 else "--") + error.opt
        raise Failure(f"'{arg}': no such option, or its value is missing; see jobio "
                      f"{(help_text or '').split()[2]} --help", USAGE) from None
    given = [(letters.get(arg, arg[2:]), value) for arg, value in found]
    for name, value in given:
        if name == "help":
            raise Help
        if table[name] and not value:
            raise Failure(f"--{name}: '': must not be empty", USAGE)
    return [(name, take(name, value) if (take := table[name]) else True)
            for name, value in given], words
