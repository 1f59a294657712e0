# SPDX-License-Identifier: GPL-2.0-or-later
"""Options of the commands: argparse with refusals of one line, and parsers of values.

A parser of a value raises ArgumentTypeError with a text that begins with the value in quotes.
"""
from __future__ import annotations

import re
from argparse import (
    Action,
    ArgumentParser,
    ArgumentTypeError,
    RawDescriptionHelpFormatter,
)
from collections.abc import Callable

from report import paths
from report.command import USAGE, Failure
from report.types import Any, NoReturn

REFUSED = re.compile(r"argument (?:-\w/)?(--[\w-]+): ('.*)", re.S)


class Layout(RawDescriptionHelpFormatter):
    """The layout of --help: options as in the manual pages, -u, --user=A,B."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=22, width=80)

    def _format_action_invocation(self, action: Action) -> str:
        return str(action.metavar or ", ".join(action.option_strings))


class Parser(ArgumentParser):
    """The parser of a command's options.

    command: the command, and its words in the usage: "report [OPTION]... [JOB]..."
    about: text before the options; its last paragraph is printed after them
    """

    def __init__(self, usage: str, about: str | None) -> None:
        text, _, end = (about or "").strip().rpartition("\n\n")
        super().__init__(
            usage="jobio " + usage, description=text, epilog=end, formatter_class=Layout)
        self.command = usage.split()[0]

    def add(self, option: str, about: str, type_: Callable[[str], Any] | None = None,
            **settings: Any) -> None:
        """Add an option.

        option: as --help prints it: "-q, --quiet", "-u, --user=A,B" or "--live[=SECONDS]"
        type_: parser of the value; None: text() or, without a value, no parser
        settings: as for add_argument()
        """
        names, sign, _ = option.partition("=")
        if sign:
            settings.update(metavar=option, type=type_ or text)
        else:
            settings["action"] = "store_true"
        if names.endswith("["):
            settings["nargs"] = "?"
        self.add_argument(*names.rstrip("[").split(", "), help=about, **settings)

    def add_conf(self) -> None:
        self.add("--conf=FILE", f"instead of {paths.SYSCONF}/slurm/jobio.conf")

    def error(self, message: str) -> NoReturn:
        """Raise a Failure: "--limit: '0': not a number from 1 to 1000"."""
        refused = REFUSED.fullmatch(message)
        if refused:
            raise Failure(f"{refused[1]}: {refused[2]}", USAGE)
        raise Failure(f"{message}; see jobio {self.command} --help", USAGE)

    def read(self, args: list[str], options: Any = None) -> tuple[Any, list[str]]:
        """Parse a command line; options and words may be in any order, and all that is after "--"
        are words.

        options: set their members; None: of a new object
        Returns: the options, and the words
        Raises: Failure
        """
        end = args.index("--") if "--" in args else len(args)
        options, words = self.parse_known_args(args[:end], options)
        for word in words:
            if word.startswith("-"):
                self.error(f"'{word}': no such option")
        return options, words + args[end + 1:]


# ---- parsers of values


def text(value: str) -> str:
    if not value:
        raise ArgumentTypeError("'': must not be empty")
    return value


def refusal(value: str, why: str) -> ArgumentTypeError:
    return ArgumentTypeError(f"'{value[:60]}': {why}")


def number(least: int, most: int) -> Callable[[str], int]:
    """Return a parser of numbers in these bounds."""
    def parse(value: str) -> int:
        if text(value).isascii() and value.isdigit() and least <= int(value) <= most:
            return int(value)
        raise refusal(value, f"not a number from {least} to {most}")
    return parse


def choice(*words: str) -> Callable[[str], str]:
    """Return a parser of these words."""
    def parse(value: str) -> str:
        if text(value) in words:
            return value
        raise refusal(value, f"must be {', '.join(words[:-1])} or {words[-1]}")
    return parse


def word(signs: str) -> Callable[[str], str]:
    """Return a parser of values that are safe as one word of sacct's command line: letters,
    digits and these signs."""
    allowed = "A-Za-z0-9" + re.escape(signs)
    pattern = re.compile(f"[{allowed}][-{allowed}]*")

    def parse(value: str) -> str:
        if len(text(value)) <= 4000 and pattern.fullmatch(value):
            return value
        raise refusal(value, "not a word that sacct takes")
    return parse


def version(value: str) -> tuple[int, int]:
    """Return the first two numbers of 24.11.5; (0, 0): it has none."""
    found = re.match(r"(\d+)\.(\d+)(\.|-|$)", value)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def slurm_version(value: str) -> str:
    if not (22, 5) <= version(text(value)) <= (26, 5):
        raise refusal(value, "must be from 22.05 to 26.05")
    return value
