"""The options of an import, and what became of its rows."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.imports.batches import ImportRow
from masthead.model.orders.order import Order, OrderDefaults


class Import(Struct, frozen=True):
    """The options of an import.

    create_issues: whether to create missing issues; otherwise, rows with them are rejected.
    product_id: the product of new subscriptions; None for the product of imported subscriptions.
    number: of the batch, for the audit trail. batch_id: of the batch that runs; None for none.
    same_file: ids of the batches with the same file. sent_through: as in `Order`.
    """

    account_id: int
    source_id: str
    defaults: OrderDefaults
    by: Actor
    create_issues: bool = False
    product_id: str | None = None
    number: int | None = None
    batch_id: str | None = None
    same_file: Collection[str] = ()
    sent_through: int = 0


class PlacedRow(Struct, frozen=True, kw_only=True):
    """What became of a row: how it is stored, its order if it is imported, and its copies.

    out: the issues of those copies that are out; see `NewPeriod`.
    """

    stored: ImportRow
    order: Order | None = None
    copies: int = 0
    out: Sequence[int] = ()


class PlacedRows(Struct, frozen=True):
    """What became of some rows, and the numbers of the issues that were created for them."""

    rows: list[PlacedRow]
    issues: list[int]
