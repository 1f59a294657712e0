# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that run in parallel with a timeout, even if they hang in the kernel."""
from __future__ import annotations

import codecs
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from threading import Timer

from report import paths
from report.command import Failure
from report.types import Any, Json

# Ctrl-C must reach jobio only
USUAL = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
         "start_new_session": True, "cwd": "/"}
PIECE = 1 << 18
WAITING_S = 1
OURS: Json = {"start_new_session": False, "cwd": None}  # in the caller's folder, with Ctrl-C


def find(name: str) -> str:
    """Return the path of a command of Slurm, or of the host."""
    path = name if "/" in name else paths.program(name)
    if not path:
        raise Failure(f"there is no {name} in PATH"
                      + (f", nor in {paths.SLURM_BIN}" if paths.SLURM_BIN else ""))
    return path


def start(words: Sequence[str], environment: dict[str, str] | None = None, **otherwise: Any,
          ) -> subprocess.Popen[bytes]:
    path = find(words[0])
    how: Any = {**USUAL, "env": environment, **otherwise}
    try:
        return subprocess.Popen([path, *words[1:]], **how)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None


def finish(process: subprocess.Popen[bytes], timeout_s: float) -> tuple[bool, str, str]:
    """Wait for the end of a program; one that hangs in the kernel is left running.

    Returns: True if it ended in time, its output, its errors.
    """
    is_late = False
    try:
        out, errors = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        is_late = True
        os.killpg(process.pid, signal.SIGKILL)
        try:
            out, errors = process.communicate(timeout=1)
        except subprocess.TimeoutExpired:
            out = errors = b""
    return not is_late, out.decode(errors="replace"), errors.decode(errors="replace")


def waiting(what: str) -> Timer:
    """Print a line after one second of waiting; the caller cancels the timer."""
    timer = Timer(WAITING_S, lambda: print(f"jobio: waiting for {what}", file=sys.stderr))
    timer.daemon = True
    timer.start()
    return timer


def pieces(process: subprocess.Popen[bytes], timeout_s: float) -> Iterator[tuple[bool, str]]:
    """Return the output of a program as it arrives: True for errors, and the text. returncode is
    None after a timeout."""
    assert process.stdout and process.stderr
    ends = time.monotonic() + timeout_s
    decoders = {stream: codecs.getincrementaldecoder("utf-8")("replace")
                for stream in (process.stdout, process.stderr)}
    while decoders:
        ready = select.select(list(decoders), [], [], max(0, ends - time.monotonic()))[0]
        if not ready:
            os.killpg(process.pid, signal.SIGKILL)
            return
        for stream in ready:
            data = os.read(stream.fileno(), PIECE)
            yield stream is process.stderr, decoders[stream].decode(data, not data)
            if not data:
                del decoders[stream]
    process.wait()
