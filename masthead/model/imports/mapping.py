"""Mappings: which cells of a table become which fields of an order.

`docs/decisions/0047-mappings.md` explains them. A mapping is a TOML file (`mapping_files`), JSON
in the database, or a preset in `presets`.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, structs

from masthead.model.translations import gettext_noop

LEAVE_OUT = gettext_noop("leave out")
NOT_RECURRING = gettext_noop("not recurring")
ASK = "ask"
UNSTATED = gettext_noop("not stated")
ADD_ZEROS = "add_zeros"
IF_PAID = gettext_noop("Cancelled if paid")
NOT_PAID = gettext_noop("not paid")
BY_INVOICE = "by_invoice"


class Rule(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a field gets its text from the cells of a row. Only one of these sources is set.

    columns: names of columns; the first cell that is not empty counts. With a `table`, that cell
    is looked up as with `lookup`. Together with `packed`, they are used where it has nothing.
    join: names of columns; the cells that are not empty, with `separator` between them (in TOML
    `with`).
    split: the name of a column; `part` says which part counts: `first` or `last` name of a
    person, or with `at` the number of a part, counted from 1: `{split = "Plan", at = "/",
    part = "2"}`.
    packed: the name of a column whose cells hold items such as `name:Print|quantity:1;name:Tote`;
    `part` is the key. Each item is one line of an order.
    constant: the same text in all rows.
    lookup: the name of a column whose cells are looked up in `table`, without regard to case; `*`
    in a key stands for any text. A cell without a match is `otherwise`; without `otherwise`, its
    row is left out and counted, and so are rows whose match is "leave out".
    otherwise: without a `table`, the text of rows in which all cells of the rule are empty, and of
    all rows of a file that has none of its columns.
    prefix: what is put before the text if there is any.
    """

    columns: tuple[str, ...] = ()
    join: tuple[str, ...] = ()
    separator: str = msgspec.field(default=" ", name="with")
    split: str = ""
    at: str = ""
    part: str = ""
    packed: str = ""
    constant: str = ""
    lookup: str = ""
    table: dict[str, str] = {}
    otherwise: str | None = None
    prefix: str = ""

    def named(self) -> tuple[str, ...]:
        """The columns of the table that the rule reads."""
        single = tuple(name for name in (self.split, self.packed, self.lookup) if name)
        return (*self.columns, *self.join, *single)

    @property
    def if_empty(self) -> str:
        """The text of rows without one; "" for a lookup, which uses `otherwise` by itself."""
        return "" if self.lookup or self.table else self.otherwise or ""


class ItemOffer(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What an item of a shop is in the account. Empty fields leave the order as it is.

    product: name or id of a product of the account. medium: as in orders. length: how many issues
    it pays for, which makes it a subscription. interval_months: how many months it pays for,
    which makes it a membership. source: name or id of the source of its orders.
    leave_out: whether rows with this item are left out and counted.
    """

    product: str = ""
    medium: str = ""
    length: int | None = None
    interval_months: int | None = None
    source: str = ""
    leave_out: bool = False


class ImportMapping(
    Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True
):
    """What a mapping file says.

    preset: the preset that it changes; the fields of that preset hold unless they are set here.
    columns: the rule of each field, by its name in `targets.TARGETS`.
    products: offers by item, without regard to case; `*` in a key stands for any text. If it is
    empty, all rows are for one product. Rows without a match are left out and counted.
    status: ours (`Active`, `Active - Renewals stopped`, `Past due`, `Cancelled`, `Complete`),
    "not recurring", "not stated", "Cancelled if paid", "not paid", "leave out" or "ask" by theirs,
    without regard to case and `wc-`; `*` in a key stands for any text. "Cancelled if paid" leaves
    out rows whose `paid_date` is empty, if the table has that column. "Not stated" makes an order
    with a `cancelled_date` Cancelled. `unpaid` says what "not paid" does.
    values: what texts of a field mean, by field: `values["country"]["Übersee"]` is `US`, or "leave
    out". Without regard to case. Other texts stay as they are.
    only: values by column; rows with other values in that column are left out and counted. `*`
    stands for any text, and "" for an empty cell.
    never: values by column; rows with one of them are left out and counted.
    positive: fields with amounts; rows in which one of them is not above zero are left out.
    has_one_of: fields; rows in which all of them are empty or `no` are left out and counted.
    continues: a column. A row in which it is empty continues the order of the row above.
    groups: columns, of which the first one that is filled in a row counts. A row with the same
    text in it as the row above continues its order.
    order_id_from: columns that make the order id of rows without one; if it is empty, what the
    row says about the subscriber and the order, but not the address.
    order_prefix: what is put before each order id, such as `SHOP-`.
    start_issue_rule: how a date becomes a start issue: `current` (the issue that is on sale on
    that day) or `next` (the first issue whose start date follows).
    date_order: `day_first` or `month_first`, for columns whose dates leave doubt.
    decimal_mark: `.` or `,`, for columns whose amounts leave doubt.
    time_zone: the zone of moments without an offset; if it is empty, that of the account.
    gifts: `by_name` if an order whose billing name differs from its shipping name is a gift of
    the buyer, `no` if not, `ask` to let the publisher decide.
    money_in: `cents` if amounts are whole numbers of cents.
    postcodes: `add_zeros` if postcodes that are too short get the zeros that a spreadsheet removed.
    sent_through: the last issue that is out whose copies count as sent; `released` for all issues
    that are out, `none` for none. If it is empty, it is `none` if the file says which copies were
    sent, and else `released`.
    unpaid: what becomes of rows whose status means "not paid": `by_invoice` for orders by invoice;
    `leave_out` to leave them out and count them, as without it.
    price_after_discount: whether prices are what was paid after the discount, as in shops. The
    discount may then be more than the price.
    medium_without_address: the medium of orders without street and country, such as `Digital`.
    """

    preset: str = ""
    order_prefix: str = ""
    start_issue_rule: str = ""
    date_order: str = ""
    decimal_mark: str = ""
    time_zone: str = ""
    gifts: str = ""
    money_in: str = ""
    postcodes: str = ""
    sent_through: int | str = ""
    unpaid: str = ""
    price_after_discount: bool = False
    continues: str = ""
    groups: tuple[str, ...] = ()
    medium_without_address: str = ""
    positive: tuple[str, ...] = ()
    has_one_of: tuple[str, ...] = ()
    order_id_from: tuple[str, ...] = ()
    columns: dict[str, Rule] = {}
    products: dict[str, ItemOffer] = {}
    status: dict[str, str] = {}
    values: dict[str, dict[str, str]] = {}
    only: dict[str, tuple[str, ...]] = {}
    never: dict[str, tuple[str, ...]] = {}

    def named(self) -> tuple[str, ...]:
        """The columns of the table that the mapping reads, each once."""
        rules = [name for rule in self.columns.values() for name in rule.named()]
        single = [name for name in (self.continues, *self.groups) if name]
        filters = [*self.only, *self.never]
        return tuple(dict.fromkeys([*rules, *single, *self.order_id_from, *filters]))


def merge_mappings(base: ImportMapping, changes: ImportMapping) -> ImportMapping:
    """The mapping with the changes of a file. Tables are merged by key, other fields replaced."""
    merged: dict[str, Any] = {}
    for name in changes.__struct_fields__:
        below, above = getattr(base, name), getattr(changes, name)
        merged[name] = {**below, **above} if isinstance(above, dict) else above or below
    return ImportMapping(**merged)


def answer_mapping(mapping: ImportMapping, answers: Mapping[str, str]) -> ImportMapping:
    """The mapping with the answers to the questions of a survey, by their ids.

    An id is the name of a field (`date_order`), or `status:` or `product:` and a value, or
    `value:`, a field and a text of it.
    """
    changes: dict[str, object] = {}
    status, products = dict(mapping.status), dict(mapping.products)
    values = {field: dict(meanings) for field, meanings in mapping.values.items()}
    for id, answer in answers.items():
        kind, _, value = id.partition(":")
        if kind == "status" and answer:
            status[value] = answer
        elif kind == "product":
            products[value] = (
                ItemOffer(leave_out=True) if answer == LEAVE_OUT else ItemOffer(answer)
            )
        elif kind == "value" and answer:
            field, _, text = value.partition(":")
            values.setdefault(field, {})[text] = answer
        elif kind in ANSWERED and answer:
            changes[kind] = answer
    return structs.replace(mapping, status=status, products=products, values=values, **changes)


# The fields of a mapping that are answers to questions, with what they can be
ANSWERED: dict[str, tuple[str, ...]] = {
    "start_issue_rule": ("current", "next"),
    "date_order": ("day_first", "month_first"),
    "decimal_mark": (".", ","),
    "gifts": ("by_name", "no"),
    "money_in": ("units", "cents"),
}
# What the settings of a mapping file can be that are one of some words
CHOICES = ANSWERED | {
    "gifts": ("by_name", "no", ASK),
    "postcodes": (ADD_ZEROS,),
    "unpaid": ("leave_out", BY_INVOICE),
}


def encode_json(mapping: ImportMapping) -> str:
    """The mapping for the database."""
    return msgspec.json.encode(mapping).decode()


def decode_json(text: str) -> ImportMapping:
    """The mapping from the database."""
    return msgspec.json.decode(text, type=ImportMapping)
