"""Tests of the charts."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from babel import Locale

from masthead.web.kit.charts import (
    EM,
    GAP,
    HEIGHT,
    WIDTH,
    Bar,
    Point,
    bar_chart,
    grid_step,
    line_chart,
    text_width,
)
from tests.support.cases import for_each

ENGLISH, GERMAN = Locale("en", "GB"), Locale("de", "AT")


def drawn(markup: str) -> ElementTree.Element:
    """The chart, read as XML."""
    assert " style=" not in markup
    assert "<style" not in markup
    return ElementTree.fromstring(markup)  # noqa: S314 - our own


def line(*values: int) -> str:
    points = [Point(f"{place}", value, f"{value} in all") for place, value in enumerate(values)]
    return str(
        line_chart(
            points, name="x", title="Readers", description="From less to more.", locale=ENGLISH
        )
    )


@for_each(
    "most, step", [(0, 1), (1, 1), (4, 1), (5, 2), (19, 5), (21, 10), (999, 500), (64_670, 20_000)]
)
def test_grid_lines_are_few_and_at_round_values(most: int, step: int) -> None:
    assert grid_step(most) == step
    assert most / step <= 5


def test_a_chart_has_a_title_and_a_description() -> None:
    chart = drawn(line(3, 5))
    assert chart.get("role") == "img"
    texts = {each.get("id"): each.text for each in chart if each.get("id")}
    assert texts[chart.get("aria-labelledby")] == "Readers"
    assert texts[chart.get("aria-describedby")] == "From less to more."


def test_a_line_rises_with_its_values_and_shows_the_last_value() -> None:
    chart = drawn(line(0, 5, 10))
    points = chart.find("polyline").get("points")  # type: ignore[union-attr]
    heights = [float(each.split(",")[1]) for each in str(points).split()]
    assert heights == sorted(heights, reverse=True)
    texts = [each.text for each in chart.iter("text")]
    assert "10 in all" in texts
    assert {"0", "1", "2"} <= set(texts)


@pytest.mark.parametrize("values", [(0, 0), (7,), (1, 1, 1), (10**9, 0), tuple(range(25))])
def test_any_values_stay_inside_the_chart(values: tuple[int, ...]) -> None:
    for number in re.findall(r'\b(?:y|cy)="(-?[\d.]+)"', line(*values)):
        assert 0 <= float(number) <= HEIGHT


def test_numbers_are_in_the_locale_and_millions_are_abbreviated() -> None:
    assert ">20,000<" in line(60_000, 1)
    assert ">2M<" in line(6_000_000, 1)
    chart = line_chart(
        [Point("a", 60_000, "60.000")], name="x", title="", description="", locale=GERMAN
    )
    assert ">20.000<" in chart.replace("\xa0", ".")


def drawn_bars(*bars: Bar, locale: Locale = ENGLISH) -> ElementTree.Element:
    return drawn(
        str(bar_chart(bars, name="runs", title="Copies", description="Many", locale=locale))
    )


def test_possible_copies_are_hatched_and_described() -> None:
    chart = drawn_bars(Bar("1", "Salt", 5, 2, is_now=True), Bar("2", "", 3, 0))
    hatched = [each for each in chart.iter("rect") if each.get("fill")]
    assert {each.get("fill") for each in hatched} == {"url(#runs-hatch)"}
    assert [each.get("height") == "0.0" for each in hatched] == [False, True]
    assert {"1", "2", "Salt", "5", "+ 2", "3"} <= {each.text for each in chart.iter("text")}
    assert [each.get("class") for each in chart.iter("rect")].count("chart-bar chart-now") == 1


def boxes(chart: ElementTree.Element) -> list[tuple[float, float, float, float]]:
    """The left, right, upper and lower edges of each text."""
    found = []
    for each in chart.iter("text"):
        wide = text_width(each.text or "", bold=each.get("class") == "chart-value")
        x, y = float(each.get("x", "")), float(each.get("y", ""))
        left = x - {"start": 0, "middle": wide / 2, "end": wide}[each.get("text-anchor", "")]
        found.append((left, left + wide, y - EM * 0.8, y + EM * 0.2))
    return found


def touching(chart: ElementTree.Element) -> list[tuple[object, object]]:
    """The pairs of texts that overlap, and the texts that leave the chart."""
    all_of_them = boxes(chart)
    pairs: list[tuple[object, object]] = [
        (one, other)
        for place, one in enumerate(all_of_them)
        for other in all_of_them[place + 1 :]
        if one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
    ]
    outside = [
        (box, "outside")
        for box in all_of_them
        if box[0] < -1 or box[1] > WIDTH + 1 or box[2] < -1 or box[3] > HEIGHT + 1
    ]
    return pairs + outside


@for_each("locale", [ENGLISH, GERMAN])
@for_each("most", [1, 87, 718, 4_321, 98_765, 987_654, 12_345_678])
@for_each("count", [1, 2, 7])
def test_the_labels_of_bars_never_touch(locale: Locale, most: int, count: int) -> None:
    names = ["The readers' issue", "Ice", "", "\u6d77" * 20, "W" * 30, "x", "Sommer und Meer"]
    bars = [
        Bar(str(1000 + place), names[place], most // (place + 1), most // 2)
        for place in range(count)
    ]
    assert touching(drawn_bars(*bars, locale=locale)) == []


@for_each("text", ["1,121", "250,000", "12,345,678", "123.456.789.012"])
@for_each("label", ["Nov 2024", "Noviembre de 2024", "November of the year 2024"])
@for_each("values", [(5,), (5, 9), (1, 2, 3), (9, 5, 0), tuple(range(25))])
def test_the_labels_of_lines_never_touch(text: str, label: str, values: tuple[int, ...]) -> None:
    points = [Point(label, value, text) for value in values]
    chart = line_chart(points, name="x", title="", description="", locale=ENGLISH)
    assert touching(drawn(str(chart))) == []


def test_the_check_of_labels_finds_two_that_touch() -> None:
    chart = drawn_bars(Bar("1", "", 5, 0), Bar("2", "", 5, 0))
    texts = list(chart.iter("text"))
    texts[-1].set("x", str(float(texts[-3].get("x", "")) + GAP))
    texts[-1].text = "touches"
    texts[-1].set("y", texts[-3].get("y", ""))
    texts[-3].text = "touches"
    assert touching(chart)


def test_markup_in_texts_is_escaped() -> None:
    point = Point("<script>", 1, "&")
    markup = str(
        line_chart([point], name="x", title='"><script>', description="<b>", locale=ENGLISH)
    )
    assert "<script>" not in markup
    drawn(markup)
