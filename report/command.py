# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of jobio, their options, and rules for all commands.

A command is a module with main(args) -> exit status. Exit status: 0; 1 failed (check:
warnings); 2 bad usage; 3 unsound (check: errors; cores: Slurm will reserve other cores).
"""
from __future__ import annotations

import signal
import sys
from importlib import import_module

from report import paths
from report.types import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FAILED = 1
USAGE = 2
UNSOUND = 3

# name: module, sentence; in the order of jobio(1)
COMMANDS = {
    "cores": ("cores", "which cores and CPUs Slurm withholds"),
    "plan": ("plan", "which cores to give to the client"),
    "check": ("check", "what is wrong on this host, and the cure"),
    "report": ("reporter", "what jobs read and wrote"),
    "compare": ("compare", "two jobs side by side"),
    "advise": ("advise", "what to ask for the next time"),
    "calibrate": ("calibrate", "what cores and profiles are worth"),
}


class Failure(Exception):
    """A message for standard error, and the exit status."""

    def __init__(self, text: str, status: int = FAILED) -> None:
        super().__init__(text)
        self.status = status


class Help(Exception):
    """--help was given."""


def on_signals(action: Any) -> None:
    """Set the action for Ctrl-C, SIGTERM and SIGHUP."""
    for number in SIGNALS:
        signal.signal(number, action)


def usage() -> str:
    lines = [f"  {name:<9} {COMMANDS[name][1]}" for name in COMMANDS]
    return "\n".join(
        ["usage: jobio COMMAND [OPTION]...", "", *lines, "",
         "jobio COMMAND --help explains a command; see jobio(1)."])


def nearest(word: str, known: list[str]) -> str | None:
    """Return the most similar name to a mistyped one."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, known, 1, 0.6)), None)


def run(args: list[str]) -> int:
    if not args:
        print(usage())
        return USAGE
    name = args[0]
    if name in ("-V", "--version", "version"):
        print(paths.PACKAGE)
        return 0
    if name == "help" and len(args) > 1:
        name, args = args[1], [args[1], "--help"]
    if name in ("-h", "--help", "help"):
        print(usage())
        return 0
    if name not in COMMANDS:
        near = nearest(name, list(COMMANDS))
        raise Failure(f"'{name}': no such command; "
                      + (f"did you mean 'jobio {near}'?" if near else "see jobio --help"), USAGE)
    command = import_module("report." + COMMANDS[name][0])
    try:
        return int(command.main(args[1:]))
    except Help:
        from report import options

        return options.usage(command.__doc__)
    except Failure as failure:
        raise Failure(f"{name}: {failure}", failure.status) from None


def main(args: list[str]) -> int:
    """Run a command and flush its output: an incomplete output, for example on a full disk, is a
    failure; a closed pipe is not. The launcher exits with os._exit()."""
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    sys.stderr.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    status = 0
    try:
        try:
            status = run(args)
        except Failure as failure:
            sys.stdout.flush()
            print(f"jobio: {failure}", file=sys.stderr)
            status = failure.status
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = 130
    except BrokenPipeError:
        pass
    except OSError as error:
        print(f"jobio: standard output: {error.strerror}", file=sys.stderr)
        status = status or FAILED
    return status
