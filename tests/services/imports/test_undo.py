"""Undo an import: everything is as before, and touched rows stay or stop it."""

from typing import Any

import pytest

from masthead.model.errors import Invalid
from masthead.model.imports.batches import BatchStatus, RowOutcome
from masthead.model.pagination import PageRequest
from masthead.services.imports.batches import request_undo
from masthead.services.imports.work import undo
from masthead.services.imports.work.undo_preview import preview_undo
from masthead.store.imports import batch_rows, batches as store
from tests.conftest import BY, Cast
from tests.services.imports.support import imported, row, undone
from tests.support.checks import faults
from tests.support.factories import make_issue, make_subscription
from tests.support.statement_counter import StatementCounter
from tests.support.walk import walk

PAGE = PageRequest(limit=200, after=None, binding=b"")


async def subscribers(cast: Cast) -> list[dict[str, Any]]:
    return await walk(cast, "/v1/subscribers/")


async def subscriptions(cast: Cast) -> list[dict[str, Any]]:
    return await walk(cast, "/v1/subscriptions/")


async def test_an_undo_leaves_everything_as_it_was(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undo, "PART", 2)
    await make_issue(acme)
    mine = await make_subscription(acme, email="grace@example.test", order_id="M1")
    before = await subscribers(acme), await subscriptions(acme)
    batch = await imported(
        acme,
        row("A1", refunded="2.00", sent_issues="1", sent_dates="2026-02-01"),
        row("A2", email="grace@example.test"),
        row("A3", renews="A1", start_issue="", length="2"),
        row("A4", renews="M1", start_issue="", length="2", status="Cancelled"),
        row("A5", email="", status="Cancelled"),
    )
    assert (batch.number, batch.counts.imported) == (1, 5)
    assert (batch.counts.subscribers_made, batch.counts.renewals) == (2, 2)
    assert await faults(acme) == []
    done = await undone(acme, batch)
    assert (done.status, done.counts.undone, done.counts.kept) == (BatchStatus.UNDONE, 5, 0)
    assert await faults(acme) == []
    assert (await subscribers(acme), await subscriptions(acme)) == before
    assert mine["id"]
    again = await imported(acme, row("A1"), row("A2"))
    assert (again.number, again.counts.imported) == (2, 2)
    with pytest.raises(Invalid, match="undone"):
        await undone(acme, batch)


async def statements_of_undo(cast: Cast, count: int) -> int:
    """The number of statements to take renewals back, without those that note it of each row."""
    first = [row(f"M{count}-{n}") for n in range(count)]
    await imported(cast, *first, sha256=f"first-{count}")
    renewal = {"start_issue": "", "length": "2"}
    rows = [row(f"A-{each['order_id']}", renews=each["order_id"], **renewal) for each in first]
    batch = await imported(cast, *rows, sha256=f"second-{count}")
    counter = StatementCounter(cast.db)
    done = await undone(cast, batch, db=counter)
    assert done.counts.undone == count
    return sum("UPDATE import_row" not in sql for sql in counter.statements)


async def test_an_undo_of_many_renewals_takes_as_many_statements_as_one_of_few(acme: Cast) -> None:
    await make_issue(acme)
    few, many = [await statements_of_undo(acme, count) for count in (3, 12)]
    assert few == many
    assert await faults(acme) == []


async def test_touched_rows_stop_an_undo_or_stay(acme: Cast) -> None:
    await make_issue(acme)
    batch = await imported(acme, row("A1"), row("A2"), row("A3"), row("A4"))
    by_order = {each["subscriber"]["email"][:2].upper(): each for each in await subscriptions(acme)}
    sent = await acme.post(f"/v1/subscriptions/{by_order['A1']['id']}/cancel/", {"mode": "cancel"})
    assert sent.status_code == 200
    copies = await walk(acme, "/v1/copies/", subscription=by_order["A2"]["id"])
    marked = await acme.post("/v1/copies/mark-sent/", {"ids": [copies[0]["id"]]})
    assert marked.status_code == 200, marked.json()
    await imported(acme, row("B1", renews="A3", start_issue="", length="1"), sha256="2")
    preview = await preview_undo(acme.db, acme.account_id, batch)
    assert {each.order_id: each.what for each in preview.touched} == {
        "A1": ["cancelled"],
        "A2": ["sent"],
        "A3": ["renewed"],
    }
    stopped = await undone(acme, batch)
    assert stopped.status is BatchStatus.IMPORTED
    assert stopped.error is not None
    assert "3 orders were touched" in stopped.error
    assert "line 3 (A2: sent)" in stopped.error
    done = await undone(acme, batch, keep=True)
    assert (done.status, done.counts.undone, done.counts.kept) == (BatchStatus.UNDONE, 1, 3)
    kept = await batch_rows.list_rows(acme.db, acme.account_id, batch.id, RowOutcome.KEPT, PAGE)
    assert [each.reasons[0].text for each in kept.items] == ["cancelled", "sent", "renewed"]
    assert await faults(acme) == []


async def test_a_killed_undo_goes_on(acme: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undo, "PART", 1)
    await make_issue(acme)
    batch = await imported(acme, row("A1"), row("A2"), row("A3"))

    class Killed(Exception):
        pass

    def kill(counts: Any) -> None:
        if counts.undone == 2:
            raise Killed

    await request_undo(acme.db, acme.account_id, batch.id, keep_touched=False, by=BY)
    asked = await store.get_batch(acme.db, acme.account_id, batch.id)
    with pytest.raises(Killed):
        await undo.undo_batch(acme.db, acme.account_id, asked, holder="me", on_progress=kill)
    half = await store.get_batch(acme.db, acme.account_id, batch.id)
    assert (half.status, half.counts.undone) == (BatchStatus.UNDOING, 2)
    done = await undo.undo_batch(acme.db, acme.account_id, half, holder="me")
    assert (done.status, done.counts.undone) == (BatchStatus.UNDONE, 3)
    assert await subscribers(acme) == []
    assert await faults(acme) == []
