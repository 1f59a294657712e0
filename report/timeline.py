# SPDX-License-Identifier: GPL-2.0-or-later
"""I/O over time, in rows of equal width (record/timeline.h)."""
from __future__ import annotations

from report.types import Json

ROWS = 64
LANES = ("read_bytes", "write_bytes", "calls", "io_us")


class Timeline:
    """Row i has the I/O from start + i * width on, for width seconds, a power of two; start is a
    multiple of width."""

    def __init__(self, start: int, width: int, count: int) -> None:
        self.start, self.width, self.count = start, width, count
        self.lanes: dict[str, list[int]] = {}

    def add(self, told: Json) -> None:
        """Add a line's timeline, as in JSON."""
        for lane in LANES:
            rows = self.lanes.setdefault(lane, [0] * self.count) if told.get(lane) else []
            for i, value in enumerate(told.get(lane) or []):
                rows[(told["start"] + i * told["width_s"] - self.start) // self.width] += value


def last_of(told: Json) -> int:
    """Return the last second of a timeline."""
    rows = max((len(told[lane]) for lane in LANES if told.get(lane)), default=0)
    return int(told["start"]) + rows * int(told["width_s"]) - 1


def counted(lines: list[Json]) -> list[Json]:
    """Return the lines of the job's own requests."""
    return [line for line in lines if line["kind"] == "app" and line["scope"] == "job"]


def missing(lines: list[Json]) -> list[str]:
    """Return the filesystems with bytes and without a timeline."""
    return [line.get("fs") or "all files" for line in counted(lines)
            if not line.get("timeline") and (line.get("read_bytes") or line.get("write_bytes"))]


def total(lines: list[Json], first: float | None, last: float | None,
          ) -> Timeline | None:
    """Return the sum of all filesystems except missing(), over the whole time of the job."""
    found = [line["timeline"] for line in counted(lines) if line.get("timeline")]
    if not found:
        return None
    begin = min([int(first or found[0]["start"]), *(told["start"] for told in found)])
    end = max([int(last or 0), *map(last_of, found)])
    width = max(told["width_s"] for told in found)
    while end // width - begin // width >= ROWS:
        width *= 2
    made = Timeline(begin // width * width, width, end // width - begin // width + 1)
    for told in found:
        made.add(told)
    return made
