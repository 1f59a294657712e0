# SPDX-License-Identifier: GPL-2.0-or-later
"""Write files into folders that other users may write to as well."""
from __future__ import annotations

import os
import stat
from contextlib import suppress


def replace(path: str, data: bytes, mode: int = 0o666) -> None:
    """Write data to a new file and rename it to path: readers get the old or the new content.

    An existing file is replaced, with its owner and mode. A symbolic link is followed only if root
    or the caller made it, a device or a pipe (and /dev/stdout) is written to as it is.

    Raises: OSError
    """
    with suppress(FileNotFoundError):
        mode_now = os.lstat(path).st_mode
        if stat.S_ISLNK(mode_now) and os.lstat(path).st_uid in (0, os.geteuid()):
            target = os.path.realpath(path)
            if path.startswith("/dev/") or target.startswith("/proc/"):
                mode_now = 0  # /dev/stdout, of any type
            else:
                path = target
        if not (stat.S_ISREG(mode_now) or stat.S_ISLNK(mode_now)):
            with open(path, "wb") as out:
                out.write(data)
            return
    new = f"{path}.{os.getpid()}.new"
    with suppress(FileNotFoundError):
        os.unlink(new)
    number = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(number, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        os.rename(new, path)
    except OSError:
        with suppress(OSError):
            os.unlink(new)
        raise


def is_trusted(path: str) -> bool:
    """Is path, and the folder that it is in, owned by root or by the owner of the folder above
    (/etc/slurm: root or SlurmUser), and not writable by everybody? False if it does not exist."""
    folder = os.path.dirname(path)
    try:
        owners = (0, os.stat(os.path.dirname(folder)).st_uid)
        return all(found.st_uid in owners and not found.st_mode & stat.S_IWOTH
                   for found in map(os.stat, (path, folder)))
    except OSError:
        return False
