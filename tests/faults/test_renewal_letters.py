"""Renewal letters, and an email server and a server that fail in the middle of them.

A campaign sends 500 letters.
"""

import asyncio
import os
from collections import Counter
from pathlib import Path

import pytest

from masthead.store.engine.database import connect
from tests.faults.support.notes import NOTES
from tests.faults.test_emails_and_clock import check, make_due, sending_by, stop, until
from tests.support.letters import add_subscribers, set_up, write
from tests.support.mailbox import Mailbox, open_mailbox
from tests.support.serving import account_at, serve

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.timeout(900)]

LETTERS = 500 if "MASTHEAD_TEST_ROUNDS" in os.environ else 80
SECONDS = 400.0  # for all letters on a busy machine; usually a tenth of it


async def send_all(url: str, log: Path, count: int, *, without: str | None = None) -> Mailbox:
    """Send letters, and fail three times in the middle; the emails that arrived.

    The email server refuses all recipients from a quarter on, until each was tried. It closes the
    connection after the text of one email, and masthead is killed during another one. Both of
    these emails may have arrived, and are sent again. Without a protection, masthead is not killed.
    """
    killed, waits = asyncio.Event(), asyncio.Event()
    quarter = count // 4

    async def fail_in_the_middle() -> None:
        mailbox.cuts_after_data = len(mailbox.emails) == 2 * quarter
        if len(mailbox.emails) == quarter:
            mailbox.answers["RCPT"] = "450 not now"
        if len(mailbox.emails) == 3 * quarter:
            waits.set()
            await killed.wait()

    async def all_are_tried() -> bool:
        return not await db.fetch_all(
            "SELECT id FROM outbox WHERE status <> 'sent' AND attempts = 0 LIMIT 1", {}
        )

    async def all_are_sent() -> bool:
        """Whether no email waits; or one has arrived three times, which is an error."""
        await make_due(db)
        rows = await db.fetch_all("SELECT id FROM outbox WHERE status <> 'sent' LIMIT 1", {})
        return not rows or max(Counter(mailbox.ids).values()) > 2

    db = await connect(url)
    async with open_mailbox() as mailbox:
        mailbox.on_data = fail_in_the_middle
        settings = sending_by(mailbox)
        try:
            with serve(url, log, environment=settings, without=without) as server:
                async with account_at(server, url) as acme:
                    await set_up(acme)
                    await add_subscribers(acme, count)
                    assert (await write(acme)).letters == count
                await until(all_are_tried, SECONDS)
                assert len(mailbox.emails) == quarter
                mailbox.answers.clear()
                await make_due(db)
                if without:
                    killed.set()
                    await until(all_are_sent, SECONDS)
                    return mailbox
                await asyncio.wait_for(waits.wait(), SECONDS)
                server.kill()
                killed.set()
            with serve(url, log, environment=settings) as server:
                await until(all_are_sent, SECONDS)
                await stop(server)
        finally:
            await db.close()
    return mailbox


def assert_nothing_is_lost_or_sent_twice(mailbox: Mailbox, count: int) -> None:
    """Each subscriber got a letter; two got theirs again, with the same Message-ID."""
    times = Counter((email["To"], email["Message-ID"]) for email in mailbox.emails)
    assert len({to for to, _ in times}) == len({id for _, id in times}) == len(times) == count
    assert sorted(times.values())[-3:] == [1, 2, 2]


async def test_all_letters_arrive_although_everything_fails_in_the_middle(
    scratch_url: str, tmp_path: Path
) -> None:
    mailbox = await send_all(scratch_url, tmp_path / "log", LETTERS)
    assert_nothing_is_lost_or_sent_twice(mailbox, LETTERS)
    await check(scratch_url)
    NOTES["client"] = f"{LETTERS} subscribers get a letter; 2 of them may get it twice"


async def test_if_masthead_forgets_what_it_sent_letters_arrive_twice(
    scratch_url: str, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError):
        assert_nothing_is_lost_or_sent_twice(
            await send_all(scratch_url, tmp_path / "log", 8, without="outcomes of emails"), 8
        )
