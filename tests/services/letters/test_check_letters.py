"""Each invariant of renewal letters is broken by a statement, and `check` reports the row."""

from typing import Any

import pytest

from masthead.model.letters.outcomes import LetterChannel
from masthead.store.check.letters import LETTER_INVARIANTS
from masthead.store.engine.interface import Database
from tests.conftest import Cast, Client, make_account
from tests.support.checks import faults, faults_after
from tests.support.letters import ADDRESS, add_subscribers, letters_of, set_up, write

COUNT = "a batch of letters has as many letters as it says"
ROUND = "a batch of letters is in a round of its stage"
BATCH = "a letter agrees with its batch"
PERIOD = "a letter is about a period of its subscription"
EMAIL = "the status of a letter is that of its email"
PRINTED = "a printed letter has its text and address"
SKIPPED = "a letter that was skipped says why"
ENDED = "a letter ends when it goes out or is skipped"
BOUNCED = "only an address that bounced has a reason for it"

_EMAIL = "UPDATE renewal_letter SET {} WHERE {{own}} AND id = :email"
_PRINT = "UPDATE renewal_letter SET {} WHERE {{own}} AND id = :print"

BREAKS = [
    (
        COUNT,
        "UPDATE letter_batch SET letters = 9 WHERE {own} AND id = :batch",
        "batch",
    ),
    (ROUND, "UPDATE letter_batch SET round_id = 'X' WHERE {own} AND id = :batch", "batch"),
    (ROUND, "UPDATE letter_batch SET round_id = id WHERE {own} AND id = :batch", "batch"),
    (BATCH, _EMAIL.format("stage = 'before'"), "email"),
    (BATCH, _PRINT.format("channel = 'email'"), "print"),
    (PERIOD, _EMAIL.format("subscription_id = 'X'"), "email"),
    (PERIOD, _EMAIL.format("period_id = 99"), "email"),
    (PERIOD, _EMAIL.format("subscriber_id = 'X'"), "email"),
    (EMAIL, _EMAIL.format("status = 'sent', ended_at = created_at"), "email"),
    (EMAIL, _EMAIL.format("reason = 'same_letter', status = 'skipped'"), "email"),
    (
        EMAIL,
        "UPDATE outbox SET status = 'cancelled' WHERE {own} AND id = :email",
        "email",
    ),
    (
        EMAIL,
        "UPDATE outbox SET letter_id = NULL WHERE {own} AND id = :email",
        "email",
    ),
    (
        EMAIL,
        "UPDATE outbox SET letter_id = 'X' WHERE {own} AND id = :email",
        "email",
    ),
    (EMAIL, "DELETE FROM outbox WHERE {own} AND id = :email", "email"),
    (PRINTED, _PRINT.format("address = NULL"), "print"),
    (PRINTED, _PRINT.format("body = NULL"), "print"),
    (PRINTED, _PRINT.format("subject = NULL"), "print"),
    (PRINTED, _PRINT.format("status = 'sent', ended_at = created_at"), "print"),
    (SKIPPED, _PRINT.format("status = 'skipped', ended_at = created_at"), "print"),
    (SKIPPED, _PRINT.format("reason = 'renewed'"), "print"),
    (ENDED, _PRINT.format("status = 'printed'"), "print"),
    (ENDED, _EMAIL.format("ended_at = created_at"), "email"),
    (
        BOUNCED,
        "UPDATE subscriber SET bounce_reason = 'x' WHERE {own} AND id = :subscriber",
        "subscriber",
    ),
]


@pytest.fixture(scope="module")
async def acme(client: Client, db: Database) -> Cast:
    """An account that these tests share: they roll back what they break."""
    return await make_account(client, db, "Acme")


@pytest.fixture(scope="module")
async def scene(acme: Cast) -> dict[str, Any]:
    """A batch of letters by email and one of printed letters."""
    await set_up(acme)
    await add_subscribers(acme, 2)
    await add_subscribers(acme, 1, email="", **ADDRESS)
    batch = await write(acme)
    await write(acme, channel=LetterChannel.PRINT)
    first, _, printed = sorted(await letters_of(acme), key=lambda each: str(each["channel"]))
    return {
        "batch": batch.id,
        "email": first["id"],
        "print": printed["id"],
        "subscriber": first["subscriber_id"],
    }


@pytest.mark.usefixtures("scene")
async def test_letters_written_by_the_services_break_no_invariant(acme: Cast) -> None:
    assert await faults(acme) == []


@pytest.mark.parametrize("invariant, sql, culprit", BREAKS)
async def test_check_finds_a_broken_letter(
    acme: Cast, scene: dict[str, Any], invariant: str, sql: str, culprit: str
) -> None:
    assert (invariant, scene[culprit]) in await faults_after(acme, sql, **scene)


def test_each_invariant_is_broken_once() -> None:
    assert {invariant for invariant, _, _ in BREAKS} == set(LETTER_INVARIANTS)
