"""Draw charts as SVG: CSS sets the colours, and a description serves screen readers.

No chart relies on colour alone, and every chart has a table beside it.
"""

from collections.abc import Sequence
from math import ceil, floor, log10

from markupsafe import Markup
from msgspec import Struct

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 64, 72, 18, 30
STEPS = 4  # the maximum number of grid lines


class Point(Struct, frozen=True):
    """A point of a line chart. label: on the x axis; text: the formatted value."""

    label: str
    value: int
    text: str


class Bar(Struct, frozen=True):
    """A bar: the certain value, and a possible additional value, which is hatched. text: both."""

    label: str
    value: int
    more: int
    text: str


def grid_step(maximum: int) -> int:
    """The distance of the grid lines: 1, 2 or 5 times a power of ten."""
    rough = max(maximum, STEPS) / STEPS
    power: int = 10 ** floor(log10(rough))
    return next(power * times for times in (1, 2, 5, 10) if power * times >= rough)


def line_chart(points: Sequence[Point], *, name: str, title: str, description: str) -> Markup:
    """A line over time, with the value of its last point.

    name: the id of the chart, unique on its page. title, description: for screen readers.
    """
    step = grid_step(max(point.value for point in points))
    top = step * max(1, ceil(max(point.value for point in points) / step))
    wide = (WIDTH - LEFT - RIGHT) / max(1, len(points) - 1)
    positions = [
        (LEFT + index * wide, _height(point.value, top)) for index, point in enumerate(points)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in positions)
    area = f"{LEFT},{HEIGHT - BOTTOM} {line} {positions[-1][0]:.1f},{HEIGHT - BOTTOM}"
    parts = [
        _grid(step, top),
        Markup('<polygon class="chart-area" points="{}"/>').format(area),
        Markup('<polyline class="chart-line" points="{}"/>').format(line),
    ]
    x, y = positions[-1]
    parts.append(Markup('<circle class="chart-dot" cx="{:.1f}" cy="{:.1f}" r="4"/>').format(x, y))
    parts.append(_text("chart-value", x + 8, y + 4, points[-1].text))
    for place in sorted({0, (len(points) - 1) // 2, len(points) - 1}):
        anchor = "end" if place and place == len(points) - 1 else "start" if not place else "middle"
        parts.append(
            _text("chart-label", positions[place][0], HEIGHT - 8, points[place].label, anchor)
        )
    return _svg(name, title, description, parts)


def bar_chart(bars: Sequence[Bar], *, name: str, title: str, description: str) -> Markup:
    """Vertical bars, each with its text above."""
    most = max(bar.value + bar.more for bar in bars)
    step = grid_step(most)
    top = step * max(1, ceil(most / step))
    wide = (WIDTH - LEFT) / len(bars)
    hatch = f"{name}-hatch"
    parts = [
        Markup(
            '<pattern id="{}" width="6" height="6" patternUnits="userSpaceOnUse"'
            ' patternTransform="rotate(45)"><rect class="chart-hatch" width="2" height="6"/>'
            "</pattern>"
        ).format(hatch),
        _grid(step, top, WIDTH),
    ]
    for place, bar in enumerate(bars):
        x, middle = LEFT + place * wide + wide * 0.2, LEFT + (place + 0.5) * wide
        sure, all_of_it = _height(bar.value, top), _height(bar.value + bar.more, top)
        parts.append(_rectangle("chart-bar", x, sure, wide * 0.6, HEIGHT - BOTTOM - sure))
        parts.append(
            Markup(
                '<rect class="chart-more" fill="url(#{})" x="{:.1f}" y="{:.1f}" width="{:.1f}"'
                ' height="{:.1f}"/>'
            ).format(hatch, x, all_of_it, wide * 0.6, sure - all_of_it)
        )
        parts.append(_text("chart-value", middle, all_of_it - 5, bar.text, "middle"))
        parts.append(_text("chart-label", middle, HEIGHT - 8, bar.label, "middle"))
    return _svg(name, title, description, parts)


def _height(value: int, top: int) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top


def _grid(step: int, top: int, right: int = WIDTH - RIGHT) -> Markup:
    """The horizontal grid lines with their values."""
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
    """A round number, abbreviated."""
    for size, suffix in ((1_000_000, "M"), (1_000, "k")):
        if value >= size:
            return f"{value / size:g}{suffix}"
    return str(value)


def _rectangle(kind: str, x: float, y: float, width: float, height: float) -> Markup:
    return Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
        kind, x, y, width, height
    )


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> Markup:
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(
        kind, x, y, anchor, text
    )


def _svg(name: str, title: str, description: str, parts: Sequence[Markup]) -> Markup:
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-labelledby="{name}-title"'
        ' aria-describedby="{name}-description"><title id="{name}-title">{}</title>'
        '<desc id="{name}-description">{}</desc>{}</svg>'
    ).format(WIDTH, HEIGHT, title, description, Markup("").join(parts), name=name)
