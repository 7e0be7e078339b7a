"""Marks of forms: taken once, whoever sends the form how often."""

import asyncio
from datetime import timedelta

from masthead.model.clock import now
from masthead.store import idempotency
from masthead.store.engine.interface import Database, Transaction
from tests.conftest import Cast


async def take(db: Database, account_id: int, digest: str) -> str | None:
    async def work(tx: Transaction) -> str | None:
        return await idempotency.take_key(tx, account_id, digest)

    return await db.write(work)


async def test_a_mark_is_taken_once(acme: Cast) -> None:
    assert await take(acme.db, acme.account_id, "a") is None
    assert await take(acme.db, acme.account_id, "a") == ""


async def test_a_taken_mark_tells_where_its_form_led(acme: Cast) -> None:
    await take(acme.db, acme.account_id, "a")

    async def work(tx: Transaction) -> None:
        await idempotency.update_result(tx, acme.account_id, "a", "/desk/")

    await acme.db.write(work)
    assert await take(acme.db, acme.account_id, "a") == "/desk/"


async def test_accounts_have_marks_of_their_own(acme: Cast, rival: Cast) -> None:
    assert await take(acme.db, acme.account_id, "a") is None
    assert await take(acme.db, rival.account_id, "a") is None


async def test_of_many_who_take_a_mark_at_once_one_gets_it(acme: Cast) -> None:
    taken = await asyncio.gather(*(take(acme.db, acme.account_id, "a") for _ in range(8)))
    assert sorted(taken, key=str) == ["", "", "", "", "", "", "", None]


async def test_old_marks_are_forgotten(acme: Cast) -> None:
    await take(acme.db, acme.account_id, "a")

    async def forget(tx: Transaction) -> tuple[int, int]:
        hour = timedelta(hours=1)
        early = await idempotency.delete_old_keys(tx, acme.account_id, now() - hour)
        return early, await idempotency.delete_old_keys(tx, acme.account_id, now() + hour)

    assert await acme.db.write(forget) == (0, 1)
    assert await take(acme.db, acme.account_id, "a") is None
