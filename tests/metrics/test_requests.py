"""The histogram of requests: each worker counts in its own memory, and all are added up."""

from masthead.metrics import requests
from masthead.metrics.memory import WorkerCells
from masthead.metrics.requests import RequestMetrics

NAME = "masthead_request_duration_seconds"
OPERATIONS = ("list_issues", "create_issue")


def count_of(samples: dict[str, float], operation: str, status: str) -> float:
    return samples.get(f'{NAME}_count{{operation="{operation}",status="{status}"}}', 0.0)


def test_a_request_is_counted_by_operation_status_and_duration() -> None:
    cells = WorkerCells()
    metrics = RequestMetrics(cells.own, OPERATIONS)
    metrics.observe("list_issues", 200, 0.004)
    metrics.observe("list_issues", 200, 0.3)
    metrics.observe("list_issues", 404, 20.0)
    samples = dict(metrics.samples(cells.all()))
    labels = 'operation="list_issues",status="200"'
    assert samples[f'{NAME}_bucket{{{labels},le="0.0025"}}'] == 0
    assert samples[f'{NAME}_bucket{{{labels},le="0.005"}}'] == 1
    assert samples[f'{NAME}_bucket{{{labels},le="0.5"}}'] == 2
    assert samples[f"{NAME}_sum{{{labels}}}"] == 0.304
    assert samples[f'{NAME}_bucket{{operation="list_issues",status="404",le="10"}}'] == 0
    assert samples[f'{NAME}_bucket{{operation="list_issues",status="404",le="+Inf"}}'] == 1
    assert count_of(samples, "create_issue", "200") == 0


def test_unknown_operations_and_statuses_are_others() -> None:
    cells = WorkerCells()
    metrics = RequestMetrics(cells.own, OPERATIONS)
    metrics.observe("of a newer version", 200, 0.1)
    metrics.observe("create_issue", 218, 0.1)
    samples = dict(metrics.samples(cells.all()))
    assert count_of(samples, "other", "200") == 1
    assert count_of(samples, "create_issue", "other") == 1


def test_workers_are_added_up_whatever_came_first() -> None:
    cells = [WorkerCells(), WorkerCells()]
    first, second = (RequestMetrics(each.own, OPERATIONS) for each in cells)
    first.observe("list_issues", 200, 0.1)
    second.observe("create_issue", 201, 0.1)
    second.observe("list_issues", 200, 0.2)
    for metrics in (first, second):
        samples = dict(metrics.samples([each.own for each in cells]))
        assert count_of(samples, "list_issues", "200") == 2
        assert count_of(samples, "create_issue", "201") == 1


def test_a_worker_continues_the_series_of_the_one_that_it_replaces() -> None:
    cells = WorkerCells()
    RequestMetrics(cells.own, OPERATIONS).observe("create_issue", 201, 0.1)
    metrics = RequestMetrics(cells.own, OPERATIONS)
    metrics.observe("list_issues", 200, 0.1)
    metrics.observe("create_issue", 201, 0.1)
    samples = dict(metrics.samples(cells.all()))
    assert count_of(samples, "create_issue", "201") == 2
    assert count_of(samples, "list_issues", "200") == 1


def test_without_memory_for_another_series_requests_are_counted_as_others() -> None:
    operations = [f"GET /{number}/" for number in range(requests.MAX_SERIES + 5)]
    cells = WorkerCells()
    metrics = RequestMetrics(cells.own, operations)
    for operation in operations:
        metrics.observe(operation, 200, 0.1)
    samples = dict(metrics.samples(cells.all()))
    assert count_of(samples, operations[0], "200") == 1
    assert count_of(samples, "other", "other") == 5 + 1
    assert sum(value for name, value in samples.items() if "_count" in name) == len(operations)
