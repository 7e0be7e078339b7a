"""`masthead revenue`: a statement of deferred revenue."""

import json
from pathlib import Path

from tests.cli.conftest import CommandLine

ROWS = """\
order_id,first_name,country,start_issue,length,order_date,price,sent_issues,sent_dates
OA1,Anna,SE,1,4,2026-01-15,42.00,1,2026-02-01
"""


def prepared(masthead: CommandLine, tmp_path: Path) -> str:
    """An account with an issue that was sent to one subscriber."""
    account = masthead.account()
    masthead(f"issue create --account {account} --number 1")
    file = tmp_path / "rows.csv"
    file.write_text(ROWS)
    masthead(f"import --account {account} --source {masthead.source(account)}", str(file))
    return account


def test_the_sums_of_each_currency_are_a_line(masthead: CommandLine, tmp_path: Path) -> None:
    account = prepared(masthead, tmp_path)
    out = masthead(f"revenue --account {account} --day 2026-06-30").out
    assert out == (
        "EUR: deferred 31.50, earned 10.50, kept after cancellation 0.00, refunded 0.00\n"
    )


def test_the_statement_is_one_json_object(masthead: CommandLine, tmp_path: Path) -> None:
    account = prepared(masthead, tmp_path)
    found = json.loads(masthead(f"revenue --account {account} --day 2026-06-30 --json").out)
    assert found["day"] == "2026-06-30"
    assert len(found["sha256"]) == len(found["orders_sha256"]) == 64
    (euros,) = found["currencies"]
    assert euros["total"] == {
        "orders": 1,
        "price": "42.00",
        "refunds": "0.00",
        "earned": "10.50",
        "deferred": "31.50",
        "kept": "0.00",
        "vat": "0.00",
    }
    assert euros["issues"] == [
        {
            "number": 1,
            "name": "Issue 1",
            "copies_sent": 1,
            "earned": "10.50",
            "copies_not_sent": 0,
            "deferred": "0.00",
        }
    ]
    assert euros["not_yet_announced"] == "31.50"


def test_a_day_before_all_orders_has_none(masthead: CommandLine, tmp_path: Path) -> None:
    account = prepared(masthead, tmp_path)
    out = masthead(f"revenue --account {account} --day 2025-12-31").out
    assert out == "There were no orders on that day.\n"


def test_a_day_in_the_future_is_refused(masthead: CommandLine, tmp_path: Path) -> None:
    account = prepared(masthead, tmp_path)
    refused = masthead(f"revenue --account {account} --day 2999-12-31", code=1)
    assert "is in the future" in refused.err
