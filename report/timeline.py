# SPDX-License-Identifier: GPL-2.0-or-later
"""When something was read and written, in rows of equal width (lib/timeline.h)."""
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ROWS = 64
LANES = ("read_bytes", "write_bytes", "calls", "io_us")


class Timeline:
    """Row i: what was moved from start + i * width on, for 'width' seconds, a power of two of
    which 'start' is a multiple."""

    def __init__(self, start: int, width: int, lanes: dict[str, list[int]]) -> None:
        self.start, self.width, self.lanes = start, width, lanes

    @property
    def count(self) -> int:
        return max(map(len, self.lanes.values()), default=0)

    def cover(self, first: int, last: int, width: int = 1) -> Timeline:
        """The seconds first to last, both included; wider rows where it would be more than 64."""
        width = max(width, self.width)
        first = min(first, self.start)
        last = max(last, self.start + self.count * self.width - 1)
        while last // width - first // width >= ROWS:
            width *= 2
        start = first // width * width
        rows = last // width - first // width + 1
        lanes = {}
        for name, values in self.lanes.items():
            wide = lanes[name] = [0] * rows
            for i, value in enumerate(values):
                wide[(self.start + i * self.width - start) // width] += value
        return Timeline(start, width, lanes)


def of(told: dict[str, Any]) -> Timeline:
    """As JSON has it, of a line or of "timelines"."""
    return Timeline(told["start"], told["width_s"],
                    {lane: told[lane] for lane in LANES if told.get(lane)})


def counted(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the job asked for."""
    return [line for line in lines if line["kind"] == "app" and line["scope"] == "job"]


def missing(lines: list[dict[str, Any]]) -> list[str]:
    """Filesystems with bytes and without a timeline."""
    return [line.get("fs") or "all files" for line in counted(lines)
            if not line.get("timeline") and (line.get("read_bytes") or line.get("write_bytes"))]


def total(lines: list[dict[str, Any]], first: float | None, last: float | None,
          ) -> Timeline | None:
    """All filesystems of the job together, but missing(), over its whole time."""
    found = [of(line["timeline"]) for line in counted(lines) if line.get("timeline")]
    if not found:
        return None
    begin = min([int(first or found[0].start), *(line.start for line in found)])
    end = max([int(last or 0), *(line.start + line.count * line.width - 1 for line in found)])
    width = max(line.width for line in found)
    while end // width - begin // width >= ROWS:
        width *= 2
    lanes: dict[str, list[int]] = {}
    for line in found:
        covered = line.cover(begin, end, width)
        for name, values in covered.lanes.items():
            lanes[name] = [a + b for a, b in zip(lanes.get(name, [0] * len(values)), values)]
    return Timeline(begin // width * width, width, lanes)
