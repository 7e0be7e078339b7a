"""Products of an account; the oldest one is for subscriptions that were bought elsewhere."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from masthead.model.clock import now
from masthead.model.ids import new_ids
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.types.enums import SubscriptionType
from masthead.model.types.product_names import UNNAMED_PRODUCT
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, get_one, insert_row
from masthead.store.subscriptions.bundles import FIRST_OF_GROUP
from masthead.store.update_statement import update_row

_PRODUCT = """
    SELECT
        id,
        name,
        benefits,
        is_active,
        type,
        length,
        interval_months,
        id = (SELECT min(id) FROM product WHERE account_id = :account_id) AS is_imported
    FROM product
    WHERE account_id = :account_id
"""


class AccountProduct(Struct, frozen=True):
    """A product as its account sees it.

    is_active: whether new subscriptions may have it.
    is_imported: whether it is the default, for subscriptions without a named product.
    length: the number of issues, or None if orders choose it. interval_months: the same for
    memberships.
    """

    id: str
    name: str
    benefits: list[str]
    is_active: bool
    is_imported: bool
    type: SubscriptionType = SubscriptionType.SUBSCRIPTION
    length: int | None = None
    interval_months: int | None = None


async def list_products(db: Connection, account_id: int) -> list[AccountProduct]:
    """The products of an account, oldest first."""
    return await fetch_all(
        db, _PRODUCT + " ORDER BY id", {"account_id": account_id}, into=AccountProduct
    )


async def list_page(db: Connection, account_id: int, page: PageRequest) -> Page[AccountProduct]:
    """A page of the products, newest first. Queries: one. Index: the primary key."""
    found = await fetch_all(
        db,
        _PRODUCT + " AND id < :after ORDER BY id DESC LIMIT :fetch",
        {"account_id": account_id, "after": page.after_id, "fetch": page.fetch},
        into=AccountProduct,
    )
    return cut_page(found, page)


async def count_live(db: Connection, account_id: int) -> dict[str, int]:
    """How many active subscriptions each product has, without complimentary ones.

    Several copies for one address count as one, as on Home. Queries: one, aside.
    """
    rows = await db.fetch_all(
        f"""
        SELECT s.product_id, count(*) AS count
        FROM subscription s
        WHERE s.account_id = :account_id
          AND s.status IN (:live...)
          AND s.is_comp = false
          AND {FIRST_OF_GROUP}
        GROUP BY s.product_id
        """,  # noqa: S608 - names of columns
        {"account_id": account_id, "live": sorted(LIVE)},
    )
    return {row["product_id"]: int(row["count"]) for row in rows}


async def get_product(db: Connection, account_id: int, id: str) -> AccountProduct:
    """A product by id. Raises: NotFound."""
    return await get_one(
        db, account_id, id, _PRODUCT + " AND id = :id", into=AccountProduct, noun="product"
    )


async def get_imported_product(db: Connection, account_id: int) -> str:
    """The id of the product for subscriptions without a named product."""
    row = await db.fetch_one(
        "SELECT min(id) AS id FROM product WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    assert row is not None
    return str(row["id"])


async def insert_imported_product(tx: Transaction, account_id: int) -> None:
    """Add the product for subscriptions that were bought elsewhere; it has no benefits."""
    await _insert(tx, account_id, after="", name=UNNAMED_PRODUCT, benefits=[])


async def get_created_at(db: Connection, account_id: int, id: str) -> datetime:
    """When a product, which must exist, was added."""
    row = await db.fetch_one(
        "SELECT created_at FROM product WHERE account_id = :account_id AND id = :id",
        {"account_id": account_id, "id": id},
    )
    assert row is not None
    created: datetime = row["created_at"]
    return created


async def insert_product(
    tx: Transaction,
    account_id: int,
    *,
    name: str,
    benefits: Sequence[str],
    **more: str | int | None,
) -> AccountProduct:
    """Add a product. more: type, length, interval_months."""
    newest = await tx.fetch_one(
        "SELECT max(id) AS id FROM product WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    assert newest is not None
    id = await _insert(tx, account_id, after=newest["id"], name=name, benefits=benefits, **more)
    return await get_product(tx, account_id, id)


async def _insert(
    tx: Transaction,
    account_id: int,
    *,
    after: str,
    name: str,
    benefits: Sequence[str],
    **more: str | int | None,
) -> str:
    """Add a row; returns its id, which is above `after` even if the clock went back."""
    [id] = new_ids(account_id, 1, after=after)
    await insert_row(
        tx,
        "product",
        account_id=account_id,
        id=id,
        name=name,
        benefits=msgspec.json.encode(benefits).decode(),
        is_active=True,
        created_at=now(),
        **more,
    )
    return id


async def update_product(
    tx: Transaction, account_id: int, id: str, columns: Mapping[str, object]
) -> None:
    """Set columns of a product: name, benefits, is_active, type, length, interval_months."""
    values = dict(columns)
    if "benefits" in values:
        values["benefits"] = msgspec.json.encode(values["benefits"]).decode()
    await update_row(tx, account_id, "product", id, **values)
