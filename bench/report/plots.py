"""Plots as SVG: bars of ratios, lines against size on logarithmic scales, lines over time."""

import math
from collections.abc import Mapping, Sequence
from html import escape

from msgspec import Struct

COLOURS = ("#1f6f8b", "#e07a5f", "#3d8361", "#8e6c8a", "#c9a227", "#5f6c7b", "#b23a48")
INK, GRID = "#24292f", "#d8dee4"
ROW, LABEL, WIDTH = 22, 250, 860


class Bar(Struct, frozen=True):
    """A bar, or several next to each other. values: by name."""

    label: str
    values: Mapping[str, float]


def _frame(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'font-family="system-ui, sans-serif" font-size="12" role="img">'
    )
    body = [
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        _text(16, 24, title, size=15, weight="600"),
        *parts,
    ]
    return "\n".join([head, *body, "</svg>", ""])


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", size: int = 12, weight: str = "400"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}" fill="{INK}">{escape(text)}</text>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, more: str = "") -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {more}/>'
    )


def _legend(names: Sequence[str], x: float, y: float) -> list[str]:
    parts = []
    for number, name in enumerate(names):
        parts.append(
            f'<rect x="{x:.1f}" y="{y - 9:.1f}" width="11" height="11" '
            f'fill="{COLOURS[number % len(COLOURS)]}"/>'
        )
        parts.append(_text(x + 16, y, name))
        x += 34 + 6.6 * len(name)
    return parts


def short(value: float) -> str:
    """A number with two or three significant digits."""
    if value >= 1e6:
        return f"{value / 1e6:.3g}M"
    if value >= 1e4:
        return f"{value / 1e3:.3g}k"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def bars(title: str, rows: Sequence[Bar], *, unit: str = "", target: float | None = None) -> str:
    """Horizontal bars from zero. target: a line that they should reach."""
    names = list(dict.fromkeys(name for row in rows for name in row.values))
    most = max([value for row in rows for value in row.values.values()] + [target or 0]) or 1
    span = WIDTH - LABEL - 90
    step = ROW * len(names) + 10
    parts, y = _legend(names, LABEL, 50), 66.0
    for row in rows:
        parts.append(_text(LABEL - 8, y + step / 2, row.label, anchor="end"))
        for number, name in enumerate(names):
            if name in row.values:
                value, top = row.values[name], y + number * ROW + 2
                parts.append(
                    f'<rect x="{LABEL}" y="{top:.1f}" width="{max(value / most * span, 1):.1f}" '
                    f'height="{ROW - 5}" fill="{COLOURS[number % len(COLOURS)]}"/>'
                )
                where = LABEL + value / most * span + 6
                parts.append(_text(where, top + 13, f"{short(value)}{unit}"))
        y += step
    if target:
        x = LABEL + target / most * span
        parts.append(_line(x, 60, x, y, INK, 'stroke-dasharray="4 3"'))
        parts.append(_text(x, y + 14, f"target {short(target)}{unit}", anchor="middle"))
    return _frame(WIDTH, y + 26, title, parts)


def lines(
    title: str, series: Mapping[str, Mapping[int, float]], *, x_name: str, y_name: str
) -> str:
    """Lines over sizes, both axes logarithmic. series: value by size, by name."""
    left, top, wide, high = 70.0, 66.0, 480.0, 320.0
    xs = sorted({size for points in series.values() for size in points})
    values = [value for points in series.values() for value in points.values() if value > 0]
    if not xs or not values:
        return _frame(WIDTH, 80, title, [_text(16, 56, "not measured")])
    low, up = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    up += up == low
    first, last = math.log10(xs[0]), math.log10(xs[-1])

    def at_x(size: float) -> float:
        return left + (math.log10(size) - first) / ((last - first) or 1) * wide

    def at_y(value: float) -> float:
        return top + high - (math.log10(max(value, 10**low)) - low) / (up - low) * high

    parts = []
    for power in range(low, up + 1):
        y = at_y(10.0**power)
        parts.append(_line(left, y, left + wide, y, GRID))
        parts.append(_text(left - 8, y + 4, short(10.0**power), anchor="end"))
    for size in xs:
        parts.append(_line(at_x(size), top, at_x(size), top + high, GRID))
        parts.append(_text(at_x(size), top + high + 18, short(size), anchor="middle"))
    for number, (name, points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        dashes = "" if number < len(COLOURS) else 'stroke-dasharray="5 3"'
        path = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in sorted(points.items()))
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" {dashes}/>'
        )
        parts += [
            f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="3" fill="{colour}"/>'
            for x, y in points.items()
        ]
        y = top + 8 + number * 18
        parts.append(
            _line(left + wide + 16, y, left + wide + 36, y, colour, f'stroke-width="2" {dashes}')
        )
        parts.append(_text(left + wide + 42, y + 4, name))
    parts.append(_text(left + wide / 2, top + high + 38, x_name, anchor="middle"))
    parts.append(_text(16, top - 14, y_name))
    height = max(top + high + 52, top + 18 * len(series) + 20)
    return _frame(WIDTH, height, title, parts)


def history(
    title: str, series: Mapping[str, Mapping[int, float]], *, x_name: str, y_name: str
) -> str:
    """Lines over time, from zero. series: value by number of the month, by name."""
    left, top, wide, high = 70.0, 66.0, 480.0, 220.0
    xs = sorted({x for points in series.values() for x in points}) or [0]
    most = max([value for points in series.values() for value in points.values()] or [0]) or 1
    step = 10.0 ** math.floor(math.log10(most))
    step = next(each for each in (step / 5, step / 2, step, 2 * step) if most / each <= 6)
    up = math.ceil(most / step) * step

    def at_x(x: float) -> float:
        return left + (x - xs[0]) / ((xs[-1] - xs[0]) or 1) * wide

    def at_y(value: float) -> float:
        return top + high - value / up * high

    parts = []
    for number in range(round(up / step) + 1):
        y = at_y(number * step)
        parts.append(_line(left, y, left + wide, y, GRID))
        parts.append(_text(left - 8, y + 4, short(number * step), anchor="end"))
    parts += [_text(at_x(x), top + high + 18, str(x), anchor="middle") for x in xs]
    for number, (name, points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in sorted(points.items()))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        y = top + 8 + number * 18
        parts.append(_line(left + wide + 16, y, left + wide + 36, y, colour, 'stroke-width="2"'))
        parts.append(_text(left + wide + 42, y + 4, name))
    parts.append(_text(left + wide / 2, top + high + 38, x_name, anchor="middle"))
    parts.append(_text(16, top - 14, y_name))
    return _frame(WIDTH, top + high + 52, title, parts)
