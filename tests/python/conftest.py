# SPDX-License-Identifier: GPL-2.0-or-later
"""The jobio command in this process, with the programs of the build tree"""
import os
import shlex
import sys

TOP = os.environ["SRCDIR"]
sys.path.insert(0, TOP)

from report import paths  # noqa: E402

paths.LIBEXEC = os.environ["BUILDDIR"]


def rows(text):
    """Parse lines "arguments | expected text" into pairs"""
    return [(shlex.split(words), said) for words, _, said in
            (line.strip().partition("| ") for line in text.strip("\n").splitlines() if "|" in line)]
