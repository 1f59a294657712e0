# SPDX-License-Identifier: GPL-2.0-or-later
"""Sums of timelines (record/timeline.h)."""
from __future__ import annotations

from report.record import LANES, Io, Timeline
from report.types import Json

ROWS = 64


def counted(lines: list[Io]) -> list[Io]:
    """Return the lines of the job's own requests."""
    return [line for line in lines if line.kind == "app" and line.scope == "job"]


def missing(lines: list[Io]) -> list[str]:
    """Return the filesystems with bytes and without a timeline."""
    return [line.fs or "all files" for line in counted(lines)
            if not line.timeline and (line.read_bytes or line.write_bytes)]


def total(lines: list[Io], first: float | None = None, last: float | None = None,
          ) -> Timeline | None:
    """Return the sum of the timelines, in at most ROWS rows.

    first, last: times that the sum includes, in seconds since 1970
    """
    found = [line.timeline for line in counted(lines) if line.timeline]
    if not found:
        return None
    begin = min([int(first or found[0].start), *(one.start for one in found)])
    end = max([int(last or 0), *(one.start + one.count * one.width_s - 1 for one in found)])
    width = max(one.width_s for one in found)
    while end // width - begin // width >= ROWS:
        width *= 2
    start = begin // width * width
    rows = end // width - begin // width + 1
    lanes: dict[str, list[int]] = {}
    for one in found:
        for name in LANES:
            if not one.lane(name):
                continue
            sums = lanes.setdefault(name, [0] * rows)
            for i, value in enumerate(one.lane(name)):
                sums[(one.start + i * one.width_s - start) // width] += value
    made: Json = {"start": start, "width_s": width, **lanes}
    return Timeline(made)
