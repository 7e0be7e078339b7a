"""Rehearse an import: the real code, in short transactions that are rolled back.

What an earlier batch placed is gone when a later one is placed. So its orders are kept aside: those
that a later row renews or repeats are placed again before it, with all orders of their
subscriptions. The emails of the subscribers that they would make are known. decision 0043.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from msgspec import structs

from masthead.model.imports.batches import RowOutcome
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.orders.order import Order
from masthead.model.types.full_names import full_name
from masthead.services.imports.work.likely import LikelySubscribers
from masthead.services.imports.work.options import Import
from masthead.services.imports.work.place_rows import order_of, place_rows
from masthead.services.imports.work.placed import PlacedRow, PlacedRows
from masthead.store.engine.interface import Database, Transaction
from masthead.store.imports.kept_orders import KeptOrder, KeptOrders
from masthead.store.subscriptions import periods


class _RolledBack(Exception):
    """Rolls back the transaction of a batch."""


class Rehearsal:
    """Places one batch of rows after the other, and keeps none of them."""

    def __init__(
        self, db: Database, how: Import, kept: KeptOrders, likely: LikelySubscribers | None = None
    ) -> None:
        self._db, self._how, self._kept, self._likely = db, how, kept, likely
        self._issues = set[int]()  # that earlier batches have created

    async def place(self, rows: Sequence[PreparedRow]) -> list[PlacedRow]:
        """The outcome that some rows would have. The account is locked only during this call."""
        orders = [order_of(row, self._how) for row in rows if row.order]
        renewed = {order.renews for order in orders if order.renews}
        named = self._kept.find(renewed | {order.order_id for order in orders})
        roots = {id: each.root for id, each in named.items()}
        if missing := renewed - roots.keys():
            roots |= await periods.find_orders(self._db, self._how.account_id, missing)
        earlier = self._kept.list_of(set(roots.values())) if roots else []
        placed = await self._attempt(rows, earlier)
        return self._keep(placed, roots, named.keys())

    async def _attempt(
        self, rows: Sequence[PreparedRow], earlier: Sequence[KeptOrder]
    ) -> list[PlacedRow]:
        """Place rows in a transaction that is rolled back."""

        placed = PlacedRows([], [])

        async def work(tx: Transaction) -> None:
            nonlocal placed
            placed = await place_rows(
                tx, rows, self._how, earlier=earlier, earlier_issues=self._issues
            )
            raise _RolledBack

        with suppress(_RolledBack):
            await self._db.write(work, account_id=self._how.account_id, is_long=True)
        self._issues |= {*placed.issues}
        return placed.rows

    def _keep(
        self, results: list[PlacedRow], roots: Mapping[str, str], earlier_ids: Collection[str]
    ) -> list[PlacedRow]:
        """Keep the placed orders aside. Rows do not name what was rolled back.

        earlier_ids: order ids of earlier batches, as far as these rows name them.
        """
        accepted = [each.order for each in results if each.order is not None]
        own = {*earlier_ids, *(order.order_id for order in accepted)}  # order ids of the file
        keys = {key for order in accepted if (key := order.email_key)}
        seen = self._kept.known_emails(keys) if keys else set()
        likely = dict[int, str | None]()  # existing subscribers, by place
        if self._likely:
            new = {n: it.order for n, it in enumerate(results) if it.order and _is_new(it, seen)}
            likely = dict(zip(new, self._likely.find(new.values()), strict=True))
        root_of: dict[str | None, str] = {}  # by the subscription of this transaction
        kept, people = [], set()
        final = []
        for n, each in enumerate(results):
            stored, order, made = each.stored, each.order, each.stored.made
            if order is None or made is None:
                if stored.order_id in own:
                    stored = structs.replace(stored, subscription_id=None, subscriber_id=None)
                final.append(structs.replace(each, stored=stored))
                continue
            if stored.subscription_id not in root_of:
                known = roots.get(order.renews or "")
                root_of[stored.subscription_id] = known or order.order_id
            kept.append(KeptOrder(root_of[stored.subscription_id], stored.line, order))
            key = order.email_key
            is_new = _is_new(each, seen)
            if is_new and key:
                people.add(key)
            final.append(
                structs.replace(
                    each,
                    stored=structs.replace(
                        stored,
                        outcome=RowOutcome.LIKELY if likely.get(n) else stored.outcome,
                        subscription_id=None,
                        subscriber_id=likely.get(n),
                        cells=[_shown(order)] if likely.get(n) else [],
                        period_id=None,
                        made=structs.replace(made, subscriber=is_new),
                    ),
                )
            )
        self._kept.add(kept, people)
        return final


def _shown(order: Order) -> list[str]:
    """What a page shows of a likely duplicate: the name, the email and the address."""
    name = full_name(order.first_name, order.last_name, order.company, "")
    place = " ".join(filter(None, (order.postcode, order.city)))
    return [name, order.email or "", order.address1 or "", place]


def _is_new(placed: PlacedRow, seen: Collection[str]) -> bool:
    """Whether a row makes a subscriber. seen: emails that earlier batches would have made."""
    assert placed.order is not None
    made = placed.stored.made
    return made is not None and made.subscriber and placed.order.email_key not in seen
