"""How long answers are stored, what an erasure deletes, and two requests with a key at once."""

import asyncio
from datetime import timedelta

import pytest

from masthead.api.http.response import JsonResponse
from masthead.api.idempotency.requests import IdempotentRequests, KeyedRequest
from masthead.model.clock import now
from masthead.model.errors import Invalid, KeyReused, RequestInProgress
from masthead.services.privacy.erase import erase_subscriber
from masthead.store import idempotency
from masthead.store.engine.interface import Database, Transaction
from masthead.store.idempotency import StoredAnswer
from tests.conftest import BY, Cast
from tests.support.expect import refused
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue, make_subscription, manual
from tests.support.keyed_requests import new_key, send
from tests.support.walk import walk

SUBSCRIPTIONS = "/v1/subscriptions/"
DONE = JsonResponse(b'{"done":true}', 201)


def keyed(cast: Cast, key: str = "key") -> KeyedRequest:
    """A request of an account."""
    return KeyedRequest(cast.account_id, key, "request")


async def done(_db: Database) -> JsonResponse:
    """Respond without a write."""
    return DONE


async def test_a_retry_after_an_erasure_changes_nothing_and_says_so(acme: Cast) -> None:
    await make_issue(acme)
    body, key = manual(acme, email="ada@example.test", last_name="Quuxley"), new_key()
    created = (await send(acme, "POST", SUBSCRIPTIONS, body, key)).json()
    await erase_subscriber(
        acme.db,
        acme.account_id,
        created["subscriber"]["id"],
        is_cancelling=True,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )
    message = refused(
        await send(acme, "POST", SUBSCRIPTIONS, body, key), "answer_deleted", status=410
    )
    assert "was not done again" in message
    assert len(await walk(acme, SUBSCRIPTIONS)) == 1
    rows = await acme.db.fetch_all(
        "SELECT * FROM stored_answer WHERE account_id = :account_id",
        {"account_id": acme.account_id},
    )
    assert "Quuxley" not in repr([dict(row) for row in rows])
    refused(
        await send(acme, "POST", SUBSCRIPTIONS, manual(acme), key),
        "idempotency_key_reused",
        status=422,
    )


async def test_an_erasure_keeps_the_answers_of_other_accounts(acme: Cast, rival: Cast) -> None:
    key = new_key()
    await send(rival, "POST", "/v1/issues/", {"number": 7}, key)
    await make_issue(acme)
    subscriber = (await make_subscription(acme))["subscriber"]["id"]
    await erase_subscriber(
        acme.db,
        acme.account_id,
        subscriber,
        is_cancelling=True,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )
    again = await send(rival, "POST", "/v1/issues/", {"number": 7}, key)
    assert (again.status_code, again.headers["Idempotent-Replayed"]) == (201, "true")


async def test_two_requests_with_a_key_at_once_write_once(acme: Cast) -> None:
    await make_issue(acme)
    body, key = manual(acme), new_key()
    answers = await asyncio.gather(
        *(send(acme, "POST", SUBSCRIPTIONS, body, key) for _ in range(6))
    )
    (first,) = [
        each
        for each in answers
        if each.status_code == 201 and "Idempotent-Replayed" not in each.headers
    ]
    for each in answers:
        if each.status_code == 201:
            assert each.content == first.content
        else:
            refused(each, "request_in_progress", status=409)
            assert each.headers["Retry-After"] == "1"
    assert len(await walk(acme, SUBSCRIPTIONS)) == 1
    again = await send(acme, "POST", SUBSCRIPTIONS, body, key)
    assert again.content == first.content


async def test_a_request_of_this_worker_in_progress_is_refused(acme: Cast) -> None:
    idempotent = IdempotentRequests(acme.db)
    first = asyncio.create_task(idempotent.respond(keyed(acme), done, is_long=False))
    await asyncio.sleep(0)
    with pytest.raises(RequestInProgress):
        await idempotent.respond(keyed(acme), done, is_long=False)
    assert await first is DONE
    again = await idempotent.respond(keyed(acme), done, is_long=False)
    assert (again.body, again.headers) == (DONE.body, ((b"idempotent-replayed", b"true"),))


async def test_after_24_hours_a_key_makes_a_new_request(acme: Cast) -> None:
    idempotent, replayed = IdempotentRequests(acme.db), ((b"idempotent-replayed", b"true"),)
    other = KeyedRequest(acme.account_id, "key", "another request")
    ages = ("23:59", replayed), ("24:01", ()), ("0:00", replayed)

    async def store(age: timedelta) -> None:
        async def work(tx: Transaction) -> None:
            await tx.execute(
                "UPDATE stored_answer SET made_at = :at WHERE account_id = :account_id",
                {"at": now() - age, "account_id": acme.account_id},
            )

        await acme.db.write(work)

    await idempotent.respond(keyed(acme), done, is_long=False)
    for age, headers in ages:
        hours, minutes = map(int, age.split(":"))
        await store(timedelta(hours=hours, minutes=minutes))
        again = await idempotent.respond(keyed(acme), done, is_long=False)
        assert (again.status, again.headers) == (201, headers), age
    await store(timedelta(hours=24, minutes=1))
    assert await idempotent.respond(other, done, is_long=False) is DONE
    with pytest.raises(KeyReused):
        await idempotent.respond(keyed(acme), done, is_long=False)


async def test_a_request_that_fails_is_no_longer_in_progress(acme: Cast) -> None:
    async def fail(_db: Database) -> JsonResponse:
        raise Invalid("no")

    idempotent = IdempotentRequests(acme.db)
    for _ in range(2):
        with pytest.raises(Invalid):
            await idempotent.respond(keyed(acme), fail, is_long=False)
    assert await idempotent.respond(keyed(acme), done, is_long=False) is DONE


async def test_a_request_of_another_worker_in_progress_is_refused(acme: Cast) -> None:
    """SQLite's second worker waits for the first one's transaction instead, and replays."""
    other = IdempotentRequests(acme.db)

    async def respond(db: Database) -> JsonResponse:
        if acme.db.dialect == "postgres":
            with pytest.raises(RequestInProgress):
                await other.respond(keyed(acme), done, is_long=False)
        return DONE

    assert await IdempotentRequests(acme.db).respond(keyed(acme), respond, is_long=False) is DONE
    assert (await other.respond(keyed(acme), done, is_long=False)).headers


async def test_a_second_answer_to_a_request_is_not_stored(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the lock, the second worker to commit is rolled back, and finds the answer."""
    if acme.db.dialect == "sqlite":
        return  # its transactions run one after another

    async def lock_nothing(*_: object) -> None:
        pass

    monkeypatch.setattr(idempotency, "lock_key", lock_nothing)
    other, attempts = IdempotentRequests(acme.db), []

    async def respond(db: Database) -> JsonResponse:
        attempts.append(1)
        if len(attempts) == 1:
            assert await other.respond(keyed(acme), done, is_long=False) is DONE
        return JsonResponse(b"{}")

    again = await IdempotentRequests(acme.db).respond(keyed(acme), respond, is_long=False)
    assert (again.status, again.body) == (DONE.status, DONE.body)
    assert attempts == [1]


async def test_the_writes_of_a_request_are_one_transaction(acme: Cast) -> None:
    async def insert(tx: Transaction) -> None:
        answer = StoredAnswer("request", 200, "{}")
        await idempotency.insert_answer(tx, acme.account_id, "inner", answer)

    async def write_and_fail(db: Database) -> JsonResponse:
        await db.write(insert, account_id=acme.account_id)
        for reader in (db, db.replica):
            assert await idempotency.find_answer(reader, acme.account_id, "inner")
            assert await reader.fetch_all("SELECT 1 AS one", {})
        async with db.read(aside=True) as connection:
            assert await idempotency.find_answer(connection, acme.account_id, "inner")
        raise Invalid("no")

    with pytest.raises(Invalid):
        await IdempotentRequests(acme.db).respond(keyed(acme), write_and_fail, is_long=False)
    assert await idempotency.find_answer(acme.db, acme.account_id, "inner") is None
