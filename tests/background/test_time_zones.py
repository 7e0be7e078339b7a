"""The day of an account begins at midnight in its time zone, for all that it does."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine

from masthead.background import trends
from masthead.services import accounts
from masthead.services.check.accounts import check
from masthead.services.check.clock import find_clock_faults
from masthead.store.accounts import list_accounts
from masthead.store.background import clock as store
from masthead.store.reports.trends import list_due
from tests.conftest import BY
from tests.support.factories import make_membership
from tests.support.own_service import OwnService, open_own_service

ZONES = (  # from the first to the last in which a day begins
    "Pacific/Kiritimati",
    "Asia/Kathmandu",
    "Europe/Berlin",
    "UTC",
    "America/New_York",
    "Pacific/Pago_Pago",
)
NOON = datetime(2026, 11, 29, 9, tzinfo=UTC)  # 29 November in all of them, except the first
HALF_HOUR = timedelta(minutes=30)


@pytest.fixture
async def own(scratch_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OwnService]:
    """A separate service with an account in each time zone, on 29 November."""

    async def find_server_time(_: object) -> datetime | None:
        return None

    monkeypatch.setattr(store, "find_server_time", find_server_time)
    with time_machine.travel(NOON):
        async with open_own_service(scratch_url) as opened:
            for number, zone in enumerate(ZONES):
                await accounts.create_account(
                    opened.cast.db,
                    name=zone,
                    subdomain=f"zone-{number}",
                    currency="EUR",
                    owner=f"owner@zone-{number}.test",
                    by=BY,
                    time_zone=zone,
                )
            yield opened


async def days(own: OwnService) -> dict[str, date]:
    """The day of the account of each time zone."""
    async with own.cast.db.read() as connection:
        found = await list_accounts(connection)
    return {each.time_zone: each.daily_date for each in found if each.name in ZONES}


async def test_each_account_moves_on_at_its_own_midnight(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trends, "TREND_SHARE", 0)  # no pause between two trends
    async with own.cast.db.read() as connection:
        made = {each.time_zone: each for each in await list_accounts(connection)}
    assert {zone: each.date_of(NOON) for zone, each in made.items()} == await days(own)
    worker = own.background()
    seen = set[date]()
    for half_hours in range(100):
        moment = NOON + half_hours * HALF_HOUR
        with time_machine.travel(moment):
            await worker.work_once()
            found = await days(own)
            assert found == {zone: moment.astimezone(ZoneInfo(zone)).date() for zone in ZONES}
            seen |= set(found.values())
            async with own.cast.db.read() as connection:
                assert await list_due(connection, settled=moment - timedelta(days=9)) == []
            assert [fault async for fault in find_clock_faults(own.cast.db)] == []
    assert (min(seen), max(seen), len(seen)) == (date(2026, 11, 28), date(2026, 12, 2), 5)


@pytest.mark.parametrize(
    "zone, midnight",
    [
        ("Europe/Berlin", datetime(2026, 11, 30, 23, tzinfo=UTC)),
        ("UTC", datetime(2026, 12, 1, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 12, 1, 5, tzinfo=UTC)),
    ],
)
async def test_a_membership_ends_with_its_last_day_in_the_time_zone(
    own: OwnService, zone: str, midnight: datetime
) -> None:
    member = await make_membership(own.cast)
    await own.execute("UPDATE period SET period_end = :day", day=date(2026, 11, 30))
    await own.execute("UPDATE account SET time_zone = :zone WHERE name = 'Acme'", zone=zone)
    worker = own.background()
    for moment, status in (
        (midnight - HALF_HOUR, "Active"),
        (midnight, "Complete"),
    ):
        with time_machine.travel(moment):
            await worker.work_once()
            shown = (await own.cast.get(f"/v1/subscriptions/{member['id']}/")).json()
            assert shown["status"] == status
            assert [fault async for fault in check(own.cast.db)] == []


async def test_an_account_never_goes_back_if_its_time_zone_changes(own: OwnService) -> None:
    worker = own.background()
    with time_machine.travel(datetime(2026, 11, 30, 12, tzinfo=UTC)):
        await worker.work_once()
        assert (await days(own))["Pacific/Kiritimati"] == date(2026, 12, 1)
        for before, after in ((ZONES[0], "UTC"), ("America/New_York", ZONES[0])):
            await own.execute(
                "UPDATE account SET time_zone = :after WHERE name = :before",
                before=before,
                after=after,
            )
    with time_machine.travel(datetime(2026, 11, 30, 12, 15, tzinfo=UTC)):
        await worker.work_once()
        assert [fault async for fault in find_clock_faults(own.cast.db)] == []
        async with own.cast.db.read() as connection:
            found = {each.name: each.daily_date for each in await list_accounts(connection)}
    assert found[ZONES[0]] == date(2026, 12, 1)
    assert found["America/New_York"] == date(2026, 12, 1)
