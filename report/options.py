# SPDX-License-Identifier: GPL-2.0-or-later
"""Options of a command line: argparse takes longer to load than a report takes."""
from __future__ import annotations

import re
from functools import partial
from getopt import GetoptError, getopt, gnu_getopt

from report import paths
from report.command import USAGE, Failure, Help

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Optional

    # its letter, and what makes a value of its name and its text; None: it has no value
    Spec = tuple[str, Optional[Callable[[str, str], Any]]]


def usage(text: str | None) -> int:
    """Print a module's docstring: it is what --help says."""
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


def text(name: str, value: str) -> str:
    return value


def read(command: str, table: Mapping[str, Spec], args: list[str], words_last: bool = False,
         ) -> tuple[dict[str, Any], list[str]]:
    """The values of those that were given, the last of each, and the other words."""
    given, words = parse(command, table, args, words_last)
    return dict(given), words


def parse(command: str, table: Mapping[str, Spec], args: list[str], words_last: bool = False,
          ) -> tuple[list[tuple[str, Any]], list[str]]:
    """The options in their order, with their values, True where there is none, and the other
    words. With 'words_last' what follows the first word are words."""
    table = {**table, "help": ("h", None)}
    long = [name + "=" * bool(take) for name, (_, take) in table.items()]
    letters = {"-" + letter: name for name, (letter, _) in table.items() if letter}
    short = "".join(letter[1] + ":" * bool(table[name][1]) for letter, name in letters.items())
    try:
        found, words = (getopt if words_last else gnu_getopt)(args, short, long)
    except GetoptError as error:
        arg = ("-" if len(error.opt) == 1 else "--") + error.opt
        raise Failure(f"'{arg}': no such option, or its value is missing; see jobio {command} "
                      "--help", USAGE) from None
    given = [(letters.get(arg, arg[2:]), value) for arg, value in found]
    for name, value in given:
        if name == "help":
            raise Help
        if table[name][1] and not value:
            raise Failure(f"--{name}: '': must not be empty", USAGE)
    takes = [(name, value, table[name][1]) for name, value in given]
    return [(name, take(name, value) if take else True) for name, value, take in takes], words
