"""Idempotency keys of forms and requests: each can be used once, however often it is sent."""

import asyncio
from datetime import timedelta

import pytest

from masthead.model.clock import now
from masthead.model.errors import RequestInProgress
from masthead.store import idempotency
from masthead.store.engine.interface import Database, Transaction
from masthead.store.idempotency import KeyTable, StoredAnswer
from tests.conftest import Cast


async def take(db: Database, account_id: int, digest: str) -> str | None:
    async def work(tx: Transaction) -> str | None:
        return await idempotency.take_key(tx, account_id, digest)

    return await db.write(work)


async def test_a_key_can_be_used_once(acme: Cast) -> None:
    assert await take(acme.db, acme.account_id, "a") is None
    assert await take(acme.db, acme.account_id, "a") == ""


async def test_a_used_key_returns_the_result_of_its_form(acme: Cast) -> None:
    await take(acme.db, acme.account_id, "a")

    async def work(tx: Transaction) -> None:
        await idempotency.update_result(tx, acme.account_id, "a", "/desk/")

    await acme.db.write(work)
    assert await take(acme.db, acme.account_id, "a") == "/desk/"


async def test_accounts_have_separate_keys(acme: Cast, rival: Cast) -> None:
    assert await take(acme.db, acme.account_id, "a") is None
    assert await take(acme.db, rival.account_id, "a") is None


async def test_only_one_of_many_concurrent_uses_succeeds(acme: Cast) -> None:
    taken = await asyncio.gather(*(take(acme.db, acme.account_id, "a") for _ in range(8)))
    assert sorted(taken, key=str) == ["", "", "", "", "", "", "", None]


# --- requests -------------------------------------------------------------------------------------


async def test_a_key_that_another_transaction_holds_cannot_be_locked(
    acme: Cast, rival: Cast
) -> None:
    async def lock(account_id: int) -> None:
        async def work(tx: Transaction) -> None:
            await idempotency.lock_key(tx, account_id, "a")

        await acme.db.write(work)

    async def hold(tx: Transaction) -> None:
        await idempotency.lock_key(tx, acme.account_id, "a")
        await idempotency.lock_key(tx, acme.account_id, "a")
        if tx.dialect == "postgres":  # SQLite runs no second transaction meanwhile
            with pytest.raises(RequestInProgress):
                await lock(acme.account_id)
            await lock(rival.account_id)

    await acme.db.write(hold)
    await lock(acme.account_id)


async def test_a_stored_answer_is_found_until_its_body_is_deleted(acme: Cast, rival: Cast) -> None:
    answer = StoredAnswer("request", 201, '{"name":"Zebedee"}')

    async def store(tx: Transaction) -> None:
        await idempotency.insert_answer(tx, acme.account_id, "a", answer)

    async def delete(tx: Transaction) -> None:
        await idempotency.delete_bodies(tx, rival.account_id)
        assert await idempotency.find_answer(tx, acme.account_id, "a") == answer
        await idempotency.delete_bodies(tx, acme.account_id)

    assert await idempotency.find_answer(acme.db, acme.account_id, "a") is None
    await acme.db.write(store)
    assert await idempotency.find_answer(acme.db, acme.account_id, "a") == answer
    assert await idempotency.find_answer(acme.db, rival.account_id, "a") is None
    await acme.db.write(delete)
    left = StoredAnswer("request", 201, None)
    assert await idempotency.find_answer(acme.db, acme.account_id, "a") == left


async def test_an_answer_expires_and_can_be_deleted(acme: Cast, rival: Cast) -> None:
    answer = StoredAnswer("request", 201, "{}")

    async def store(tx: Transaction) -> None:
        for account_id in (acme.account_id, rival.account_id):
            await idempotency.insert_answer(tx, account_id, "a", answer)

    async def delete(tx: Transaction) -> None:
        await idempotency.delete_answer(tx, acme.account_id, "a")

    await acme.db.write(store)
    later = now() + idempotency.ANSWER_KEPT
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(idempotency, "now", lambda: later)
        found = await idempotency.find_answer(acme.db, acme.account_id, "a")
    assert found == StoredAnswer("request", 201, "{}", is_expired=True)
    await acme.db.write(delete)
    assert await idempotency.find_answer(acme.db, acme.account_id, "a") is None
    assert await idempotency.find_answer(acme.db, rival.account_id, "a") == answer


# --- both -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["submission", "stored_answer"])
async def test_old_keys_are_deleted(acme: Cast, rival: Cast, table: KeyTable) -> None:
    hour = timedelta(hours=1)

    async def store(tx: Transaction) -> None:
        await idempotency.take_key(tx, acme.account_id, "a")
        await idempotency.insert_answer(tx, acme.account_id, "a", StoredAnswer("b", 200, "{}"))

    async def delete(tx: Transaction) -> tuple[int, int]:
        early = await idempotency.delete_old_keys(tx, acme.account_id, table, now() - hour)
        return early, await idempotency.delete_old_keys(tx, acme.account_id, table, now() + hour)

    await acme.db.write(store)
    early = await idempotency.list_accounts_with_old_keys(acme.db, table, now() - hour)
    assert acme.account_id not in early
    late = await idempotency.list_accounts_with_old_keys(acme.db, table, now() + hour)
    assert acme.account_id in late
    assert rival.account_id not in late
    assert await acme.db.write(delete) == (0, 1)
    if table == "submission":
        assert await take(acme.db, acme.account_id, "a") is None
    else:
        assert await idempotency.find_answer(acme.db, acme.account_id, "a") is None
