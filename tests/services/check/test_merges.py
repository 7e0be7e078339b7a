"""Each invariant of subscribers is broken by a statement, and `check` reports it with the row."""

from typing import Any

import msgspec
import pytest

from masthead.model.clock import now
from masthead.model.subscribers.merges import MovedRecords
from masthead.services.subscribers.notes import add_note, delete_note
from masthead.store.check.subscribers import SUBSCRIBER_INVARIANTS
from masthead.store.engine.interface import Database
from tests.conftest import BY, Cast, Client, make_account
from tests.support.checks import faults, rolled_back
from tests.support.factories import make_claim, make_delivery_report, make_issue, make_subscription
from tests.support.subscribers import make_gift, make_subscriber, merge, rows, set_columns

LEADS = "a merged subscriber leads to one that is not merged"
OWNS = "a merged subscriber has no records"
ONCE = "a merged subscriber has one merge that is not undone"
CLAIM = "a claim is of the subscriber of its subscription"
REPORT = "a delivery report is of the subscriber of its subscription"
GIVER = "the giver of a gift is a subscriber of its account"
EMAIL = "an email to a subscriber is to one of its account"
NOTE = "a deleted note has no text, and says who deleted it"
PLANNED = "a planned address is of the subscriber of its subscription"
LETTER = "a renewal letter is to the subscriber of its subscription"
MOVED = "what a merge moved is subscriptions of its account"
TWO = "a merge has two subscribers"

NOTHING = MovedRecords(
    subscriptions=["NOSUCH"], gifts=[], notes=[], subscribers=[], email="", is_unsubscribed=False
)

# the invariant, a table, the row by its name in the scene, columns, and the row that is reported;
# `@name` stands for an id of the scene
BREAKS: list[tuple[str, str, str, dict[str, Any], str]] = [
    (LEADS, "subscriber", "merged", {"merged_into": "NOSUCH"}, "merged"),
    (LEADS, "subscriber", "kept", {"merged_into": "@other"}, "merged"),
    (OWNS, "subscription", "own", {"subscriber_id": "@merged"}, "merged"),
    (OWNS, "subscription", "gift", {"gifter_id": "@merged"}, "merged"),
    (OWNS, "copy", "copy", {"subscriber_id": "@merged"}, "merged"),
    (OWNS, "subscriber_note", "note", {"subscriber_id": "@merged"}, "merged"),
    (OWNS, "subscriber", "other", {"merged_into": "@kept"}, "other"),
    (ONCE, "subscriber", "merged", {"merged_into": None}, "merged"),
    (ONCE, "subscriber_merge", "merge", {"undone_at": now()}, "merged"),
    (CLAIM, "claim", "claim", {"subscriber_id": "@merged"}, "claim"),
    (REPORT, "delivery_report", "report", {"subscriber_id": "@merged"}, "report"),
    (GIVER, "subscription", "gift", {"gifter_id": "NOSUCH"}, "gift"),
    (EMAIL, "outbox", "email", {"subscriber_id": "NOSUCH"}, "email"),
    (NOTE, "subscriber_note", "note", {"text": ""}, "note"),
    (NOTE, "subscriber_note", "deleted", {"text": "Rings twice"}, "deleted"),
    (NOTE, "subscriber_note", "deleted", {"deleted_by_id": None}, "deleted"),
    (PLANNED, "address_change", "planned", {"subscriber_id": "@merged"}, "planned"),
    (LETTER, "renewal_letter", "letter", {"subscriber_id": "@merged"}, "letter"),
    (
        MOVED,
        "subscriber_merge",
        "merge",
        {"moved": msgspec.json.encode(NOTHING).decode()},
        "merge",
    ),
    (TWO, "subscriber_merge", "merge", {"merged_id": "@kept"}, "merge"),
]


async def insert(cast: Cast, table: str, **columns: object) -> str:
    """Add a row; returns its id."""
    id = f"{table.upper()}1"
    row = {"account_id": cast.account_id, "id": id, **columns}
    await cast.db.write(lambda tx: tx.insert_rows(table, [row]))
    return id


@pytest.fixture(scope="module")
async def acme(client: Client, db: Database) -> Cast:
    """An account that these tests share: they roll back what they break."""
    return await make_account(client, db, "Acme")


@pytest.fixture(scope="module")
async def scene(acme: Cast) -> dict[str, Any]:
    """Two merged subscribers and a third one, with a row of every kind."""
    await make_issue(acme)
    kept = await make_subscriber(acme, "kept@example.test")
    merged = await make_subscriber(acme, "merged@example.test", city="Ulm")
    id = await merge(acme, kept, merged)
    own = await make_subscription(
        acme, email="other@example.test", length=1, send_welcome_email=True
    )
    other = own["subscriber"]["id"]
    gift = await make_gift(acme, giver=other, email="friend@example.test")
    claim = await make_claim(acme, own)
    report = await make_delivery_report(acme, own["id"])
    note = await add_note(acme.db, acme.account_id, other, "Rings twice", by=BY)
    deleted = await add_note(acme.db, acme.account_id, other, "Gone", by=BY)
    await delete_note(acme.db, acme.account_id, deleted, by=BY)
    [email] = await rows(acme, "SELECT id FROM outbox WHERE account_id = :account_id")
    [copy, *_] = await rows(
        acme, "SELECT id FROM copy WHERE account_id = :account_id AND subscriber_id = :id", id=other
    )
    about = {"subscriber_id": other, "subscription_id": own["id"], "created_at": now()}
    by = {"actor_kind": BY.kind, "actor_id": BY.id}
    planned = await insert(
        acme,
        "address_change",
        group_id="G",
        first_issue=2,
        first_name="Ada",
        country="DE",
        status="planned",
        **about,
        **by,
    )
    batch = await insert(
        acme,
        "letter_batch",
        stage="last",
        channel="email",
        issue_number=1,
        letters=1,
        created_at=now(),
        **by,
    )
    letter = await insert(
        acme,
        "renewal_letter",
        batch_id=batch,
        period_id=own["periods"][0]["id"],
        stage="last",
        channel="print",
        status="printed",
        **about,
    )
    return {
        "kept": kept,
        "merged": merged,
        "merge": id,
        "own": own["id"],
        "other": other,
        "gift": gift["id"],
        "claim": claim["id"],
        "report": report["id"],
        "note": note,
        "deleted": deleted,
        "email": email["id"],
        "copy": copy["id"],
        "planned": planned,
        "letter": letter,
    }


async def broken(cast: Cast) -> set[tuple[str, str]]:
    """The invariants of subscribers that are broken, each with the row."""
    known = {*SUBSCRIBER_INVARIANTS, MOVED, TWO}
    return {(invariant, id) for invariant, id in await faults(cast) if invariant in known}


async def test_nothing_is_broken_at_first(acme: Cast, scene: dict[str, Any]) -> None:
    assert await broken(acme) == set()


@pytest.mark.parametrize("invariant, table, row, columns, culprit", BREAKS)
async def test_a_broken_row_is_reported(
    acme: Cast,
    scene: dict[str, Any],
    invariant: str,
    table: str,
    row: str,
    columns: dict[str, Any],
    culprit: str,
) -> None:
    values = {
        name: scene[value[1:]] if isinstance(value, str) and value.startswith("@") else value
        for name, value in columns.items()
    }

    async def work(acme: Cast) -> set[tuple[str, str]]:
        await set_columns(acme, table, scene[row], **values)
        return await broken(acme)

    assert (invariant, scene[culprit]) in await rolled_back(acme, work)
    assert {each[0] for each in BREAKS} == {*SUBSCRIBER_INVARIANTS, MOVED, TWO}
