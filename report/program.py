# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that are run beside us and have a time limit, even where the kernel holds them."""
from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence


def start(words: Sequence[str], environment: dict[str, str] | None = None,
          ) -> subprocess.Popen[bytes]:
    """May raise OSError. Ctrl-C is for us."""
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=environment, start_new_session=True,
                            cwd="/")


def finish(process: subprocess.Popen[bytes], timeout_s: float) -> tuple[bool, str, str]:
    """Did it end in time? What it printed, and its errors. One that is stuck in the kernel is
    left behind."""
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
