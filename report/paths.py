# SPDX-License-Identifier: GPL-2.0-or-later
"""Paths, set by the launcher (jobio.in) in the build tree and installed."""
from __future__ import annotations

import os

PACKAGE = "jobio"
LIBEXEC = ""  # jobio-ask and the other programs
COMPILED = ""  # templates as Python, in a folder for each version of jinja2
SYSCONF = "/etc"
PLUGINS = ""  # where jobio.so is installed: Slurm's PluginDir
SLURM_BIN = ""  # of --with-slurm=PREFIX, which is not in PATH with sudo, for example

# paths of Slurm's packages
SLURM_CONF = ("/etc/slurm/slurm.conf", "/run/slurm/conf/slurm.conf", "/etc/slurm-llnl/slurm.conf",
              "/usr/local/etc/slurm.conf")
REPORT = os.path.dirname(os.path.abspath(__file__))  # modules and templates


def helper(name: str) -> str:
    """Return the path of a program of ours in libexec."""
    return os.path.join(LIBEXEC, name)


def site(name: str) -> str:
    """Return the path of the site's replacement of a file."""
    return os.path.join(SYSCONF, "slurm", "jobio", name)


def add_packages() -> None:
    """Add the folders of jinja2 and matplotlib, which the launcher's -S leaves out: they take a
    fifth of a report to scan."""
    import site

    site.main()


def program(name: str) -> str | None:
    """Return the path of a command of Slurm from PATH, absolute folders only."""
    folders = os.environ.get("PATH") or "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    for folder in [*folders.split(":"), SLURM_BIN]:
        path = os.path.join(folder, name)
        if folder.startswith("/") and os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    return None
