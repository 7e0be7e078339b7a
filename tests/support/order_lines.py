"""Import orders in our own columns, without a file, a mapping or a record of the import."""

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.imports.batches import Counts, RowOutcome
from masthead.model.imports.rows.checks import row_refusals, sent_dates, stated_status
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.imports.subscription_row import SubscriptionRow
from masthead.model.imports.tabular_data import Line
from masthead.model.input_fields import Field, fields_of
from masthead.model.orders.order import Order, OrderDefaults, make_order
from masthead.model.types.messages import shown
from masthead.model.types.text import MAX_DIGITS, is_digits
from masthead.model.validation import decode_input
from masthead.services.imports.work.options import Import as Import
from masthead.services.imports.work.place_rows import place_rows
from masthead.services.imports.work.placed import PlacedRow
from masthead.services.imports.work.rehearse import Rehearsal
from masthead.services.imports.work.run_batch import Place, place_in_batches
from masthead.services.imports.work.tally import Tally
from masthead.store.engine.interface import Database, Transaction
from masthead.store.imports.kept_orders import KeptOrders

_FIELDS = fields_of(SubscriptionRow)
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class OrderLine(Struct, frozen=True):
    """A row with an order in our own format: its number, and its cells by column."""

    number: int
    cells: Mapping[str, str]


class Reject(Struct, frozen=True):
    """A rejected row, with the cell that causes the error."""

    line: OrderLine
    column: str
    value: str
    reason: str


class Summary(Struct):
    """The numbers of rows by result. skipped: rows whose order exists already."""

    read: int = 0
    imported: int = 0
    skipped: int = 0
    rejected: int = 0


async def import_lines(
    db: Database,
    lines: Iterable[OrderLine],
    how: Import,
    *,
    on_reject: Callable[[Reject], None] = lambda reject: None,
    on_progress: Callable[[Summary], None] = lambda summary: None,
) -> Summary:
    """Import rows in transactions of up to 1,000 rows. Raises: Invalid `invalid_source`."""

    async def place(rows: list[PreparedRow]) -> list[PlacedRow]:
        async def work(tx: Transaction) -> list[PlacedRow]:
            return (await place_rows(tx, rows, how)).rows

        return await db.write(work, account_id=how.account_id, is_long=True)

    return await _summarize(db, lines, how, place, on_reject, on_progress)


async def try_lines(
    db: Database,
    lines: Iterable[OrderLine],
    how: Import,
    *,
    on_reject: Callable[[Reject], None] = lambda reject: None,
    on_progress: Callable[[Summary], None] = lambda summary: None,
) -> Summary:
    """Rehearse an import; nothing is changed. Raises: Invalid `invalid_source`."""
    with KeptOrders() as kept:
        place = Rehearsal(db, how, kept).place
        return await _summarize(db, lines, how, place, on_reject, on_progress)


async def _summarize(
    db: Database,
    lines: Iterable[OrderLine],
    how: Import,
    place: Place,
    on_reject: Callable[[Reject], None],
    on_progress: Callable[[Summary], None],
) -> Summary:
    tally = Tally(Counts(), [])

    async def count(rows: list[PreparedRow]) -> list[PlacedRow]:
        nonlocal tally
        placed = await place(rows)
        tally = tally.plus(placed)
        for row, result in zip(rows, placed, strict=True):
            if result.stored.outcome is RowOutcome.REFUSED:
                problem = result.stored.reasons[0]
                line = OrderLine(row.lines[0].number, row.fields)
                on_reject(Reject(line, problem.column, problem.value, problem.text))
        on_progress(_summary(tally.counts))
        return placed

    await place_in_batches(db, (_prepared(line, how) for line in lines), count)
    return _summary(tally.counts)


def _summary(counts: Counts) -> Summary:
    return Summary(counts.read, counts.imported, counts.skipped, counts.rejected)


def _prepared(line: OrderLine, how: Import) -> PreparedRow:
    """A row in our own format."""
    source = Line(line.number, list(line.cells.values()))
    row = PreparedRow(lines=[source], fields=dict(line.cells))
    try:
        row.order = order_of_cells(line.cells, how.defaults)
    except Invalid as refusal:
        row.reasons = [row.problem_of(refusal)]
    return row


def order_of_cells(cells: Mapping[str, str], defaults: OrderDefaults) -> Order:
    """The order in one row. cells: text by column; an empty cell is absent. Raises: Invalid."""
    if "" in cells:
        raise Invalid("The row has more cells than the first line has columns.", value=cells[""])
    raw = {
        name: _value(_FIELDS[name], text.strip()) for name, text in cells.items() if text.strip()
    }
    row = decode_input(SubscriptionRow, raw)
    for refusal in row_refusals(row):
        raise refusal
    return make_order(row, defaults, sent=sent_dates(row), status=stated_status(row))


def _value(field: Field, text: str) -> object:
    """The text of a cell, converted to the type of its column."""
    if "\0" in text:
        raise Invalid(f"`{field.name}` contains the character NUL.", field=field.name, value=text)
    if field.kind is bool:
        if text.lower() not in _FLAGS:
            raise Invalid(
                f"`{field.name}` is {shown(text)}; expected true or false, yes or no, 1 or 0.",
                field=field.name,
                value=text,
            )
        return _FLAGS[text.lower()]
    if field.kind is int and is_digits(text, at_most=MAX_DIGITS):
        return int(text)
    return text
