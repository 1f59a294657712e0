# SPDX-License-Identifier: GPL-2.0-or-later
"""Types for mypy only: typing takes as long to load as a report may take."""
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any as Any
    from typing import NoReturn as NoReturn
    from typing import Optional

    from report.reporter import Options as Options

    Json = dict[str, Any]  # an object
    Numbers = dict[str, Optional[float]]  # of a job or a node; None: unknown
    Setting = tuple[int, Optional[str]]  # io-cores, profile
else:
    Any = NoReturn = Options = Json = Numbers = Setting = None
