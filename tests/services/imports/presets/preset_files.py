"""Reads the files of presets as an import does, up to their orders."""

from datetime import date
from pathlib import Path
from typing import Any

from msgspec import structs

from masthead.model.imports.mapping import ItemOffer
from masthead.model.imports.plan import AccountFacts, ImportPlan, IssueDates
from masthead.model.imports.presets.registry import get_preset
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.orders.order import Order, OrderDefaults
from masthead.services.imports.reading import prepare, survey
from masthead.services.imports.table import open_table

FILES = Path(__file__).parents[3] / "files" / "imports"
RELEASES = {
    1: date(2016, 3, 1),
    2: date(2018, 6, 1),
    3: date(2018, 9, 1),
    4: date(2026, 3, 1),
    5: date(2026, 6, 1),
    6: date(2026, 9, 1),
    7: date(2026, 12, 1),
    8: date(2027, 3, 1),
}
FACTS = AccountFacts(
    defaults=OrderDefaults("EUR", "placeholder.example"),
    time_zone="Europe/Berlin",
    country="DE",
    today=date(2026, 11, 22),
    issues=[IssueDates(number, day, day) for number, day in RELEASES.items()],
    products={"Print": "0000000000000000000000PRNT"},
)
# What the publisher answers about the products of each file
PRODUCTS: dict[str, dict[str, ItemOffer]] = {
    "woocommerce-orders": {
        "Annual*": ItemOffer(length=4),
        "Digital*": ItemOffer(length=2, medium="Digital"),
    },
    "shopify-orders": {
        "One-year*": ItemOffer(length=4),
        "Digital*": ItemOffer(length=2, medium="Digital"),
    },
    "squarespace-orders": {"* - Annual": ItemOffer(length=4), "* - Half-year": ItemOffer(length=2)},
    "paypal-activity": {"Annual*": ItemOffer(length=4), "Jahresabo*": ItemOffer(length=4)},
    "patreon-members": {"Print*": ItemOffer(product="Print"), "Digital*": ItemOffer()},
}


def prepare_file(
    file: str, preset: str, *, facts: AccountFacts = FACTS, **changes: Any
) -> list[PreparedRow]:
    """The prepared rows of a file, with the answers of a publisher. changes: of the mapping."""
    return prepare_path(FILES / f"{file}.csv", preset, facts=facts, **changes)


def prepare_path(
    path: Path, preset: str, *, facts: AccountFacts = FACTS, **changes: Any
) -> list[PreparedRow]:
    """The same for any file."""
    table = open_table(path, name=path.name)
    changes.setdefault("products", PRODUCTS.get(preset, {}))
    mapping = structs.replace(get_preset(preset).mapping, **changes)
    plan = ImportPlan(preset=preset, mapping=mapping, create_issues=True)
    return list(prepare(table, plan, survey(table, mapping), facts))


def orders_by_id(rows: list[PreparedRow]) -> dict[str, Order]:
    """The orders by their ids; no row may be refused."""
    refused = [(row.lines[0].number, row.reasons) for row in rows if row.reasons]
    assert not refused, refused
    return {row.order.order_id: row.order for row in rows if row.order}


def left_out(rows: list[PreparedRow]) -> list[int]:
    """The numbers of the lines that are left out."""
    return [row.lines[0].number for row in rows if row.left_out]


def has(order: Order, **expected: Any) -> bool:
    """Whether the fields of an order are as expected; a difference is shown."""
    differs = {
        name: f"{found!r}, not {value!r}"
        for name, value in expected.items()
        if (found := getattr(order, name)) != value
    }
    assert not differs, differs
    return True
