"""Draw charts as SVG: CSS sets the colours, and a description serves screen readers.

No chart relies on colour alone, and every chart has a table beside it.
"""

from collections.abc import Sequence
from math import ceil, floor, log10

from markupsafe import Markup
from msgspec import Struct

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 64, 72, 18, 30
STEPS = 4  # grid lines, at most


class Point(Struct, frozen=True):
    """A number of a chart. label: of its place below; text: the number as the reader writes it."""

    label: str
    value: int
    text: str


class Bar(Struct, frozen=True):
    """A bar: what is sure, and what may come on top, hatched. text: both in words."""

    label: str
    value: int
    more: int
    text: str


def step_of(most: int) -> int:
    """The distance of the lines behind the numbers: 1, 2 or 5 and noughts."""
    rough = max(most, STEPS) / STEPS
    power: int = 10 ** floor(log10(rough))
    return next(power * times for times in (1, 2, 5, 10) if power * times >= rough)


def line_chart(points: Sequence[Point], *, name: str, title: str, description: str) -> Markup:
    """A line over time; the first and the last number stand beside it.

    name: of the chart, unique on its page. title, description: what it shows, briefly and in words.
    """
    step = step_of(max(point.value for point in points))
    top = step * max(1, ceil(max(point.value for point in points) / step))
    wide = (WIDTH - LEFT - RIGHT) / max(1, len(points) - 1)
    places = [
        (LEFT + place * wide, _height(point.value, top)) for place, point in enumerate(points)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    area = f"{LEFT},{HEIGHT - BOTTOM} {line} {places[-1][0]:.1f},{HEIGHT - BOTTOM}"
    parts = [
        _lines(step, top),
        Markup('<polygon class="chart-area" points="{}"/>').format(area),
        Markup('<polyline class="chart-line" points="{}"/>').format(line),
    ]
    x, y = places[-1]
    parts.append(Markup('<circle class="chart-dot" cx="{:.1f}" cy="{:.1f}" r="4"/>').format(x, y))
    parts.append(_text("chart-value", x + 8, y + 4, points[-1].text))
    for place in sorted({0, (len(points) - 1) // 2, len(points) - 1}):
        anchor = "end" if place and place == len(points) - 1 else "start" if not place else "middle"
        parts.append(
            _text("chart-label", places[place][0], HEIGHT - 8, points[place].label, anchor)
        )
    return _drawn(name, title, description, parts)


def bar_chart(bars: Sequence[Bar], *, name: str, title: str, description: str) -> Markup:
    """Bars beside each other, each with its numbers above."""
    most = max(bar.value + bar.more for bar in bars)
    step = step_of(most)
    top = step * max(1, ceil(most / step))
    wide = (WIDTH - LEFT) / len(bars)
    hatch = f"{name}-hatch"
    parts = [
        Markup(
            '<pattern id="{}" width="6" height="6" patternUnits="userSpaceOnUse"'
            ' patternTransform="rotate(45)"><rect class="chart-hatch" width="2" height="6"/>'
            "</pattern>"
        ).format(hatch),
        _lines(step, top, WIDTH),
    ]
    for place, bar in enumerate(bars):
        x, middle = LEFT + place * wide + wide * 0.2, LEFT + (place + 0.5) * wide
        sure, all_of_it = _height(bar.value, top), _height(bar.value + bar.more, top)
        parts.append(_box("chart-bar", x, sure, wide * 0.6, HEIGHT - BOTTOM - sure))
        parts.append(
            Markup(
                '<rect class="chart-more" fill="url(#{})" x="{:.1f}" y="{:.1f}" width="{:.1f}"'
                ' height="{:.1f}"/>'
            ).format(hatch, x, all_of_it, wide * 0.6, sure - all_of_it)
        )
        parts.append(_text("chart-value", middle, all_of_it - 5, bar.text, "middle"))
        parts.append(_text("chart-label", middle, HEIGHT - 8, bar.label, "middle"))
    return _drawn(name, title, description, parts)


def _height(value: int, top: int) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top


def _lines(step: int, top: int, right: int = WIDTH - RIGHT) -> Markup:
    """The lines behind, with their numbers."""
    lines = []
    for value in range(0, top + 1, step):
        y = _height(value, top)
        lines.append(
            Markup('<line class="chart-grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(
                LEFT, right, y, y
            )
        )
        lines.append(_text("chart-label", LEFT - 6, y + 4, _short(value), "end"))
    return Markup("").join(lines)


def _short(value: int) -> str:
    """A round number in few letters."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return str(value)


def _box(kind: str, x: float, y: float, width: float, height: float) -> Markup:
    return Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
        kind, x, y, width, height
    )


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> Markup:
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(
        kind, x, y, anchor, text
    )


def _drawn(name: str, title: str, description: str, parts: Sequence[Markup]) -> Markup:
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-labelledby="{name}-title"'
        ' aria-describedby="{name}-description"><title id="{name}-title">{}</title>'
        '<desc id="{name}-description">{}</desc>{}</svg>'
    ).format(WIDTH, HEIGHT, title, description, Markup("").join(parts), name=name)
