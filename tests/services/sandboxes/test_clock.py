"""The clock of a sandbox: forward only, day by day, and again after a crash."""

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TypeVar

import pytest
import time_machine

from masthead.model.billing.settings import BillingInput
from masthead.model.errors import Invalid, Unavailable
from masthead.model.reminders.stages import ReminderSettings
from masthead.model.sandboxes import NotSandbox, SandboxMove, SandboxNext, require_goal
from masthead.model.validation import decode_input
from masthead.services.background.idle_accounts import pass_idle_accounts
from masthead.services.billing.settings import save_settings
from masthead.services.debits.settings import save_settings as save_debits
from masthead.services.reminders.settings import adopt_defaults, save_settings as save_reminders
from masthead.services.sandboxes.clock import get_clock, move_clock, move_to_goal, set_goal
from masthead.services.sandboxes.create import create_sandbox, reset_sandbox
from masthead.services.sources import set_source_active
from masthead.store.accounts import get_account
from masthead.store.engine.interface import Database, Row, Transaction
from masthead.store.engine.wrapped import WrappedDatabase
from tests.conftest import BY, Cast, Client
from tests.support.billing import SETTINGS
from tests.support.debits import CREDITOR_ID
from tests.support.factories import manual
from tests.support.sandboxes import SITE, make_sandbox
from tests.support.subscribers import rows

T = TypeVar("T")


class _Breaking(WrappedDatabase):
    """A database that is gone after a number of writes, as when the process is killed."""

    def __init__(self, db: Database, writes: int) -> None:
        super().__init__(db)
        self._left = writes

    async def write(
        self,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        account_id: int | None = None,
        is_long: bool = False,
        is_durable: bool = True,
    ) -> T:
        """The result of `work`. Raises: Unavailable after the last one."""
        if not self._left:
            raise Unavailable
        self._left -= 1
        return await super().write(
            work, account_id=account_id, is_long=is_long, is_durable=is_durable
        )


async def _orders(db: Database, account_id: int) -> list[Row]:
    return await db.fetch_all(
        """
        SELECT p.id, p.subscription_id, p.order_id, p.order_date, p.period_end, p.price, s.status
        FROM period p
        JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
        WHERE p.account_id = :account_id
        ORDER BY p.id
        """,
        {"account_id": account_id},
    )


async def test_an_interrupted_move_goes_on_and_a_reset_gives_the_same_records_again(
    client: Client, db: Database
) -> None:
    sandbox = await make_sandbox(client, db)
    id, goal = sandbox.account.id, date(2026, 5, 1)
    first = await _orders(db, id)
    await sandbox.move(to=goal)
    whole = await _orders(db, id)
    assert len(whole) > len(first)

    await reset_sandbox(db, id, placeholder_domain=SITE.domain, by=BY)
    assert await _orders(db, id) == first
    assert (await get_clock(db, id)).day == date(2026, 1, 1)
    await set_goal(db, id, SandboxMove(to=goal), by=BY)
    days = []
    for writes in (1, 2, 24, 25, 26, 100):
        with pytest.raises(Unavailable):
            await move_to_goal(_Breaking(db, writes), id, site=SITE, by=BY)
        days.append((await get_clock(db, id)).day)
    assert date(2026, 1, 1) < days[-1] < goal
    assert days == sorted(days)
    assert await move_to_goal(db, id, site=SITE, by=BY) == (goal - days[-1]).days
    assert await _orders(db, id) == whole


async def test_a_reset_by_the_api_is_done_once(client: Client, db: Database, acme: Cast) -> None:
    sandbox = await make_sandbox(client, db)
    first = await _orders(db, sandbox.account.id)
    await sandbox.move(to=date(2026, 5, 1))
    keyed = {"Idempotency-Key": "reset-1"}
    path = "/v1/sandbox/reset/"
    done = await client.post(path, key=sandbox.key, headers=keyed)
    assert done.json() == {"day": "2026-01-01", "first_day": "2026-01-01", "is_automatic": True}
    assert await _orders(db, sandbox.account.id) == first
    await sandbox.move(to=date(2026, 2, 1))
    again = await client.post(path, key=sandbox.key, headers=keyed)
    assert (again.json(), again.headers["Idempotent-Replayed"]) == (done.json(), "true")
    assert (await get_clock(db, sandbox.account.id)).day == date(2026, 2, 1)
    refused = await acme.post(path)
    assert (refused.status_code, refused.json()["code"]) == (403, "not_a_sandbox")


async def test_a_clock_does_not_go_back_and_other_accounts_have_none(
    client: Client, db: Database, acme: Cast
) -> None:
    sandbox = await make_sandbox(client, db)
    assert (await sandbox.move(next=SandboxNext.ISSUE)).day == date(2026, 3, 1)
    with pytest.raises(Invalid, match="`to` is 2026-02-28, before 2026-03-01"):
        await sandbox.move(to=date(2026, 2, 28))
    for move in ({}, {"to": date(2026, 4, 1), "next": SandboxNext.CHARGE}):
        with pytest.raises(Invalid, match="Give either `to`") as refusal:
            await sandbox.move(**move)
        assert refusal.value.field == "to"
    with pytest.raises(NotSandbox):
        await move_clock(db, acme.account_id, SandboxMove(to=date(2030, 1, 1)), site=SITE, by=BY)
    with pytest.raises(NotSandbox):
        await reset_sandbox(db, acme.account_id, placeholder_domain=SITE.domain, by=BY)

    # The real daily pass leaves the sandbox alone, which is behind
    await pass_idle_accounts(db, date(2026, 12, 1), ["UTC"])
    assert (await get_clock(db, sandbox.account.id)).day == date(2026, 3, 1)


@pytest.mark.parametrize(
    "next, sql, words",
    [
        (
            SandboxNext.ISSUE,
            "UPDATE issue SET release_date_actual = NULL",
            "No issue has a release",
        ),
        (
            SandboxNext.CHARGE,
            "UPDATE subscription SET is_recurring = FALSE",
            "No charge is due after",
        ),
    ],
)
async def test_a_clock_without_a_next_day_says_what_to_do(
    client: Client, db: Database, next: SandboxNext, sql: str, words: str
) -> None:
    sandbox = await make_sandbox(client, db)
    await db.write(
        lambda tx: tx.execute(f"{sql} WHERE account_id = :id", {"id": sandbox.account.id}),
        account_id=sandbox.account.id,
    )
    with pytest.raises(Invalid, match=f"{words}.* 2026-01-01") as refusal:
        await sandbox.move(next=next)
    assert (refusal.value.field, refusal.value.value) == ("next", next)
    assert (await get_clock(db, sandbox.account.id)).day == date(2026, 1, 1)


async def test_a_clock_moves_once_at_a_time(client: Client, db: Database) -> None:
    sandbox = await make_sandbox(client, db)
    id = sandbox.account.id
    first = await get_clock(db, id)
    assert await sandbox.move(to=first.day) == first  # it is that day already
    await set_goal(db, id, SandboxMove(to=date(2026, 1, 3)), by=BY)
    with pytest.raises(Invalid, match="The clock is moving to 2026-01-03") as refusal:
        await set_goal(db, id, SandboxMove(to=date(2026, 1, 4)), by=BY)
    assert refusal.value.code == "clock_is_moving"
    assert await move_to_goal(db, id, site=SITE, by=BY) == 2


async def test_a_shop_that_is_not_active_charges_nobody(client: Client, db: Database) -> None:
    sandbox = await make_sandbox(client, db)
    id = sandbox.account.id
    before = await _orders(db, id)
    [shop] = (await sandbox.get("/v1/sources/")).json()["items"]
    await set_source_active(db, id, shop["id"], is_active=False, by=BY)
    await sandbox.move(to=date(2026, 5, 1))
    assert len(await _orders(db, id)) == len(before)


async def test_a_server_and_an_owner_have_some_sandboxes_at_most(
    client: Client, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox = await make_sandbox(client, db)

    async def make_another() -> None:
        await create_sandbox(
            db,
            name="Another",
            subdomain=f"{sandbox.account.subdomain}-2",
            currency="EUR",
            owner=sandbox.owner,
            copied=None,
            placeholder_domain=SITE.domain,
            by=BY,
        )

    for name, message in (
        ("MAX_SANDBOXES_OF_OWNER", "You have 1 sandboxes, and no more are possible"),
        ("MAX_SANDBOXES", "This server has [0-9]+ sandboxes, and no more are possible"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(f"masthead.services.sandboxes.create.{name}", 1)
            with pytest.raises(Invalid, match=message):
                await make_another()
    await make_another()


async def test_orders_are_dated_by_the_clock_of_the_sandbox(
    client: Client, db: Database, acme: Cast
) -> None:
    sandbox = await make_sandbox(client, db)
    await sandbox.move(to=date(2028, 6, 1))
    [shop] = (await sandbox.get("/v1/sources/")).json()["items"]
    body = {**manual(acme), "source": shop["id"], "order_date": "2028-06-01", "start_issue": 14}
    made = (await sandbox.post("/v1/subscriptions/", body)).json()
    assert made["order_date"] == "2028-06-01"
    subscriber = (await sandbox.get(f"/v1/subscribers/{made['subscriber']['id']}/")).json()
    assert subscriber["date_created"] == "2028-06-01"
    late = {**body, "order_id": "LATE1", "order_date": "2028-07-03"}
    assert (await sandbox.post("/v1/subscriptions/", late)).json()["field"] == "order_date"
    with time_machine.travel(datetime(2026, 11, 21, 12, tzinfo=UTC), tick=False):
        refused = await acme.post("/v1/subscriptions/", manual(acme, order_date="2028-06-01"))
    assert refused.json()["field"] == "order_date"


@pytest.mark.parametrize(
    "day, goal, is_possible",
    [
        ("2026-03-01", "2026-03-01", True),
        ("2026-03-01", "2026-02-28", False),
        ("2026-03-01", "2029-03-05", True),
        ("2026-03-01", "2029-03-06", False),  # 1,101 days
        ("2046-12-01", "2046-12-31", True),
        ("2046-12-01", "2047-01-01", False),  # more than 20 years after the first day
    ],
)
def test_a_move_is_limited(day: str, goal: str, *, is_possible: bool) -> None:
    first_day, wanted = date(2026, 1, 1), date.fromisoformat(goal)
    expected = nullcontext() if is_possible else pytest.raises(Invalid, match="`to` is")
    with expected:
        assert require_goal(wanted, day=date.fromisoformat(day), first_day=first_day) == wanted


class _Between(WrappedDatabase):
    """A database in which something else happens before one of the writes."""

    def __init__(self, db: Database, writes: int, other: Callable[[], Awaitable[object]]) -> None:
        super().__init__(db)
        self._left, self._other = writes, other

    async def write(
        self,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        account_id: int | None = None,
        is_long: bool = False,
        is_durable: bool = True,
    ) -> T:
        """The result of `work`."""
        self._left -= 1
        if self._left == 0:
            await self._other()
        return await super().write(
            work, account_id=account_id, is_long=is_long, is_durable=is_durable
        )


async def _day_of_account(db: Database, account_id: int) -> date:
    return (await get_account(db, account_id)).daily_date


@pytest.mark.parametrize("writes", [2, 8, 9, 10, 11])
async def test_a_reset_during_a_move_is_whole(client: Client, db: Database, writes: int) -> None:
    sandbox = await make_sandbox(client, db)
    id = sandbox.account.id
    first, start = await _orders(db, id), date(2026, 1, 1)

    async def reset() -> None:
        await reset_sandbox(db, id, placeholder_domain=SITE.domain, by=BY)

    await set_goal(db, id, SandboxMove(to=date(2026, 5, 1)), by=BY)
    await move_to_goal(_Between(db, writes, reset), id, site=SITE, by=BY)
    assert await _orders(db, id) == first
    assert (await get_clock(db, id)).day == await _day_of_account(db, id) == start


@pytest.mark.parametrize("writes", [2, 3, 8])
async def test_two_who_move_the_clock_at_once_do_each_day_once(
    client: Client, db: Database, writes: int
) -> None:
    sandbox, goal = await make_sandbox(client, db), date(2026, 4, 1)
    id = sandbox.account.id
    await sandbox.move(to=goal)
    whole = await _orders(db, id)
    await reset_sandbox(db, id, placeholder_domain=SITE.domain, by=BY)
    await set_goal(db, id, SandboxMove(to=goal), by=BY)

    async def move() -> None:
        await move_to_goal(db, id, site=SITE, by=BY)

    await move_to_goal(_Between(db, writes, move), id, site=SITE, by=BY)
    assert await _orders(db, id) == whole
    assert (await get_clock(db, id)).day == await _day_of_account(db, id) == goal


async def test_a_reset_keeps_the_settings_of_reminders_and_direct_debits(
    client: Client, db: Database, acme: Cast
) -> None:
    sandbox = await make_sandbox(client, db)
    cast = replace(acme, account_id=sandbox.account.id, subdomain=sandbox.account.subdomain)
    settings = decode_input(BillingInput, SETTINGS)
    await save_settings(db, cast.account_id, settings, by=BY)
    await adopt_defaults(db, cast.account_id, by=BY)
    await save_reminders(db, cast.account_id, ReminderSettings(least_amount=500), by=BY)
    await save_debits(db, cast.account_id, creditor_id=CREDITOR_ID, notice_days=5, by=BY)
    tables = ("billing", "debit_settings", "reminder_setting", "reminder_stage")
    before = [await _count(cast, table) for table in tables]
    assert 0 not in before
    await reset_sandbox(db, cast.account_id, placeholder_domain=SITE.domain, by=BY)
    assert [await _count(cast, table) for table in tables] == before


async def _count(cast: Cast, table: str) -> int:
    return len(await rows(cast, f"SELECT 1 AS one FROM {table} WHERE account_id = :account_id"))  # noqa: S608 - constants
