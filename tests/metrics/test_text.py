"""The text format of Prometheus."""

from masthead.metrics.text import Metric, sample, write_text


def test_labels_are_escaped() -> None:
    assert sample("up") == "up"
    assert sample("up", a='x"y\\z\n', b="2") == 'up{a="x\\"y\\\\z\\n",b="2"}'


def test_a_metric_has_its_help_its_type_and_a_line_for_each_sample() -> None:
    waits = Metric("waits_total", "counter", "How often.")
    empty = Metric("nothing", "gauge", "Nothing.")
    text = write_text([(waits, {"waits_total": 12_345_678_901.0, "other": 0.25}), (empty, {})])
    assert text == (
        "# HELP waits_total How often.\n"
        "# TYPE waits_total counter\n"
        "waits_total 12345678901\n"
        "other 0.25\n"
    )
