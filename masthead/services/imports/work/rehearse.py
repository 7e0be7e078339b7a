"""Rehearse an import: the real code, in short transactions that are rolled back.

What an earlier batch placed is gone when a later one is placed. So its orders are kept aside: those
that a later row renews are placed again before it, the ids of all of them are known, and so are the
emails of the subscribers that they would make. decision 0043.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress

from msgspec import structs

from masthead.model.imports.batches import RowOutcome
from masthead.model.imports.known_orders import KnownOrder, address_key, differences
from masthead.model.orders.order import Order
from masthead.model.types.text import full_name
from masthead.services.imports.prepare import PreparedRow
from masthead.services.imports.work.likely import LikelyReaders
from masthead.services.imports.work.missing_issues import named_issues
from masthead.services.imports.work.place_rows import (
    Import,
    PlacedRow,
    PlacedRows,
    compared,
    order_of,
    place_rows,
)
from masthead.store import periods
from masthead.store.engine.interface import Database, Transaction
from masthead.store.imports.kept_orders import KeptOrder, KeptOrders


class _RolledBack(Exception):
    """Rolls back the transaction of a batch."""


class Rehearsal:
    """Places one batch of rows after the other, and keeps none of them."""

    def __init__(
        self, db: Database, how: Import, kept: KeptOrders, likely: LikelyReaders | None = None
    ) -> None:
        self._db, self._how, self._kept, self._likely = db, how, kept, likely
        self._issues = set[int]()  # that earlier batches have created

    async def place(self, rows: Sequence[PreparedRow]) -> list[PlacedRow]:
        """What would become of some rows. The account is locked only meanwhile."""
        orders = {n: order_of(row, self._how) for n, row in enumerate(rows) if row.order}
        known = self._kept.find({order.order_id for order in orders.values()})
        repeated = {n for n, order in orders.items() if order.order_id in known}
        others = [row for n, row in enumerate(rows) if n not in repeated]
        renewing = {order.order_id: order.renews for order in orders.values() if order.renews}
        roots = await self._roots(renewing.values()) if renewing else {}
        earlier = [each.order for each in self._kept.list_of(set(roots.values()))] if roots else []
        if repeated and self._how.create_issues:
            self._issues |= named_issues(orders[n] for n in repeated)
        placed = iter(await self._attempt(others, earlier))
        results = [
            self._compare(row, orders[n], known[orders[n].order_id], roots)
            if n in repeated
            else next(placed)
            for n, row in enumerate(rows)
        ]
        return self._keep(results, roots)

    async def _attempt(
        self, rows: Sequence[PreparedRow], earlier: Sequence[Order]
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

    async def _roots(self, renewed: Iterable[str]) -> dict[str, str]:
        """The roots of the orders that are renewed, by order id. Queries: one."""
        wanted = set(renewed)
        found = {id: each.root for id, each in self._kept.find(wanted).items()}
        if missing := wanted - found.keys():
            found |= await periods.find_orders(self._db, self._how.account_id, missing)
        return found

    def _compare(
        self, row: PreparedRow, order: Order, known: KeptOrder, roots: Mapping[str, str]
    ) -> PlacedRow:
        """What becomes of a row whose order id an earlier batch has."""
        other = known.order
        source_id = other.source_id or self._how.source_id
        if order.renews:
            is_same = roots.get(order.renews) == known.root
        elif order.email_key or other.email_key:
            is_same = order.email_key == other.email_key
        else:
            is_same = address_key(order) == address_key(other)
        described = KnownOrder(
            order_id=other.order_id,
            subscription_id="",
            subscriber_id="same" if is_same else "other",
            source_id=source_id,
            source_name=source_id,
            price=other.price,
            currency=other.currency,
            first_name=other.first_name,
            last_name=other.last_name,
            company=other.company,
            address1=order.address1 if is_same else other.address1,
            postcode=order.postcode if is_same else other.postcode,
            country=other.country or "",
            email=other.email,
            line=known.line,
        )
        asked = structs.replace(order, subscriber_id="same")
        different = differences(asked, described, source_id=self._how.source_id, owner_id=None)
        result = compared(row, described, different)
        stored = structs.replace(result.stored, subscription_id=None, subscriber_id=None)
        return PlacedRow(stored=stored)

    def _keep(self, results: list[PlacedRow], roots: Mapping[str, str]) -> list[PlacedRow]:
        """Keep the placed orders aside. Rows do not name what was rolled back."""
        accepted = [each for each in results if each.order is not None]
        keys = {key for each in accepted if each.order and (key := each.order.email_key)}
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
                final.append(each)
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
