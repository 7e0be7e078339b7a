"""The rows of a large file come from another process, and are the same."""

import io
import os
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from masthead.model.imports.plan import AccountFacts, ImportPlan
from masthead.model.imports.presets.registry import mapping_of
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.orders.order import OrderDefaults
from masthead.model.translations import in_language
from masthead.services.imports.reading import FileReading, survey_table
from masthead.services.imports.table import open_table
from masthead.services.imports.work import reader_process
from masthead.services.imports.work.reader_process import (
    prepared_rows,
    send_rows,
    start_early,
    task_of,
)

FILE = Path(__file__).parents[2] / "files" / "imports" / "woocommerce-subscriptions.csv"


@pytest.fixture
def reading() -> FileReading:
    """A file of a shop with orders, and rows that are left out."""
    table = open_table(FILE, name=FILE.name)
    plan = ImportPlan(mapping=mapping_of("woocommerce-subscriptions", table.columns))
    facts = AccountFacts(defaults=OrderDefaults("EUR", "mail.example"), today=date(2026, 6, 1))
    return survey_table(table, plan, facts)


@pytest.fixture
def is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each file count as large, and send few rows at a time."""
    monkeypatch.setattr(reader_process, "LARGE", 0)
    monkeypatch.setattr(reader_process, "_BATCH", 2)


def without_fields(rows: Iterator[PreparedRow]) -> list[PreparedRow]:
    """The rows as they come from another process."""
    return [msgspec.structs.replace(row, fields=kept_fields(row)) for row in rows]


def kept_fields(row: PreparedRow) -> dict[str, Any]:
    """Of a refused row, what recognizes its order and its subscriber."""
    names = "order_id email first_name last_name company address1 postcode".split()
    return {name: row.fields[name] for name in names if name in row.fields and row.reasons}


@pytest.mark.usefixtures("is_large")
def test_the_rows_of_another_process_are_the_same(reading: FileReading) -> None:
    expected = without_fields(reading.rows())
    assert len(expected) > 3
    assert list(prepared_rows(reading)) == expected
    assert list(prepared_rows(reading, skip=3)) == expected[3:]
    assert list(prepared_rows(reading, skip=len(expected))) == []


@pytest.mark.usefixtures("is_large")
def test_corrected_cells_are_those_of_the_other_process(reading: FileReading) -> None:
    first = next(reading.table.lines())
    cells = ["999" if cell == "501" else cell for cell in first.cells]
    corrected = survey_table(
        reading.table, reading.plan, reading.facts, corrections={first.number: [cells]}
    )
    rows = list(prepared_rows(corrected))
    assert rows == without_fields(corrected.rows())
    assert rows != without_fields(reading.rows())


def test_a_small_file_is_read_in_this_process(reading: FileReading) -> None:
    assert list(prepared_rows(reading, skip=1)) == list(reading.rows())[1:]


@pytest.mark.usefixtures("is_large")
def test_a_reader_may_start_before_its_task_is_known(
    reading: FileReading, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_early(FILE)
    assert reader_process._started == []  # a small file needs none
    monkeypatch.setattr(reader_process, "_LARGE_BYTES", 1)
    for _ in range(2):
        start_early(FILE)
    [process] = reader_process._started
    rows = prepared_rows(reading)
    assert next(rows).lines[0].number == 2
    assert reader_process._started == []
    assert process.poll() is None
    assert os.getpgid(process.pid) == process.pid  # Ctrl-C in a terminal does not reach it
    assert without_fields(rows) == without_fields(reading.rows())[1:]


def test_a_reader_ends_without_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    target = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(target, write_through=True))
    reader_process.main()
    assert target.getvalue() == b""


@pytest.mark.usefixtures("is_large")
def test_a_reader_that_fails_is_an_error(
    reading: FileReading, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = msgspec.structs.replace(reading.table, path=Path("/nowhere/orders.csv"))
    with pytest.raises(RuntimeError, match="has failed"):
        list(prepared_rows(msgspec.structs.replace(reading, table=missing)))
    monkeypatch.setattr(sys, "executable", "/bin/true")  # it does not even read its input
    with pytest.raises(RuntimeError, match="has failed"):
        list(prepared_rows(reading))


@pytest.mark.usefixtures("is_large")
def test_a_reader_ends_with_the_one_who_asks(reading: FileReading) -> None:
    rows = prepared_rows(reading)
    assert next(rows).lines[0].number == 2
    rows.close()  # type: ignore[attr-defined]
    assert list(rows) == []


def test_the_process_sends_rows_in_the_language_of_its_parent(
    reading: FileReading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_process, "_BATCH", 2)
    with in_language("de_AT"):
        assert task_of(reading, skip=0).language == "de"
    task = task_of(reading, skip=0)
    assert task.language == "en"
    target = io.BytesIO()
    with monkeypatch.context() as patch:
        source = io.TextIOWrapper(io.BytesIO(msgspec.json.encode(task)))
        patch.setattr(sys, "stdin", source)
        patch.setattr(sys, "stdout", io.TextIOWrapper(target, write_through=True))
        reader_process.main()
        direct = io.BytesIO()
        send_rows(task, direct)
        assert target.getvalue() == direct.getvalue()
