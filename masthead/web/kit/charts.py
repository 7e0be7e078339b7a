"""Draw charts as SVG: CSS sets the colours, and a description serves screen readers.

No chart relies on colour alone, and every chart has a table beside it. Labels never touch: the
width of each text is estimated, and a text that does not fit is cut or abbreviated.
"""

from collections.abc import Callable, Sequence
from math import ceil, floor, log10
from unicodedata import east_asian_width

from babel import Locale
from babel.numbers import format_compact_decimal, format_decimal
from markupsafe import Markup
from msgspec import Struct

WIDTH, HEIGHT = 520, 240
WIDE = 1180  # of a chart over the whole page
LEFT, RIGHT, TOP, BOTTOM = 60, 72, 40, 44
STEPS = 4  # the maximum number of grid lines
LINE = 16  # the height of a line of text
GAP = 6  # the smallest distance of two labels
EM = 14  # the size of the texts, as in the style sheet
_AVERAGE, _BOLD = 0.58, 0.66  # widths of characters, in ems


class Point(Struct, frozen=True):
    """A point of a line chart. label: on the x axis; text: the formatted value."""

    label: str
    value: int
    text: str


class Bar(Struct, frozen=True):
    """A bar: the certain value, and a possible additional value, which is hatched.

    label, name: below the bar, one above the other. is_now: marks the bar of today.
    """

    label: str
    name: str
    value: int
    more: int
    is_now: bool = False


def grid_step(maximum: int) -> int:
    """The distance of the grid lines: 1, 2 or 5 times a power of ten."""
    rough = max(maximum, STEPS) / STEPS
    power: int = 10 ** floor(log10(rough))
    return next(power * times for times in (1, 2, 5, 10) if power * times >= rough)


def in_two_widths(draw: Callable[[str, int], Markup], name: str) -> Markup:
    """A chart over the whole page, and the same for phones; the style sheet shows one of them.

    draw: draws it with a name, unique on its page, and in a width.
    """
    return Markup('<div class="chart-wide">{}</div><div class="chart-phone">{}</div>').format(
        draw(name, WIDE), draw(f"{name}-phone", WIDTH)
    )


def line_chart(
    points: Sequence[Point],
    *,
    name: str,
    title: str,
    description: str,
    locale: Locale,
    width: int = WIDTH,
) -> Markup:
    """A line over time, with the value of its last point.

    name: the id of the chart, unique on its page. title, description: for screen readers.
    """
    step = grid_step(max(point.value for point in points))
    top = step * max(1, ceil(max(point.value for point in points) / step))
    wide = (width - LEFT - RIGHT) / max(1, len(points) - 1)
    positions = [
        (LEFT + index * wide, _height(point.value, top)) for index, point in enumerate(points)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in positions)
    area = f"{LEFT},{HEIGHT - BOTTOM} {line} {positions[-1][0]:.1f},{HEIGHT - BOTTOM}"
    parts = [
        _grid(step, top, locale, width - RIGHT),
        Markup('<polygon class="chart-area" points="{}"/>').format(area),
        Markup('<polyline class="chart-line" points="{}"/>').format(line),
    ]
    x, y = positions[-1]
    parts.append(Markup('<circle class="chart-dot" cx="{:.1f}" cy="{:.1f}" r="4"/>').format(x, y))
    last = points[-1].text
    if text_width(last, bold=True) <= RIGHT - 8:
        parts.append(_text("chart-value", x + 8, y + 5, last))
    else:
        parts.append(_text("chart-value", width, y - 10, last, "end"))
    parts += _time_labels(points, [x for x, _ in positions])
    return _svg(name, title, description, parts, width)


def _time_labels(points: Sequence[Point], positions: Sequence[float]) -> list[Markup]:
    """The labels of the first, the middle and the last point, as far as there is room for them."""
    last, middle = len(points) - 1, (len(points) - 1) // 2
    baseline = HEIGHT - BOTTOM + LINE + 2
    start, end = points[0].label, points[last].label
    labels = [_text("chart-label", positions[0], baseline, start)]
    if last == 0:
        return labels
    left = positions[0] + text_width(start) + GAP
    right = positions[last] - text_width(end) - GAP
    if left > right + GAP:
        return labels
    labels.append(_text("chart-label", positions[last], baseline, end, "end"))
    half = text_width(points[middle].label) / 2
    if 0 < middle < last and left <= positions[middle] - half and positions[middle] + half <= right:
        labels.append(
            _text("chart-label", positions[middle], baseline, points[middle].label, "middle")
        )
    return labels


def bar_chart(
    bars: Sequence[Bar],
    *,
    name: str,
    title: str,
    description: str,
    locale: Locale,
    width: int = WIDTH,
) -> Markup:
    """Vertical bars, each with its numbers above: the certain one, and the possible one."""
    most = max(bar.value + bar.more for bar in bars)
    step = grid_step(most)
    top = step * max(1, ceil(most / step))
    wide = (width - LEFT) / len(bars)
    room = wide - GAP
    hatch = f"{name}-hatch"
    parts = [
        Markup(
            '<pattern id="{}" width="6" height="6" patternUnits="userSpaceOnUse"'
            ' patternTransform="rotate(45)"><rect class="chart-hatch" width="2" height="6"/>'
            "</pattern>"
        ).format(hatch),
        _grid(step, top, locale, width),
    ]
    for place, bar in enumerate(bars):
        x, middle = LEFT + place * wide + wide * 0.2, LEFT + (place + 0.5) * wide
        sure, all_of_it = _height(bar.value, top), _height(bar.value + bar.more, top)
        kind = "chart-bar chart-now" if bar.is_now else "chart-bar"
        parts.append(_rectangle(kind, x, sure, wide * 0.6, HEIGHT - BOTTOM - sure))
        parts.append(
            Markup(
                '<rect class="chart-more" fill="url(#{})" x="{:.1f}" y="{:.1f}" width="{:.1f}"'
                ' height="{:.1f}"/>'
            ).format(hatch, x, all_of_it, wide * 0.6, sure - all_of_it)
        )
        value = short_number(bar.value, locale, room)
        if bar.more:
            more = f"+ {short_number(bar.more, locale, room - text_width('+ ', bold=True))}"
            parts.append(_text("chart-value", middle, all_of_it - 6 - LINE, value, "middle"))
            parts.append(_text("chart-value", middle, all_of_it - 6, more, "middle"))
        else:
            parts.append(_text("chart-value", middle, all_of_it - 6, value, "middle"))
        for row, label in enumerate((bar.label, bar.name), start=1):
            below = HEIGHT - BOTTOM + row * LINE + 2
            parts.append(_text("chart-label", middle, below, fit(label, room), "middle"))
    return _svg(name, title, description, parts, width)


def text_width(text: str, *, bold: bool = False) -> float:
    """About how wide a text is in a chart, rather more than less."""
    wide = sum(1 for character in text if east_asian_width(character) in "WF")
    return EM * (wide + (len(text) - wide) * (_BOLD if bold else _AVERAGE))


def fit(text: str, room: float) -> str:
    """As much of a text as fits into a width, with an ellipsis if it is cut."""
    if text_width(text) <= room:
        return text
    while text and text_width(f"{text}…") > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


def short_number(value: int, locale: Locale, room: float, *, bold: bool = True) -> str:
    """A number in a locale, abbreviated if it does not fit into a width, such as `12K`.

    Languages whose abbreviations are longer, such as `12 Tsd.`, get `12k` if there is no room.
    """
    texts = (format_decimal(value, locale=locale), format_compact_decimal(value, locale=locale))
    for text in texts:
        if text_width(text, bold=bold) <= room:
            return str(text)
    size, suffix = (1_000_000, "M") if value >= 1_000_000 else (1_000, "k")
    return f"{value // size}{suffix}"


def _height(value: int, top: int) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top


def _grid(step: int, top: int, locale: Locale, right: int) -> Markup:
    """The horizontal grid lines with their values."""
    lines = []
    for value in range(0, top + 1, step):
        y = _height(value, top)
        lines.append(
            Markup('<line class="chart-grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(
                LEFT, right, y, y
            )
        )
        label = short_number(value, locale, LEFT - 6, bold=False)
        lines.append(_text("chart-label", LEFT - 6, y + 5, label, "end"))
    return Markup("").join(lines)


def _rectangle(kind: str, x: float, y: float, width: float, height: float) -> Markup:
    return Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
        kind, x, y, width, height
    )


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> Markup:
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(
        kind, x, y, anchor, text
    )


def _svg(name: str, title: str, description: str, parts: Sequence[Markup], width: int) -> Markup:
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-labelledby="{name}-title"'
        ' aria-describedby="{name}-description"><title id="{name}-title">{}</title>'
        '<desc id="{name}-description">{}</desc>{}</svg>'
    ).format(width, HEIGHT, title, description, Markup("").join(parts), name=name)
