"""What an undo names as touched since the import, and leaves as it is."""

from typing import Any

import pytest

from masthead.model.imports.batches import ImportBatch
from masthead.services.imports.work import undo
from masthead.services.imports.work.undo_preview import preview_undo
from masthead.services.subscribers.notes import add_note
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.services.imports.support import imported, row, undone
from tests.support.addresses import move
from tests.support.factories import (
    make_claim,
    make_delivery_report,
    make_dispatch,
    make_issue,
    make_issues,
    make_subscription,
)
from tests.support.privacy import erase
from tests.support.subscribers import correct, merge, require_sound
from tests.support.walk import walk


async def by_order(cast: Cast) -> dict[str, dict[str, Any]]:
    """The subscriptions by the order id that their email begins with."""
    found = await walk(cast, "/v1/subscriptions/", 200)
    return {each["subscriber"]["email"].partition("@")[0].upper(): each for each in found}


async def touched(cast: Cast, batch: ImportBatch, *, named: int = 100) -> dict[str | None, Any]:
    """What was touched, by order id."""
    preview = await preview_undo(cast.db, cast.account_id, batch, named=named)
    return {each.order_id: each.what for each in preview.touched}


async def test_all_that_happens_to_an_order_or_its_subscriber_is_named(acme: Cast) -> None:
    issues = await make_issues(acme, 1, 8)
    rows = [row(f"A{n}", last_name=f"Lovelace{n}") for n in range(8)]
    rows[0] = row("A0", start_issue="8", length="1")
    batch = await imported(acme, *rows)
    made = await by_order(acme)
    ids = {order: each["subscriber"]["id"] for order, each in made.items()}
    await make_dispatch(acme, issues[-1]["id"])
    await make_delivery_report(acme, made["A1"]["id"])
    await make_claim(acme, made["A2"])
    await move(acme, made["A3"], first=3)
    await add_note(acme.db, acme.account_id, ids["A4"], "She called.", by=BY)
    await correct(acme, ids["A5"], last_name="King")
    other = await make_subscription(acme, email="kept@example.test", start_issue=1, length=1)
    await merge(acme, other["subscriber"]["id"], ids["A6"])
    found = await touched(acme, batch)
    assert found == {
        "A0": ["in a mailing"],
        "A1": ["reported as undeliverable or moved"],
        "A2": ["sent", "claimed"],
        "A3": ["change of address planned", "changed"],
        "A4": ["note added", "subscriber changed"],
        "A5": ["subscriber changed"],
        "A6": ["moved to another subscriber", "merged", "subscriber changed"],
    }
    assert (await touched(acme, batch, named=1)).keys() == {"A0"}
    stopped = await undone(acme, batch)
    assert "7 orders were touched" in (stopped.error or "")
    done = await undone(acme, batch, keep=True)
    assert (done.counts.undone, done.counts.kept) == (1, 7)
    await require_sound(acme)


async def test_many_touched_rows_are_named_in_part(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undo, "NAMED", 1)
    [issue] = await make_issues(acme, 1, 1)
    batch = await imported(acme, row("A1"), row("A2"))
    await make_dispatch(acme, issue["id"])
    stopped = await undone(acme, batch)
    assert "line 2 (A1: in a mailing); …. Undo" in (stopped.error or "")


async def test_orders_of_erased_people_and_without_a_trail_stay(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, email="grace@example.test", start_issue=1, length=1)
    batch = await imported(acme, row("A1"), row("A2"), row("A3", email="grace@example.test"))
    made = {each["subscriber"]["email"]: each for each in await walk(acme, "/v1/subscriptions/")}
    await erase(acme, made["a1@example.test"]["subscriber"]["id"])
    await erase(acme, made["grace@example.test"]["subscriber"]["id"])

    async def forget(tx: Transaction) -> None:
        await tx.execute(
            "DELETE FROM audit WHERE account_id = :account_id AND subject_id = :id",
            {"account_id": acme.account_id, "id": made["a2@example.test"]["id"]},
        )

    await acme.db.write(forget)
    found = await touched(acme, batch)
    assert found.keys() == {"A1", "A2", "A3"}
    assert "erased" in found["A1"]
    assert found["A2"] == ["changed"]


async def test_a_subscriber_who_ordered_again_stays(acme: Cast) -> None:
    await make_issue(acme)
    batch = await imported(acme, row("A1"), row("A2"))
    await make_subscription(acme, email="a1@example.test", start_issue=1, length=1)
    done = await undone(acme, batch)
    assert (done.counts.undone, done.counts.kept) == (2, 0)
    [left] = await walk(acme, "/v1/subscribers/")
    assert (left["email"], left["subscription_count"]) == ("a1@example.test", 1)
    await require_sound(acme)
