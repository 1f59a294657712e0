# SPDX-License-Identifier: GPL-2.0-or-later
"""Where things are: the launcher (jobio.in) sets these, in the build tree and installed."""
from __future__ import annotations

import os

PACKAGE = "jobio"
LIBEXEC = ""  # jobio-ask and the other programs
COMPILED = ""  # templates as Python, in a folder for each version of jinja2
SYSCONF = "/etc"
PLUGINS = ""  # where jobio.so is installed: Slurm's PluginDir
SLURM_BIN = ""  # of --with-slurm=PREFIX, which sudo, for one, does not have in PATH

# where Slurm's packages look for it
SLURM_CONF = ("/etc/slurm/slurm.conf", "/run/slurm/conf/slurm.conf", "/etc/slurm-llnl/slurm.conf",
              "/usr/local/etc/slurm.conf")
REPORT = os.path.dirname(os.path.abspath(__file__))  # modules and templates


def helper(name: str) -> str:
    """A program of ours in libexec."""
    return os.path.join(LIBEXEC, name)


def site(name: str) -> str:
    """A file that a site may have in place of ours: a template."""
    return os.path.join(SYSCONF, "slurm", "jobio", name)


def add_packages() -> None:
    """jinja2 and matplotlib are not of the standard library: the launcher's -S leaves out what
    takes as long as a fifth of a report, and is for them."""
    import site

    site.main()


def program(name: str) -> str | None:
    """A command of Slurm's, as the caller's shell would find it: in absolute folders only."""
    folders = os.environ.get("PATH") or "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    for folder in [*folders.split(":"), SLURM_BIN]:
        path = os.path.join(folder, name)
        if folder.startswith("/") and os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    return None
