"""Each invariant of renewal letters is broken by a statement, and `check` reports the row."""

import pytest

from masthead.model.letters.letters import LetterChannel
from masthead.services.maintenance.check import check_account
from masthead.store.letters.invariants import LETTER_INVARIANTS
from tests.conftest import Cast
from tests.support.letters import ADDRESS, add_readers, execute, letters_of, set_up, write

COUNT = "a batch of letters has as many letters as it says"
BATCH = "a letter agrees with its batch"
PERIOD = "a letter is about a period of its subscription"
EMAIL = "the status of a letter is that of its email"
PRINTED = "a printed letter has its text and address"
SKIPPED = "a letter that was skipped says why"
ENDED = "a letter ends when it goes out or is skipped"
BOUNCED = "only an address that bounced has a reason for it"

_EMAIL = "UPDATE renewal_letter SET {} WHERE account_id = :account_id AND id = :email"
_PRINT = "UPDATE renewal_letter SET {} WHERE account_id = :account_id AND id = :print"

BREAKS = [
    (
        COUNT,
        "UPDATE letter_batch SET letters = 9 WHERE account_id = :account_id AND id = :batch",
        "batch",
    ),
    (BATCH, _EMAIL.format("stage = 'before'"), "email"),
    (BATCH, _PRINT.format("channel = 'email'"), "print"),
    (PERIOD, _EMAIL.format("subscription_id = 'X'"), "email"),
    (PERIOD, _EMAIL.format("period_id = 99"), "email"),
    (PERIOD, _EMAIL.format("subscriber_id = 'X'"), "email"),
    (EMAIL, _EMAIL.format("status = 'sent', ended_at = created_at"), "email"),
    (EMAIL, _EMAIL.format("reason = 'same_letter', status = 'skipped'"), "email"),
    (
        EMAIL,
        "UPDATE outbox SET status = 'cancelled' WHERE account_id = :account_id AND id = :email",
        "email",
    ),
    (
        EMAIL,
        "UPDATE outbox SET letter_id = NULL WHERE account_id = :account_id AND id = :email",
        "email",
    ),
    (
        EMAIL,
        "UPDATE outbox SET letter_id = 'X' WHERE account_id = :account_id AND id = :email",
        "email",
    ),
    (EMAIL, "DELETE FROM outbox WHERE account_id = :account_id AND id = :email", "email"),
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
        "UPDATE subscriber SET bounce_reason = 'x' WHERE account_id = :account_id AND id = :reader",
        "reader",
    ),
]


@pytest.mark.parametrize("invariant, sql, culprit", BREAKS)
async def test_check_finds_a_broken_letter(
    acme: Cast, invariant: str, sql: str, culprit: str
) -> None:
    await set_up(acme)
    await add_readers(acme, 2)
    await add_readers(acme, 1, email="", **ADDRESS)
    batch = await write(acme)
    await write(acme, channel=LetterChannel.PRINT)
    assert [fault async for fault in check_account(acme.db, acme.subdomain)] == []
    first, _, printed = sorted(await letters_of(acme), key=lambda each: str(each["channel"]))
    ids = {
        "batch": batch.id,
        "email": first["id"],
        "print": printed["id"],
        "reader": first["subscriber_id"],
    }
    used = {name: id for name, id in ids.items() if f":{name}" in sql}
    await execute(acme, sql, **used)
    found = [(fault.invariant, fault.id) async for fault in check_account(acme.db, acme.subdomain)]
    assert (invariant, ids[culprit]) in found


def test_each_invariant_is_broken_once() -> None:
    assert {invariant for invariant, _, _ in BREAKS} == set(LETTER_INVARIANTS)
