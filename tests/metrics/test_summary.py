"""What `/metrics` tells, in a few numbers."""

from masthead.metrics.memory import WorkerCells
from masthead.metrics.requests import REQUESTS, RequestMetrics
from masthead.metrics.summary import read_text, summarize
from masthead.metrics.text import write_text


def test_requests_of_all_operations_are_added_up() -> None:
    cells = WorkerCells()
    metrics = RequestMetrics(cells.own, ["list_issues", "GET /desk/"])
    for _ in range(98):
        metrics.observe("list_issues", 200, 0.002)
    metrics.observe("GET /desk/", 500, 0.2)
    metrics.observe("GET /desk/", 503, 0.2)
    text = write_text([(REQUESTS, metrics.samples(cells.all()))])
    found = summarize(read_text(text))
    assert (found["requests"], found["requests_failed"]) == (100, 2)
    assert found["request_seconds_median"] == 0.0025
    assert found["request_seconds_99"] == 0.25
    assert found["write_seconds_99"] is None


def test_what_took_longer_than_all_buckets_has_no_bound() -> None:
    cells = WorkerCells()
    metrics = RequestMetrics(cells.own, [])
    metrics.observe("other", 200, 60.0)
    found = summarize(read_text(write_text([(REQUESTS, metrics.samples(cells.all()))])))
    assert found["request_seconds_median"] is None


def test_labels_may_contain_braces_and_quotes() -> None:
    text = '# HELP a b\n\na{operation="GET /desk/{x}/",status="2\\"0"} 1.5\nb 2\n'
    assert read_text(text) == [
        ("a", {"operation": "GET /desk/{x}/", "status": '2\\"0'}, 1.5),
        ("b", {}, 2.0),
    ]
