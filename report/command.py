# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of jobio, and rules for all of them.

A command is a module with main(args), which returns the exit status: 0; 1 failed (check:
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

# name: module, description; in the order of jobio(1)
COMMANDS = {
    "cores": ("cores", "which cores and CPUs Slurm withholds"),
    "plan": ("plan", "which cores to give to the client"),
    "check": ("check", "faults of this host, and their cures"),
    "report": ("reporter", "what jobs read and wrote"),
    "compare": ("compare", "two jobs side by side"),
    "advise": ("advise", "options for the next submission of a job"),
    "calibrate": ("calibrate", "throughput of io-cores and profiles"),
}


class Failure(Exception):
    """An error of one line, for standard error.

    status: exit status of the command
    """

    def __init__(self, text: str, status: int = FAILED) -> None:
        super().__init__(text)
        self.status = status


def on_signals(action: Any) -> None:
    """Set the action for Ctrl-C, SIGTERM and SIGHUP."""
    for number in SIGNALS:
        signal.signal(number, action)


def usage() -> str:
    lines = [f"  {name:<9} {about}" for name, (_, about) in COMMANDS.items()]
    return "\n".join(
        ["usage: jobio COMMAND [OPTION]...", "", *lines, "",
         "jobio COMMAND --help describes a command; see jobio(1)."])


def nearest(word: str, known: list[str]) -> str | None:
    """Return the most similar of the known names; None: no one is similar."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, known, 1, 0.6)), None)


def run(args: list[str]) -> int:
    """Run the command of a command line.

    args: the name of the command, its options and words
    Returns: the exit status
    Raises: Failure, with the name of the command
    """
    if not args:
        print(usage())
        return USAGE
    name, *args = args
    if name in ("-V", "--version", "version"):
        print(paths.PACKAGE)
        return 0
    if name == "help" and args:
        name, args = args[0], ["--help"]
    if name in ("-h", "--help", "help"):
        print(usage())
        return 0
    if name not in COMMANDS:
        near = nearest(name, list(COMMANDS))
        hint = f"did you mean 'jobio {near}'?" if near else "see jobio --help"
        raise Failure(f"'{name}': no such command; {hint}", USAGE)
    command = import_module("report." + COMMANDS[name][0])
    try:
        return int(command.main(args))
    except SystemExit:  # argparse, after --help
        return 0
    except Failure as failure:
        raise Failure(f"{name}: {failure}", failure.status) from None


def main(args: list[str]) -> int:
    """Run a command, print its failure, and flush its output.

    An incomplete output, for example on a full disk, is a failure; a closed pipe is not. The
    launcher ends with os._exit().
    """
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
