"""The options of an import."""

from collections.abc import Collection

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.orders.order import OrderDefaults


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
