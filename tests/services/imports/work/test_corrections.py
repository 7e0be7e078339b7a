"""The refused rows of an import that are corrected on its page, and the file that they make."""

import pytest
from msgspec import structs

from masthead.model.imports.batches import ImportBatch, ImportRow
from masthead.model.imports.plan import ImportPlan
from masthead.model.imports.tabular_data import Line, Table, correct_table
from masthead.services.imports import batches as service
from masthead.services.imports.work import corrections
from masthead.services.imports.work.corrections import (
    cells_of,
    correct,
    list_correctable,
    write_file,
)
from masthead.services.imports.work.rejects import writer_of
from masthead.store.imports import batches as store
from tests.conftest import Cast
from tests.services.imports.test_page_batches import BY, upload, work
from tests.support.factories import make_issue
from tests.support.walk import walk

HEAD = b"order_id;email;first_name;address1;country;order_date;price;start_issue;length;iban\n"
FINE = b"A1;a@x.test;Ann;Street 1;DE;2026-01-15;42,00;1;4;\n"
WORD = b"A2;b@x.test;Bob;Street 2;DE;2026-01-15;42,00;1;vier;\n"
DAY = b"A3;c@x.test;Carl;Street 3;DE;31.02.2025;42,00;1;4;\n"
LONG = b"A4;d@x.test;Dan;Street 4;DE;2026-01-15;42,00;1;4;;more\n"
IBAN = b"A5;e@x.test;Eve;Street 5;DE;2026-01-15;42,00;1;4;DE89370400440532013001\n"


async def rehearsed(cast: Cast, *rows: bytes) -> ImportBatch:
    """A file that was rehearsed."""
    await make_issue(cast)
    id = await upload(cast, HEAD + b"".join(rows))
    await service.request_rehearsal(cast.db, cast.account_id, id)
    await work(cast, id)
    return await store.get_batch(cast.db, cast.account_id, id)


async def refused(cast: Cast, batch: ImportBatch) -> list[ImportRow]:
    """The rows that can be corrected."""
    async with cast.db.read() as db:
        return await list_correctable(db, cast.account_id, batch)


def texts_of(batch: ImportBatch, row: ImportRow) -> dict[str, str]:
    """The names and texts of the cells, as the form of a page sends them."""
    return {cell.name: cell.text for cell in cells_of(batch, row)}


async def test_corrected_rows_are_imported_like_an_upload(acme: Cast) -> None:
    first = await rehearsed(acme, FINE, WORD, DAY)
    typed = {"vier": "4", "31.02.2025": "2025-02-28"}
    rows = [
        correct(first, row, {n: typed.get(t, t) for n, t in texts_of(first, row).items()})
        for row in await refused(acme, first)
    ]
    content = write_file(first.layout.columns, rows, writer_of(first)[0])
    assert b"vier" in content.splitlines()[1]  # as the value in the report
    await work_through(acme, content, first.id)
    found = await walk(acme, "/v1/subscriptions/")
    assert sorted(each["first_name"] for each in found) == ["Bob", "Carl"]
    assert await store.get_batch(acme.db, acme.account_id, first.id) == first
    [again] = await store.list_corrections(acme.db, acme.account_id, first.id)
    assert (again.counts.imported, again.counts.rejected) == (2, 0)
    assert await store.list_corrections(acme.db, acme.account_id, again.id) == []


async def work_through(cast: Cast, content: bytes, corrects: str) -> None:
    """Rehearse and import a file of corrected rows."""
    id = await service.upload_file(cast.db, cast.account_id, "list.csv", content, by=BY)
    await service.choose_plan(
        cast.db,
        cast.account_id,
        id,
        source_id=cast.imported,
        plan=ImportPlan(),
        corrects=corrects,
    )
    await service.request_rehearsal(cast.db, cast.account_id, id)
    await work(cast, id)
    await service.request_run(cast.db, cast.account_id, id, by=BY)
    await work(cast, id)


async def test_cells_that_were_not_changed_stay_as_they_are(acme: Cast) -> None:
    """The form shows neither IBANs nor line breaks."""
    batch = await rehearsed(acme, IBAN)
    [row] = await refused(acme, batch)
    row = structs.replace(row, cells=[[*row.cells[0][:3], "Street\n5", *row.cells[0][4:]]])
    texts = texts_of(batch, row)
    assert "Street 5" in texts.values()
    assert not any("37040044" in text for text in texts.values())
    assert correct(batch, row, texts) == row


async def test_all_cells_of_a_line_that_is_too_long_are_shown(acme: Cast) -> None:
    batch = await rehearsed(acme, LONG)
    [row] = await refused(acme, batch)
    texts = texts_of(batch, row)
    assert [*texts.values()][-1] == "more"
    [*_, last] = texts
    fixed = correct(batch, row, {**texts, last: ""})
    content = write_file(batch.layout.columns, [fixed], writer_of(batch)[0])
    await work_through(acme, content, batch.id)
    assert len(await walk(acme, "/v1/subscriptions/")) == 1


async def test_lines_that_are_too_long_are_corrected_before_the_import(acme: Cast) -> None:
    batch = await rehearsed(acme, LONG, FINE)
    [row] = await refused(acme, batch)
    texts = texts_of(batch, row)
    [*_, last] = texts
    fixed = correct(batch, row, {**texts, last: ""})
    await service.correct_rows(acme.db, acme.account_id, batch.id, {row.line: fixed.cells})
    await work(acme, batch.id)
    again = await store.get_batch(acme.db, acme.account_id, batch.id)
    assert (again.counts.imported, again.counts.rejected) == (2, 0)


def test_the_lines_of_an_order_are_corrected_together() -> None:
    lines = [Line(2, ["A1", "x"]), Line(4, ["A1", "y"], "broken"), Line(5, ["A2", "z"])]
    table = Table("list.csv", ("order", "item"), "", (), ",", 3, (), lambda: iter(lines))
    corrected = correct_table(table, {2: [["A1", "X"], ["A1", "Y"]]})
    assert [*corrected.lines()] == [Line(2, ["A1", "X"]), Line(4, ["A1", "Y"]), lines[2]]
    assert correct_table(table, {}) is table


async def test_other_columns_keep_the_corrections_and_another_sheet_does_not(acme: Cast) -> None:
    batch = await rehearsed(acme, WORD)
    [row] = await refused(acme, batch)
    db, account_id, corrections = acme.db, acme.account_id, {row.line: row.cells}
    await service.correct_rows(db, account_id, batch.id, corrections)
    await work(acme, batch.id)
    for layout, kept in ((None, corrections), (structs.replace(batch.layout, sheet="B"), {})):
        await service.choose_plan(
            db, account_id, batch.id, source_id=acme.imported, plan=batch.plan, layout=layout
        )
        changed = await store.get_batch(db, account_id, batch.id)
        assert changed.decisions.corrections == kept


async def test_a_missing_cell_is_an_error(acme: Cast) -> None:
    batch = await rehearsed(acme, WORD)
    [row] = await refused(acme, batch)
    with pytest.raises(KeyError):
        correct(batch, row, {})


@pytest.mark.parametrize("limit", ["MOST_ROWS", "MOST_CELLS", "MOST_CHARACTERS"])
async def test_too_many_are_not_corrected_on_a_page(
    acme: Cast, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    batch = await rehearsed(acme, WORD, DAY)
    assert len(await refused(acme, batch)) == 2
    monkeypatch.setattr(corrections, limit, 1)
    assert await refused(acme, batch) == []
