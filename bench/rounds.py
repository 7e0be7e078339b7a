"""Rounds of measurements in turn: the median and spread of each, and of the ratios."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct


class Spread(Struct, frozen=True):
    """The median, lowest and highest value of the rounds."""

    median: float
    least: float
    most: float


def spread(values: Sequence[float]) -> Spread:
    """The spread of some rounds."""
    return Spread(statistics.median(values), min(values), max(values))


def spreads(rounds: Sequence[Mapping[str, float]]) -> dict[str, Spread]:
    """The spread of each figure over the rounds that have it."""
    names = dict.fromkeys(name for each in rounds for name in each)
    return {name: spread([each[name] for each in rounds if name in each]) for name in names}


def ratio(own: Sequence[float], other: Sequence[float]) -> Spread:
    """The ratio of our values to the others, by round: a slow round slows both."""
    return spread([mine / its if its else 0.0 for mine, its in zip(own, other, strict=True)])


def alternate(
    count: int, contenders: Mapping[str, Callable[[], Mapping[str, float]]]
) -> dict[str, list[Mapping[str, float]]]:
    """The values of each server in each round; every second round has the reverse order."""
    found: dict[str, list[Mapping[str, float]]] = {name: [] for name in contenders}
    for number in range(count):
        names = list(contenders)
        for name in names if number % 2 == 0 else reversed(names):
            found[name].append(contenders[name]())
    return found


def quantile(values: Sequence[float], part: float) -> float:
    """The value that `part` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)]


Figures = dict[str, Any]
