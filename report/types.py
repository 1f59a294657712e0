# SPDX-License-Identifier: GPL-2.0-or-later
"""Types for mypy only: loading typing takes as long as a report may take."""
from __future__ import annotations

from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any as Any
    from typing import Optional

    Json = dict[str, Any]  # an object
    Io = dict[str, Optional[float]]  # numbers of a job or a node
    Setting = tuple[int, Optional[str]]  # io-cores, profile
    Take = Callable[[str, str], Any]  # makes a value from an option's name and text
else:
    Any = Json = Io = Setting = Take = None
