"""`masthead daily`: the daily pass of all accounts, for today or a given date."""

from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine

from masthead.cli import daily
from masthead.model.actors import Actor
from masthead.model.errors import Busy
from masthead.services.background.daily import run_daily_pass
from masthead.store.accounts import get_account
from masthead.store.background import clock
from masthead.store.engine.interface import Database
from tests.cli.conftest import CommandLine

ACCOUNT = "account create --name A --currency EUR --owner a@b.test --subdomain"


def dates(masthead: CommandLine) -> dict[str, str]:
    """The date of each account's last daily pass."""
    accounts = masthead("account list --json").json["items"]
    return {account["subdomain"]: account["daily_date"] for account in accounts}


def test_daily_runs_the_daily_pass_of_every_account(alone: CommandLine) -> None:
    alone(f"{ACCOUNT} acme")
    alone(f"{ACCOUNT} rival")
    ended = alone("daily --date 2100-01-01")
    assert ended.out == ""
    assert ended.err.splitlines() == [
        "acme: updated to 2100-01-01",
        "rival: updated to 2100-01-01",
    ]
    assert dates(alone) == {"acme": "2100-01-01", "rival": "2100-01-01"}


def test_the_default_date_is_today_in_utc(alone: CommandLine) -> None:
    alone(f"{ACCOUNT} acme")
    days = {datetime.now(UTC).date().isoformat()}
    ended = alone("daily")
    days.add(datetime.now(UTC).date().isoformat())
    assert ended.said.removeprefix("acme: updated to ") in days


def test_daily_does_not_go_back_and_says_so(alone: CommandLine) -> None:
    alone(f"{ACCOUNT} acme")
    alone("daily --date 2100-01-01")
    said = alone("daily --date 2099-12-31").said
    assert said.startswith("acme: already at 2100-01-01, which is later")
    assert "--redo" in said
    assert alone("daily --date 2100-01-01").said == "acme: updated to 2100-01-01"
    assert dates(alone) == {"acme": "2100-01-01"}


def test_an_account_that_fails_keeps_no_other_from_its_pass(
    alone: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("acme", "rival"):
        alone(f"{ACCOUNT} {name}")
    before = dates(alone)

    async def fail_for_acme(db: Database, account_id: int, day: date, *, by: Actor) -> bool:
        if (await get_account(db, account_id)).subdomain == "acme":
            raise Busy
        return await run_daily_pass(db, account_id, day, by=by)

    monkeypatch.setattr(daily, "run_daily_pass", fail_for_acme)
    said = alone("daily --date 2100-01-01", code=1).err.splitlines()
    assert said[:2] == [
        "acme: not updated, because of an error",
        "rival: updated to 2100-01-01",
    ]
    assert "try again" in said[2]
    assert dates(alone) == {**before, "rival": "2100-01-01"}


@pytest.mark.parametrize("day", ["soon", "2026-1-1", "20260101", "2026-02-30", "2026-01-01T00:00"])
def test_an_invalid_date_is_refused_and_nothing_is_done(alone: CommandLine, day: str) -> None:
    alone(f"{ACCOUNT} acme")
    before = dates(alone)
    ended = alone(f"daily --date {day}", code=1)
    assert f"`{day}`" in ended.said
    assert "YYYY-MM-DD" in ended.said
    assert dates(alone) == before


@pytest.fixture
def by_this_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database server, if there is one, uses the clock of the test."""

    async def find_server_time(_: object) -> datetime | None:
        return None

    monkeypatch.setattr(clock, "find_server_time", find_server_time)


@pytest.mark.usefixtures("by_this_clock")
def test_a_clock_that_jumped_is_refused_until_it_is_confirmed(alone: CommandLine) -> None:
    alone(f"{ACCOUNT} acme")
    alone("daily")
    before = dates(alone)
    moment = datetime.now(UTC) + timedelta(days=400)
    with time_machine.travel(moment):
        refused = alone("daily", code=1).said
        assert "The clock says" in refused
        assert "masthead daily --confirm" in refused
        assert dates(alone) == before
        faults = alone("check", code=1).out
        assert faults.startswith("all accounts: violated: the clock is right: The clock says")
        confirmed = alone("daily --confirm").said
        assert confirmed.startswith(f"The clock is trusted: {moment:%Y-%m-%d %H:%M} UTC.")
        assert f"acme: updated to {moment:%Y-%m-%d}" in confirmed
        assert alone("check").out == ""


@pytest.mark.usefixtures("by_this_clock")
def test_an_explicit_date_does_not_need_the_clock(alone: CommandLine) -> None:
    alone(f"{ACCOUNT} acme")
    alone("daily")
    with time_machine.travel(datetime.now(UTC) + timedelta(days=400)):
        day = datetime.now(UTC).date()
        assert alone(f"daily --date {day}").said == f"acme: updated to {day}"


@pytest.mark.usefixtures("by_this_clock")
def test_changes_of_a_wrong_clock_are_reverted(alone: CommandLine) -> None:
    alone(f"{ACCOUNT} acme")
    alone("daily")
    today = dates(alone)["acme"]
    with time_machine.travel(datetime.now(UTC) + timedelta(days=400)):
        alone("daily --confirm")
        wrong = dates(alone)["acme"]
    faults = alone("check", code=1).out
    assert f"acme: violated: no daily pass is in the future: {wrong}" in faults
    assert "acme: violated: no audit entry is in the future" in faults
    assert "--confirm" in alone("daily --redo", code=1).said  # the heartbeat is wrong too
    said = alone("daily --redo --confirm").said
    assert f"acme: changed from {wrong} to {today}; 0 memberships reopened" in said
    assert dates(alone)["acme"] == today
    assert alone("check").out == ""


def test_after_a_long_shutdown_check_says_what_to_do_and_finds_no_fault(
    alone: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(f"{ACCOUNT} acme")
    monkeypatch.setattr(clock, "read_boot_id", lambda: "before")
    alone("daily")
    monkeypatch.setattr(clock, "read_boot_id", lambda: "after")

    async def find_server_time(_: object) -> datetime | None:
        return None

    monkeypatch.setattr(clock, "find_server_time", find_server_time)
    with time_machine.travel(datetime.now(UTC) + timedelta(days=7)):
        said = alone("check").said
        assert "the machine was restarted since then" in said
        assert "masthead daily --confirm" in said
