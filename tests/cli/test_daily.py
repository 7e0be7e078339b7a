"""`masthead daily`: the daily pass of all accounts, for today or for a day."""

from datetime import UTC, datetime

import pytest

from tests.cli.conftest import CommandLine

ACCOUNT = "account create --name A --currency EUR --owner a@b.test --subdomain"


def dates(masthead: CommandLine) -> dict[str, str]:
    """The date of each account's last daily pass."""
    accounts = masthead("account list --json").json["items"]
    return {account["subdomain"]: account["daily_date"] for account in accounts}


def test_it_brings_every_account_to_the_day(alone: CommandLine) -> None:
    alone(f"{ACCOUNT} acme")
    alone(f"{ACCOUNT} rival")
    ended = alone("daily --date 2100-01-01")
    assert ended.out == ""
    assert ended.err.splitlines() == [
        "acme: brought to 2100-01-01",
        "rival: brought to 2100-01-01",
    ]
    assert dates(alone) == {"acme": "2100-01-01", "rival": "2100-01-01"}


def test_without_a_day_it_is_today_in_utc(alone: CommandLine) -> None:
    alone(f"{ACCOUNT} acme")
    days = {datetime.now(UTC).date().isoformat()}
    ended = alone("daily")
    days.add(datetime.now(UTC).date().isoformat())
    assert ended.said.removeprefix("acme: brought to ") in days


def test_it_never_goes_back_and_says_so(alone: CommandLine) -> None:
    alone(f"{ACCOUNT} acme")
    alone("daily --date 2100-01-01")
    assert alone("daily --date 2099-12-31").said == "acme: at 2100-01-01 already, which is later"
    assert alone("daily --date 2100-01-01").said == "acme: brought to 2100-01-01"
    assert dates(alone) == {"acme": "2100-01-01"}


@pytest.mark.parametrize("day", ["soon", "2026-1-1", "20260101", "2026-02-30", "2026-01-01T00:00"])
def test_what_is_no_day_is_refused_and_nothing_is_done(alone: CommandLine, day: str) -> None:
    alone(f"{ACCOUNT} acme")
    before = dates(alone)
    ended = alone(f"daily --date {day}", code=1)
    assert f"`{day}`" in ended.said
    assert "YYYY-MM-DD" in ended.said
    assert dates(alone) == before
