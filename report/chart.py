# SPDX-License-Identifier: GPL-2.0-or-later
"""Geometry of a page's pictures: axes, ticks, and the paths of SVG.

A bar is drawn in a box of its own units that fills the available width; labels keep their size
and have a position in percent of that width. Many bars are one path: a page has few elements.
"""
from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, log2

from report import units
from report.record import Timeline

LANE = 84  # pixels of the plot above, or below, the axis
HEAD, FOOT = 12, 22  # pixels above the highest bar; of the labels of the axis
TICKS = 5
LEVELS = 7
ACROSS = 64  # nodes in a row of a heat bar
STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200,
           86400, 172800, 604800, 1209600, 2592000, 7776000, 31536000)


@dataclass
class Chart:
    height: int  # pixels, in total
    plot: int  # of the bars, below HEAD
    box: str  # viewBox of the bars
    paths: list[tuple[str, str]]  # class, d
    rows: list[tuple[float, str]] = field(default_factory=list)  # y in pixels, label
    ticks: list[tuple[str, str, str]] = field(default_factory=list)  # x in percent, anchor, label
    first: str = ""  # text at the start and the end of the axis
    last: str = ""


def digits(value: float) -> str:
    """Format a coordinate with few digits."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def rect(x: float, y: float, wide: float, high: float) -> str:
    wide_, high_ = digits(wide), digits(high)
    return f"M{digits(x)} {digits(y)}h{wide_}v{high_}h-{wide_}z"


def nice(most: float) -> float:
    """Return the smallest of 1, 2, 5, 10, 20, .. that is not below the value."""
    scale = 1.0
    while scale * 5 < most:
        scale *= 10
    return next(n * scale for n in (1, 2, 5) if n * scale >= most)


def anchor(percent: float) -> str:
    """Return the text-anchor of a label at this part of the width."""
    if percent < 6:
        return "start"
    return "end" if percent > 94 else "middle"


# ---- time ------------------------------------------------------------------------------


def time_ticks(first: float, last: float) -> list[tuple[str, str, str]]:
    """Return ticks at round local times, with a date if the day changes."""
    span = last - first
    step = next((s for s in STEPS_S if span / s <= TICKS), STEPS_S[-1])
    try:
        shift = time.localtime(first).tm_gmtoff
    except (OverflowError, ValueError, OSError):
        return []
    at = (first + shift) // step * step - shift
    ticks: list[tuple[str, str, str]] = []
    form = "%m-%d" if step >= 86400 else "%H:%M"
    if step < 60:
        form = "%H:%M:%S"
    while at <= last:
        percent = (at - first) / span * 100
        if at >= first:
            ticks.append((digits(percent), anchor(percent), units.clock(at, form)))
        at += step
    return ticks


def heights(values: Sequence[float], top: float) -> list[float]:
    """Scale the values to 0..100; a value above 0 has a visible height."""
    return [max(1.5, value * 100 / top) if value > 0 else 0 for value in values]


def bars(up: Sequence[float], down: Sequence[float], kinds: tuple[str, str],
         gap: float = 0.1) -> list[tuple[str, str]]:
    """Return paths of bars above and below the axis, which is at 100."""
    above = "".join(rect(i + gap / 2, 100 - h, 1 - gap, h) for i, h in enumerate(up) if h)
    below = "".join(rect(i + gap / 2, 100, 1 - gap, h) for i, h in enumerate(down) if h)
    return [(kind, d) for kind, d in zip(kinds, (above, below)) if d]


def lanes(paths: list[tuple[str, str]], left: float, wide: float, has_down: bool,
          labels: tuple[str, str], lane: int = LANE) -> Chart:
    """Return a chart of one lane, or two with the same scale; the top and the middle have
    labels."""
    plot = lane * 2 if has_down else lane
    rows = [(HEAD, labels[0]), (HEAD + lane / 2, labels[1]), (HEAD + lane, "0")]
    if has_down:
        rows += [(HEAD + lane * 1.5, labels[1]), (HEAD + lane * 2, labels[0])]
    box = f"{digits(left)} 0 {digits(wide)} {200 if has_down else 100}"
    return Chart(HEAD + plot + FOOT, plot, box, paths, rows)


def cover(line: Timeline, first: float | None, last: float | None) -> tuple[float, float]:
    """Return the start and the end to draw: those of the job, else of the counters."""
    if first and last and last > first:
        return first, last
    return line.start, line.start + line.count * line.width_s


def over_time(line: Timeline, first: float | None, last: float | None, values: list[list[float]],
              kinds: tuple[str, str], labels: tuple[str, str], top: float, lane: int = LANE,
              ) -> Chart:
    """Return a chart with values above and below the axis."""
    start, width = line.start, line.width_s
    since, until = cover(line, first, last)
    up, down = values
    chart = lanes(bars(heights(up, top), heights(down, top), kinds), (since - start) / width,
                  (until - since) / width, any(down), labels, lane)
    chart.ticks = time_ticks(since, until)
    chart.first, chart.last = units.clock(since), units.clock(until)
    return chart


def times(line: Timeline, first: float | None, last: float | None) -> Chart:
    """Return a chart of bytes a second, read above the axis and written below."""
    rates = [[value / line.width_s for value in line.lane(key)]
             for key in ("read_bytes", "write_bytes")]
    top = 2.0 ** ceil(log2(max([*rates[0], *rates[1], 2])))
    return over_time(line, first, last, rates, ("read", "write"),
                     (units.size(top) + "/s", units.size(top / 2) + "/s"), top)


def waits(line: Timeline, first: float | None, last: float | None) -> Chart | None:
    """Return a chart of the mean number of waiting processes in each slot."""
    waiting = [value / 1e6 / line.width_s for value in line.lane("io_us")]
    if not any(waiting):
        return None
    top = nice(max(waiting) * 1000) / 1000
    return over_time(line, first, last, [waiting, []], ("wait", ""), (f"{top:g}", f"{top / 2:g}"),
                     top, LANE * 2 // 3)


# ---- sizes and latencies ------------------------------------------------------------------


def bin_text(number: int, is_time: bool) -> str:
    """Return the lower bound of a bin of a histogram as text."""
    value = 1 << min(number, 62)
    return units.span(value) if is_time else units.size(value)


def tail(counts: Sequence[int], share: float) -> int | None:
    """Return the last bin of the smallest calls, up to this share of all."""
    left = sum(counts) * share
    for number, count in enumerate(counts):
        left -= count
        if left <= 0 and count:
            return number
    return None


def histogram(up: Sequence[int], down: Sequence[int], is_time: bool) -> Chart | None:
    """Return a chart of the share of the reads, and of the writes, in each bin, a power of two."""
    used = [i for counts in (up, down) for i, count in enumerate(counts) if count > 0]
    if not used:
        return None
    first, last = min(used), max(used)
    more = max(0, 7 - (last - first))  # keep few bins narrow
    first = max(0, first - (more + 1) // 2)
    last = max(last, first + 7)
    wide = last - first + 1
    shares = []
    for counts in (up, down):
        whole = sum(counts) or 1
        shares.append([counts[i] * 100 / whole if i < len(counts) else 0
                       for i in range(first, last + 1)])
    top = next(n for n in (10, 20, 50, 100) if n >= min(100, max([*shares[0], *shares[1]])))
    paths = bars(heights(shares[0], top), heights(shares[1], top), ("read", "write"))
    chart = lanes(paths, 0, wide, any(shares[1]), (f"{top} %", f"{top // 2} %"), LANE * 3 // 4)
    step = next(n for n in (1, 2, 3, 5, 10, 20) if wide / n <= TICKS)
    for number in range(first + 1, last + 1, step):
        percent = (number - first) / wide * 100
        chart.ticks.append((digits(percent), anchor(percent), bin_text(number, is_time)))
    chart.first, chart.last = bin_text(min(used), is_time), bin_text(max(used) + 1, is_time)
    return chart


# ---- bars of a table, heat bars, CPUs ------------------------------------------------------


def stack(parts: Sequence[tuple[str, float]]) -> list[tuple[str, str]]:
    """Return the parts of a stacked bar with the sum 1, in a box of 1000 by 1."""
    at, paths = 0.0, []
    for kind, share in parts:
        wide = min(max(share, 0) * 1000, 1000 - at)
        if wide > 0:
            paths.append((kind, rect(at, 0, max(wide, 2), 1)))
        at += wide
    return paths


def heat(values: Sequence[float]) -> Chart:
    """Return a heat bar: a stroke for each value, darker for larger ones; one path for each
    level."""
    most = max(values, default=0) or 1
    rows = (len(values) + ACROSS - 1) // ACROSS or 1
    across = (len(values) + rows - 1) // rows or 1
    levels = [""] * (LEVELS + 1)
    for i, value in enumerate(values):
        level = 1 + int(value / most * (LEVELS - 0.01)) if value > 0 else 0
        levels[level] += f"M{i % across} {i // across}h.94"
    high = rows * (16 if rows < 8 else 11)
    if rows == 1:
        high = 28
    return Chart(high, high, f"0 -.5 {across} {rows}",
                 [(f"h{level}", d) for level, d in enumerate(levels) if d])


CELL, CELLS = 22, 16  # pixels of a CPU; CPUs in a row


def cpus(numbers: Sequence[int], classes: dict[int, str], job: set[int]) -> Chart:
    """Return a square for each CPU, with its class; those of the job are underlined."""
    squares: dict[str, str] = {}
    labels, line = [], ""
    for at, cpu in enumerate(numbers):
        x, y = at % CELLS * CELL, at // CELLS * CELL
        class_ = classes.get(cpu, "c0")
        squares[class_] = squares.get(class_, "") + f"M{x + 1} {y + 1}h20v20h-20z"
        if class_ != "c0":
            labels.append((y + 14.0, x + 11.0, str(cpu)))
        if cpu in job:
            line += f"M{x + 3} {y + 16}h16v3h-16z"
    rows = (len(numbers) + CELLS - 1) // CELLS
    chart = Chart(rows * CELL, rows * CELL, f"0 0 {CELLS * CELL} {rows * CELL}",
                  [*sorted(squares.items()), *([("cj", line)] if line else [])])
    chart.ticks = [(digits(x), digits(y), text) for y, x, text in labels]
    return chart
