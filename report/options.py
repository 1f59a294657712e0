# SPDX-License-Identifier: GPL-2.0-or-later
"""Options of a command line, as getopt_long(3) takes them: argparse takes longer to load than a
report takes."""
from __future__ import annotations

import re

from report import paths
from report.command import USAGE, Failure

NO, VALUE, MAYBE = range(3)  # has no value, must have one, may have one (--live[=5])


class Option:
    def __init__(self, name: str, letter: str = "", value: int = NO) -> None:
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


def parse(command: str, table: list[Option], args: list[str], words_last: bool = False,
          ) -> tuple[list[tuple[str, str | None]], list[str]]:
    """The options in their order, ("help", None) among them, and the other words. With
    'words_last' what follows the first word are words."""
    table = [*table, Option("help", "h")]
    given: list[tuple[str, str | None]] = []
    words: list[str] = []
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        if arg == "--" or (words_last and (arg == "-" or not arg.startswith("-"))):
            return given, words + ([] if arg == "--" else [arg]) + rest
        if arg.startswith("--"):
            given.append(long_option(command, table, arg, rest))
        elif arg.startswith("-") and arg != "-":
            given += short_options(command, table, arg, rest)
        else:
            words.append(arg)
    return given, words


def wrong(command: str, arg: str) -> Failure:
    return Failure(f"'{arg}': no such option, or its value is missing; see jobio {command} --help",
                   USAGE)


def filled(option: Option, value: str) -> tuple[str, str | None]:
    if not value:
        raise Failure(f"--{option.name}: '': must not be empty", USAGE)
    return option.name, value


def long_option(command: str, table: list[Option], arg: str, rest: list[str],
                ) -> tuple[str, str | None]:
    name, equals, value = arg[2:].partition("=")
    found = [o for o in table if o.name == name] or [o for o in table if o.name.startswith(name)]
    if len(found) != 1 or (equals and found[0].value == NO):
        raise wrong(command, arg)
    if equals:
        return filled(found[0], value)
    if found[0].value != VALUE:
        return found[0].name, None
    if not rest:
        raise wrong(command, arg)
    return filled(found[0], rest.pop(0))


def short_options(command: str, table: list[Option], arg: str, rest: list[str],
                  ) -> list[tuple[str, str | None]]:
    given: list[tuple[str, str | None]] = []
    letters = arg[1:]
    while letters:
        option = next((o for o in table if o.letter and o.letter == letters[0]), None)
        letters = letters[1:]
        if not option or (option.value == VALUE and not letters and not rest):
            raise wrong(command, arg)
        if option.value == VALUE:
            given.append(filled(option, letters or rest.pop(0)))
            break
        given.append((option.name, None))
    return given
