"""Letters are stopped while a worker sends them: each goes out once, or not at all."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from masthead.model.letters.outcomes import LetterChannel
from masthead.services.check.accounts import check
from masthead.services.emails import outbox as sending
from masthead.services.letters import recheck
from masthead.services.letters.printing import mark_printed, prepare_pdf
from masthead.services.letters.rounds import Stopped, stop_batch
from masthead.store.background import outbox
from masthead.store.background.outbox import QueuedEmail
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.support.letters import (
    ADDRESS,
    add_subscribers,
    emails_of,
    execute,
    letters_of,
    set_up,
    write,
)
from tests.support.own_service import OwnService, open_own_service

LETTERS = 6


@pytest.fixture
async def own(scratch_url: str) -> AsyncIterator[OwnService]:
    """A service of its own, because the outbox of all accounts is read."""
    async with open_own_service(scratch_url) as opened:
        await set_up(opened.cast, first=2)
        yield opened


async def stop(cast: Cast, batch: str) -> Stopped:
    return await stop_batch(cast.db, cast.account_id, batch, by=BY)


async def due(cast: Cast) -> list[QueuedEmail]:
    async with cast.db.read() as db:
        return await outbox.list_due(db, LETTERS)


async def begin(cast: Cast, email: QueuedEmail) -> QueuedEmail | None:
    return await sending.begin_sending(cast.db, email, domain="acme.test")


async def race(cast: Cast) -> None:
    """A worker begins each email at the moment at which two people stop the batch."""
    await add_subscribers(cast, LETTERS)
    batch = (await write(cast)).id
    found = await due(cast)
    ready = asyncio.Barrier(LETTERS + 2)

    async def send(email: QueuedEmail) -> QueuedEmail | None:
        await ready.wait()
        return await begin(cast, email)

    async def stop_at_once() -> Stopped:
        await ready.wait()
        return await stop(cast, batch)

    stops = [stop_at_once() for _ in range(2)]
    *sent, one, two = await asyncio.gather(*map(send, found), *stops)
    assert isinstance(one, Stopped)
    assert isinstance(two, Stopped)
    gone = [email for email in sent if isinstance(email, QueuedEmail)]
    assert one.stopped + two.stopped + len(gone) == LETTERS
    late = [await begin(cast, email) for email in found]
    assert late == [None] * LETTERS  # a worker that had listed them before
    for email in gone:
        await sending.end_sent(cast.db, email)
    statuses = [each["status"] for each in await letters_of(cast)]
    assert statuses.count("sent") == len(gone)
    assert statuses.count("skipped") == LETTERS - len(gone)
    assert [fault async for fault in check(cast.db)] == []


async def test_an_email_is_sent_or_stopped_and_never_both(own: OwnService) -> None:
    await race(own.cast)


async def _begin_anyway(
    tx: Transaction, account_id: int, id: str, *, message_id: str
) -> QueuedEmail | None:
    """As `update_sending`, without a look at the status."""
    await tx.execute(
        "UPDATE outbox SET status = 'waiting' WHERE account_id = :account_id AND id = :id",
        {"account_id": account_id, "id": id},
    )
    return await UPDATE_SENDING(tx, account_id, id, message_id=message_id)


UPDATE_SENDING = outbox.update_sending


def _without_stop(facts: Any, *, is_open: bool) -> None:
    """As `reason_to_skip`, but nothing is stopped."""


async def test_without_the_look_at_the_status_a_stopped_email_goes_out(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "update_sending", _begin_anyway)
    monkeypatch.setattr(recheck, "reason_to_skip", _without_stop)
    with pytest.raises(AssertionError):
        await race(own.cast)


async def fail_after_stop(cast: Cast) -> None:
    """The mail server gets an email while the batch is stopped, and refuses it for now."""
    await add_subscribers(cast, 2)
    batch = (await write(cast)).id
    marked = await begin(cast, (await due(cast))[0])
    assert marked is not None
    assert await stop(cast, batch) == Stopped(stopped=1, sent=0, on_their_way=1)
    await sending.end_failed(cast.db, marked, reason="451 later", delay=timedelta())
    for email in await due(cast):
        assert await begin(cast, email) is None
    assert [each["reason"] for each in await letters_of(cast)] == ["stopped", "stopped"]
    assert [fault async for fault in check(cast.db)] == []


async def test_an_email_that_fails_after_the_stop_is_not_tried_again(own: OwnService) -> None:
    await fail_after_stop(own.cast)


async def test_without_the_last_look_it_is_tried_again(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recheck, "reason_to_skip", _without_stop)
    with pytest.raises(AssertionError):
        await fail_after_stop(own.cast)


async def test_stopped_letters_are_written_again_and_sent_once(own: OwnService) -> None:
    cast = own.cast
    await add_subscribers(cast, 3)
    first = (await write(cast)).id
    marked = await begin(cast, (await due(cast))[0])
    assert marked is not None
    await sending.end_sent(cast.db, marked)
    assert await stop(cast, first) == Stopped(stopped=2, sent=1, on_their_way=0)
    assert await stop(cast, first) == Stopped(stopped=0, sent=1, on_their_way=0)
    assert (await write(cast)).letters == 2
    await own.background().work_once()
    recipients = [email["To"] for email in own.mailbox.emails]
    assert len(recipients) == len(set(recipients)) == 2
    assert marked.recipient not in recipients
    assert [each["status"] for each in await letters_of(cast)] == ["sent"] * 3
    assert len(await emails_of(cast)) == 3
    assert [fault async for fault in check(cast.db)] == []


async def test_letters_that_share_a_text_are_stopped_together(own: OwnService) -> None:
    for _ in range(2):
        await add_subscribers(own.cast, 1, email="firm@example.test", company="Hafen AG")
    batch = (await write(own.cast)).id
    assert (await stop(own.cast, batch)).stopped == 1
    assert (await write(own.cast)).letters == 1
    assert len(await letters_of(own.cast)) == 2
    assert [fault async for fault in check(own.cast.db)] == []


async def test_failed_and_unprinted_letters_are_stopped_and_printed_ones_are_not(
    own: OwnService,
) -> None:
    cast = own.cast
    await add_subscribers(cast, 1)
    batch = (await write(cast)).id
    marked = await begin(cast, (await due(cast))[0])
    assert marked is not None
    await sending.end_failed(cast.db, marked, reason="550 no", delay=None)
    assert (await stop(cast, batch)).stopped == 1
    await add_subscribers(cast, 2, prefix="paper", email="", **ADDRESS)
    paper = (await write(cast, channel=LetterChannel.PRINT)).id
    await execute(
        cast,
        "UPDATE renewal_letter SET status = 'printed', ended_at = created_at"
        " WHERE account_id = :account_id AND id = :id",
        id=(await letters_of(cast))[-1]["id"],
    )
    assert await stop(cast, paper) == Stopped(stopped=1, sent=1, on_their_way=0)
    assert await mark_printed(cast.db, cast.account_id, paper, by=BY) == 0
    assert (await prepare_pdf(cast.db, cast.account_id, paper, 1, by=BY)).startswith(b"%PDF")
    assert (await write(cast, channel=LetterChannel.PRINT)).letters == 1
    assert [fault async for fault in check(cast.db)] == []
