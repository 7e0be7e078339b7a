"""Cells with texts that nobody typed are decoded, emptied or refused, and it is said."""

from datetime import date

from masthead.model.imports.mapping import ImportMapping, Rule
from masthead.model.types.enums import Medium
from tests.support.cases import for_each
from tests.support.import_tables import ROW, mapping_of, order_of, prepared, reasons_of

FIRST, STREET, NUMBER, TOWN = "First", "Street", "No", "Town"
COLUMNS: dict[str, str | Rule] = {
    "first_name": FIRST,
    "address1": Rule(join=(STREET, NUMBER)),
    "city": TOWN,
    "phone": "Tel",
    "email": "Mail",
    "notes": "Note",
    "medium": "Medium",
}
CODE: dict[str, str | Rule] = {**COLUMNS, "promo_code": "Code"}
GOOD = {FIRST: "Ada", STREET: "Weg", NUMBER: "1", TOWN: "Ulm", "Tel": "", "Mail": "", "Note": ""}


def remarks_of(cells: dict[str, str]) -> list[str]:
    mapping = mapping_of(COLUMNS)
    [row] = prepared([{**ROW, **GOOD, **cells}], mapping)
    assert row.order is not None
    return row.warnings


@for_each(
    "column, text, field, value, why",
    [
        ("Last", "O&#039;Brien", "last_name", "O'Brien", "which has codes of HTML. It is imported"),
        (TOWN, "KÃ¶ln", "city", "Köln", "which was encoded twice. It is imported as `Köln`."),
        (TOWN, "null", "city", None, "for an empty field. It is imported as an empty cell."),
        (NUMBER, r"\N", "address1", "Weg", "It is imported as an empty cell."),
        ("Tel", "#N/A", "phone", None, "It is imported as an empty cell."),
        ("Note", "A &amp; B", "notes", "A & B", "It is imported as `A & B`."),
        ("Last", "NULL", "last_name", "NULL", "A person or a town can be called that, so it is"),
    ],
)
def test_what_is_repaired_is_said(
    column: str, text: str, field: str, value: str | None, why: str
) -> None:
    cells = {**GOOD, column: text}
    assert getattr(order_of(cells, COLUMNS), field) == value
    remark, *more = remarks_of(cells)
    is_gone = field == "city" and value is None
    assert more == ["The town is missing. Printed issues need it."] * is_gone
    assert remark.startswith(f"`{column}` is `{text}`, ")
    assert why in remark


def test_a_name_is_empty_if_the_program_writes_that_for_other_empty_fields_too() -> None:
    for other in ("Mail", "Note", "Unused"):
        cells = {**GOOD, "Last": "NULL", other: "NULL"}
        assert order_of(cells, COLUMNS).last_name is None
        assert order_of({**cells, "Last": "Null"}, COLUMNS).last_name == "Null"


def test_invisible_characters_are_removed_from_other_fields_without_a_remark() -> None:
    cells = {"Date": "\u200e5\u200e/\u200e20\u200e/\u200e2026", "Mail": "\ufeffada@x.org\u200b"}
    order = order_of({**GOOD, **cells}, COLUMNS)
    assert (order.order_date, order.email) == (date(2026, 5, 20), "ada@x.org")
    assert remarks_of(cells) == []


def test_other_fields_are_emptied_without_a_remark_and_keys_stay() -> None:
    cells = {"Mail": "NULL", "Medium": "NULL"}
    assert remarks_of({**cells, "Medium": ""}) == []
    assert order_of({**GOOD, **cells, "Medium": ""}, COLUMNS).email is None
    assert order_of({**GOOD, "Note": "", "Code": "R&amp;D"}, CODE).promo_code == "R&amp;D"
    assert order_of({**GOOD, "Code": "A\u200b1\0"}, CODE).promo_code == "A1"
    item = Rule(packed="Code", part="code")
    packed = {**GOOD, "Code": "code:\u200b|name:Print"}
    assert order_of(packed, {**COLUMNS, "promo_code": item}).promo_code is None
    table = Rule(columns=("Medium",), table={"NULL": "Digital"})
    assert order_of({**GOOD, **cells}, {**COLUMNS, "medium": table}).medium is Medium.DIGITAL


@for_each(
    "column, text",
    [(TOWN, "#REF!"), (TOWN, "K\ufffdln"), (FIRST, "15.01.2026"), ("Tel", "2026-01-15")],
)
def test_what_nobody_can_repair_is_refused(column: str, text: str) -> None:
    reasons = reasons_of({**GOOD, column: text}, COLUMNS)
    assert list(reasons) == [column]
    assert reasons[column].endswith(". Correct the cell, or empty it.")


def test_our_own_columns_are_repaired_too() -> None:
    own = {"order_id": "A1", "company": "Kel&#039;s", "address1": "Weg 1", "country": "DE"}
    own |= {"order_date": "2026-01-15", "price": "42", "start_issue": "1", "length": "4"}
    [row] = prepared([own], ImportMapping())
    assert row.order is not None
    assert (row.order.company, len(row.warnings)) == ("Kel's", 1)
