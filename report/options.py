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

NO, VALUE = False, True


class Option:
    def __init__(self, name: str, letter: str = "", value: bool = NO) -> None:
        self.name, self.letter, self.value = name, letter, value


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
    """The values of those that were given, and the other words."""
    known = [Option(name, letter, bool(take)) for name, (letter, take) in table.items()]
    given, words = parse(command, known, args, words_last)
    values = {}
    for name, value in given:
        take = table[name][1]
        values[name] = take(name, value or "") if take else True
    return values, words


def parse(command: str, table: list[Option], args: list[str], words_last: bool = False,
          ) -> tuple[list[tuple[str, str | None]], list[str]]:
    """The options in their order, and the other words. With 'words_last' what follows the first
    word are words."""
    table = [*table, Option("help", "h")]
    long = [option.name + "=" * option.value for option in table]
    letters = {"-" + option.letter: option for option in table if option.letter}
    short = "".join(letter[1] + ":" * option.value for letter, option in letters.items())
    try:
        found, words = (getopt if words_last else gnu_getopt)(args, short, long)
    except GetoptError as error:
        arg = ("-" if len(error.opt) == 1 else "--") + error.opt
        raise Failure(f"'{arg}': no such option, or its value is missing; see jobio {command} "
                      "--help", USAGE) from None
    given: list[tuple[str, str | None]] = []
    for arg, value in found:
        option = letters.get(arg) or next(o for o in table if "--" + o.name == arg)
        if option.name == "help":
            raise Help
        if option.value and not value:
            raise Failure(f"--{option.name}: '': must not be empty", USAGE)
        given.append((option.name, value if option.value else None))
    return given, words
