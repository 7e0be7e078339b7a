"""What becomes of prepared rows: their own product and source, givers, and erased people."""

from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import python_calamine
from msgspec import structs

from masthead.model.imports.batches import ImportRow, RowOutcome
from masthead.model.imports.plan import Problem
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.orders.order import Giver
from masthead.model.pagination import PageRequest, all_pages
from masthead.services.imports.table import open_table
from masthead.services.imports.work import rejects
from masthead.services.imports.work.place_rows import place_rows
from masthead.services.imports.work.placed import PlacedRow
from masthead.services.products import create_product
from masthead.store.engine.interface import Transaction
from masthead.store.imports import batch_rows
from masthead.store.imports.kept_orders import KeptOrder
from tests.conftest import BY, Cast
from tests.services.imports.support import imported, reading_of, row
from tests.support.factories import import_options, make_issue
from tests.support.privacy import erase
from tests.support.walk import walk


async def prepared(cast: Cast, *rows: dict[str, str]) -> list[PreparedRow]:
    """Rows as they are before they are placed."""
    return list((await reading_of(cast, *rows)).rows())


async def placed(cast: Cast, rows: list[PreparedRow], **options: Any) -> list[PlacedRow]:
    """Place rows in a transaction."""
    how = import_options(cast)

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
    columns, writer = batch.layout.columns, rejects.CsvRejects(",")
    parts = rejects.read_rejects(acme.db, acme.account_id, batch.id, columns, writer)
    text = b"".join([part async for part in parts]).decode()
    assert [line.split(",")[0] for line in text.splitlines()[1:]] == ["2", "3", "4", "5", "6"]


def test_the_rejects_of_no_rows_are_a_head() -> None:
    text = rejects.Rejects(("a", "line"), rejects.CsvRejects(";"))
    assert (text.head() + text.end()).decode() == "\ufeffline;column;value;reason;a\r\n"


def test_lines_of_an_order_come_once_with_all_its_reasons() -> None:
    text = rejects.Rejects(("a",), rejects.CsvRejects(","))
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
            assert told == b"2,a,x,One. | Two.,x\r\n2,,,,y\r\n"
        else:
            assert told == b""
    assert text.end() == b"4,a,x,One.,x\r\n4,,,,y\r\n"


def test_the_rejects_of_a_workbook_are_read_as_they_were(tmp_path: Path) -> None:
    """Also cells beyond the columns, which may be why a row is refused."""
    cells = [*"01067 42.5 -0.05 42.50 2026-01-13 2026-02-30 =A1 7".split(), " ", "", "one more"]
    columns = tuple("abcdefghij")
    workbook = rejects.Rejects(columns, rejects.WorkbookRejects("Refused"))
    stored = ImportRow(
        line=7,
        part=1,
        outcome=RowOutcome.REFUSED,
        reasons=[Problem("a", "01067", "Why.")],
        cells=[cells],
    )
    file = tmp_path / "list.xlsx"
    file.write_bytes(workbook.head() + workbook.add(stored) + workbook.end())
    [head, line] = python_calamine.load_workbook(file).get_sheet_by_index(0).to_python()
    assert head[:5] == ["line", "column", "value", "reason", "a"]
    kinds = [type(each) for each in line[4:10]]
    assert kinds == [str, float, float, str, date, str]
    [read] = open_table(file, name="list.xlsx").lines()
    assert read.cells[4:] == [each.strip() for each in cells]
