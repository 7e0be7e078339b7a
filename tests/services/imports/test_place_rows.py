"""What becomes of prepared rows: their own product and source, givers, and erased people."""

from functools import partial
from typing import Any

import pytest
from msgspec import structs

from masthead.model.imports.batches import ImportRow, RowOutcome
from masthead.model.imports.plan import Problem
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.orders.order import Giver, OrderDefaults
from masthead.model.pagination import PageRequest, all_pages
from masthead.services.imports.work import rejects
from masthead.services.imports.work.place_rows import place_rows
from masthead.services.imports.work.placed import Import, PlacedRow
from masthead.services.imports.work.rejects import read_rejects
from masthead.services.products import create_product
from masthead.store.engine.interface import Transaction
from masthead.store.imports import batch_rows
from masthead.store.imports.kept_orders import KeptOrder
from tests.conftest import BY, Cast
from tests.services.imports.support import imported, reading_of, row
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue
from tests.support.privacy import erase
from tests.support.walk import walk


async def prepared(cast: Cast, *rows: dict[str, str]) -> list[PreparedRow]:
    """Rows as they are before they are placed."""
    return list((await reading_of(cast, *rows)).rows())


async def placed(cast: Cast, rows: list[PreparedRow], **options: Any) -> list[PlacedRow]:
    """Place rows in a transaction."""
    how = Import(
        cast.account_id, cast.imported, OrderDefaults(cast.currency, PLACEHOLDER_DOMAIN), BY
    )

    async def work(tx: Transaction) -> list[PlacedRow]:
        return (await place_rows(tx, rows, how, **options)).rows

    return await cast.db.write(work, account_id=cast.account_id)


async def test_a_row_may_have_its_own_product_and_source(acme: Cast) -> None:
    await make_issue(acme)
    offered = await create_product(acme.db, acme.account_id, name="Magazine", by=BY)
    [each] = await prepared(acme, row("A1"))
    [done] = await placed(acme, [structs.replace(each, product_id=offered.id, source_id=acme.shop)])
    assert done.stored.outcome is RowOutcome.IMPORTED
    [made] = await walk(acme, "/v1/subscriptions/")
    assert (made["product"]["id"], made["source"]["id"]) == (offered.id, acme.shop)


async def test_a_giver_whom_a_row_makes_is_named_once(acme: Cast) -> None:
    await make_issue(acme)
    giver = Giver(email="bob@example.test", first_name="Bob")
    rows = [
        structs.replace(each, order=structs.replace(each.order, is_gift=True, giver=giver))
        for each in await prepared(acme, row("A1"), row("A2"))
        if each.order
    ]
    first, second = [each.stored.made for each in await placed(acme, rows)]
    assert first is not None
    assert second is not None
    bob = (await walk(acme, "/v1/subscribers/", search="bob@example.test"))[0]["id"]
    assert (first.giver, second.giver) == (bob, None)


async def test_earlier_orders_that_are_refused_are_passed(acme: Cast) -> None:
    await make_issue(acme)
    earlier, mine = await prepared(acme, row("A1", start_issue="9"), row("A2"))
    assert earlier.order is not None
    kept = KeptOrder(root="A1", line=2, order=earlier.order)
    [done] = await placed(acme, [mine], earlier=[kept])
    assert (done.stored.order_id, done.stored.outcome) == ("A2", RowOutcome.IMPORTED)


async def test_rows_of_erased_people_are_left_out_with_the_day(acme: Cast) -> None:
    await make_issue(acme)
    await imported(acme, row("A1"))
    [ada] = await walk(acme, "/v1/subscribers/")
    await erase(acme, ada["id"])
    batch = await imported(acme, row("B1", email="a1@example.test"), sha256="2")
    assert (batch.counts.left_out, batch.counts.imported) == (1, 0)
    assert "was erased on" in batch.reasons[0].text


async def test_nothing_is_stored_of_refused_rows_of_erased_people(acme: Cast) -> None:
    await make_issue(acme)
    await imported(acme, row("A1"), row("A2", email="", address1="7 Lane"))
    for each in await walk(acme, "/v1/subscribers/"):
        await erase(acme, each["id"])
    batch = await imported(
        acme,
        row("B1", email="a1@example.test", country="XX"),
        row("B2", email="", address1="7 Lane", price="x"),
        row("B3", country="XX"),
        row("B4", email=f"a@{'x' * 300}.test", first_name="A" * 300),
        sha256="2",
    )
    assert (batch.counts.left_out, batch.counts.rejected) == (2, 2)
    found = await rows_in_batch(acme, batch.id, RowOutcome.LEFT_OUT)
    assert [each.cells for each in found] == [[], []]
    assert "a1@example.test" not in repr(found)


async def rows_in_batch(cast: Cast, id: str, outcome: RowOutcome) -> list[ImportRow]:
    """The rows of a batch with an outcome."""
    request = PageRequest(limit=200, after=None, binding=b"")
    page = await batch_rows.list_rows(cast.db, cast.account_id, id, outcome, request)
    return list(page.items)


async def test_many_refused_rows_are_read_in_parts(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_issue(acme)
    batch = await imported(acme, *(row(f"A{n}", country="XX") for n in range(5)))
    monkeypatch.setattr(rejects, "all_pages", partial(all_pages, limit=2))
    text = "".join(
        [
            part
            async for part in read_rejects(
                acme.db, acme.account_id, batch.id, batch.layout.columns, ","
            )
        ]
    )
    assert [line.split(",")[0] for line in text.splitlines()[1:]] == ["2", "3", "4", "5", "6"]


def test_the_rejects_of_no_rows_are_a_head() -> None:
    text = rejects.RejectsText(("a", "line"), ";")
    assert text.head() + text.end() == "\ufeffline;column;value;reason;a\r\n"


def test_lines_of_an_order_come_once_with_all_its_reasons() -> None:
    text = rejects.RejectsText(("a",), ",")
    cells = [["x"], ["y"]]
    for line, part, reason in ((2, 1, "One."), (2, 2, "One."), (2, 3, "Two."), (4, 1, "One.")):
        stored = ImportRow(
            line=line,
            part=part,
            outcome=RowOutcome.REFUSED,
            reasons=[Problem("a", "x", reason)],
            cells=cells,
        )
        told = text.add(stored)
        if line == 4:
            assert told == "2,a,x,One. | Two.,x\r\n2,,,,y\r\n"
        else:
            assert told == ""
    assert text.end() == "4,a,x,One.,x\r\n4,,,,y\r\n"
