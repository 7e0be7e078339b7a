"""The outbox: the stored data of an email after it is sent or has failed."""

from datetime import timedelta

import pytest

from masthead.model.clock import now
from masthead.model.errors import NotFound
from masthead.store.background import outbox
from masthead.store.engine.interface import Transaction
from tests.conftest import Cast


async def write(cast: Cast, *, is_secret: bool) -> str:
    async def work(tx: Transaction) -> str:
        return await outbox.insert_email(
            tx,
            cast.account_id,
            recipient="ida@fjord.test",
            subject="Hello",
            body="a link",
            domain="placeholder.example",
            is_secret=is_secret,
        )

    return await cast.db.write(work)


async def body_of(cast: Cast, id: str) -> str:
    row = await cast.db.fetch_one(
        "SELECT body FROM outbox WHERE account_id = :account_id AND id = :id",
        {"account_id": cast.account_id, "id": id},
    )
    assert row is not None
    return str(row["body"])


@pytest.mark.parametrize("is_secret,kept", [(False, "a link"), (True, "")])
async def test_a_secret_text_is_kept_until_the_email_is_sent(
    acme: Cast, is_secret: bool, kept: str
) -> None:
    id = await write(acme, is_secret=is_secret)
    assert await body_of(acme, id) == "a link"

    async def send(tx: Transaction) -> None:
        await outbox.update_sent(tx, acme.account_id, id)

    await acme.db.write(send)
    assert await body_of(acme, id) == kept


@pytest.mark.parametrize("is_secret,kept", [(False, "a link"), (True, "")])
async def test_a_secret_text_is_kept_while_the_email_can_be_tried_again(
    acme: Cast, is_secret: bool, kept: str
) -> None:
    id = await write(acme, is_secret=is_secret)

    async def fail(tx: Transaction, *, is_final: bool) -> None:
        retry_at = None if is_final else now() + timedelta(minutes=1)
        await outbox.update_failed(tx, acme.account_id, id, reason="no", retry_at=retry_at)

    await acme.db.write(lambda tx: fail(tx, is_final=False))
    assert await body_of(acme, id) == "a link"
    await acme.db.write(lambda tx: fail(tx, is_final=True))
    assert await body_of(acme, id) == kept


async def test_a_failed_email_with_a_secret_text_cannot_be_tried_again(acme: Cast) -> None:
    id = await write(acme, is_secret=True)

    async def give_up(tx: Transaction) -> None:
        await outbox.update_failed(tx, acme.account_id, id, reason="no", retry_at=None)

    async def retry(tx: Transaction) -> None:
        await outbox.update_retried(tx, acme.account_id, id)

    await acme.db.write(give_up)
    assert await outbox.list_failed(acme.db, acme.account_id, 10) == []
    with pytest.raises(NotFound):
        await acme.db.write(retry)
