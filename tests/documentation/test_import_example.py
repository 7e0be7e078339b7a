"""Run the import example in docs/operations.md and compare the result."""

import csv
import io
import re
from pathlib import Path

from tests.conftest import Cast
from tests.support.factories import copies_of, import_cells
from tests.support.walk import walk

PAGE = (Path(__file__).parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")


async def test_the_import_example_has_the_described_result(acme: Cast) -> None:
    [example] = re.findall(r"^```csv\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    rows = csv.DictReader(io.StringIO(example))
    summary, _rejects = await import_cells(acme, rows, create_issues=True)
    assert (summary.imported, summary.rejected) == (3, 0)

    found = await walk(acme, "/v1/subscriptions/")
    ada, grace = sorted(found, key=lambda subscription: str(subscription["first_name"]))
    assert ada["first_name"] == "Ada"
    assert [period["issue_list"] for period in ada["periods"]] == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert [copy["date_sent"] for copy in await copies_of(acme, ada["id"])] == [
        "2025-03-01",
        "2025-06-01",
    ]
    assert grace["first_name"] == "Grace"
    assert grace["status"] == "Past due"
