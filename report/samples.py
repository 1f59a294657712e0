# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistics of repeated measurements: mean, spread, and significance of a difference."""
from __future__ import annotations

from collections.abc import Callable
from math import fsum, sqrt

# Student's t for 95 %, both sides, by degrees of freedom from 1 on
CRITICAL = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
            2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
            2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)


def mean(values: list[float]) -> float:
    return fsum(values) / len(values)


def variance(values: list[float]) -> float:
    middle = mean(values)
    return fsum((v - middle) ** 2 for v in values) / (len(values) - 1)


def spread(values: list[float]) -> float | None:
    """Return the standard deviation; None for one value."""
    return sqrt(variance(values)) if len(values) > 1 else None


def critical(freedom: float) -> float:
    if freedom > len(CRITICAL):
        return 1.96 + 2.5 / freedom
    return CRITICAL[max(int(freedom), 1) - 1]


def differ(one: list[float], other: list[float]) -> bool | None:
    """Return True if the means differ beyond chance (Welch's t-test, 95 %); None: fewer than two of
    each."""
    if len(one) < 2 or len(other) < 2:
        return None
    parts = [variance(values) / len(values) for values in (one, other)]
    both = sum(parts)
    if both <= 0:
        return mean(one) != mean(other)
    freedom = both * both / (parts[0] ** 2 / (len(one) - 1) + parts[1] ** 2 / (len(other) - 1))
    return abs(mean(one) - mean(other)) / sqrt(both) > critical(freedom)


def plain(value: float) -> float:
    """Return 100 instead of 100.0, for JSON."""
    return int(value) if value == int(value) else value


def to_json(values: list[float], shown: Callable[[float], float] = plain,
            ) -> dict[str, float | None] | None:
    """Return mean, spread and count; None without values."""
    if not values:
        return None
    about = spread(values)
    return {"mean": shown(mean(values)), "spread": about if about is None else shown(about),
            "samples": len(values)}
