"""Tests of the charts."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from masthead.web.kit.charts import Bar, Point, bar_chart, grid_step, line_chart

NAMESPACE = "{http://www.w3.org/2000/svg}"


def drawn(markup: str) -> ElementTree.Element:
    """The chart, read as XML."""
    assert " style=" not in markup
    assert "<style" not in markup
    return ElementTree.fromstring(markup)  # noqa: S314 - our own


def line(*values: int) -> str:
    points = [Point(f"{place}", value, f"{value} in all") for place, value in enumerate(values)]
    return str(line_chart(points, name="x", title="Readers", description="From less to more."))


@pytest.mark.parametrize(
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
        assert 0 <= float(number) <= 220


def test_thousands_and_millions_are_abbreviated() -> None:
    assert ">20k<" in line(60_000, 1)
    assert ">2M<" in line(6_000_000, 1)


def test_possible_copies_are_hatched_and_described() -> None:
    bars = [Bar("Issue 1", 5, 2, "5 + 2"), Bar("Issue 2", 3, 0, "3")]
    chart = drawn(str(bar_chart(bars, name="runs", title="Copies", description="5 and 3")))
    hatched = [each for each in chart.iter("rect") if each.get("fill")]
    assert {each.get("fill") for each in hatched} == {"url(#runs-hatch)"}
    assert [each.get("height") == "0.0" for each in hatched] == [False, True]
    assert {"Issue 1", "Issue 2", "5 + 2", "3"} <= {each.text for each in chart.iter("text")}


def test_markup_in_texts_is_escaped() -> None:
    point = Point("<script>", 1, "&")
    markup = str(line_chart([point], name="x", title='"><script>', description="<b>"))
    assert "<script>" not in markup
    drawn(markup)
