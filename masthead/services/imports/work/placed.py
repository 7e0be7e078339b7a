"""What became of the rows of an import."""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.imports.batches import ImportRow
from masthead.model.orders.order import Order


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
