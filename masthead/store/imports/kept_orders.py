"""Orders that a rehearsal has placed and rolled back, kept aside for its later batches.

They are in a temporary file of SQLite that only this process can open, and that is deleted when it
is closed. It has nothing to do with the database of masthead.
"""

from collections.abc import Collection, Iterable, Sequence
from types import TracebackType

import apsw
import msgspec
from msgspec import Struct

from masthead.model.orders.order import Order

_encode = msgspec.json.Encoder().encode
_decoder = msgspec.json.Decoder(Order)


class KeptOrder(Struct, frozen=True):
    """An order that a rehearsal has placed.

    root: what all orders of its subscription have in common: the id of an existing subscription,
    or the order id of the first order of a new one.
    """

    root: str
    line: int
    order: Order


class KeptOrders:
    """The orders of a rehearsal, and the emails of the subscribers that it would make."""

    def __init__(self) -> None:
        self._file = apsw.Connection("")  # a temporary file
        self._file.execute(
            """
            PRAGMA journal_mode = OFF;
            PRAGMA synchronous = OFF;
            CREATE TABLE kept (
                n integer PRIMARY KEY,
                order_id text NOT NULL,
                root text NOT NULL,
                line integer NOT NULL,
                content blob NOT NULL
            );
            CREATE UNIQUE INDEX kept_order ON kept (order_id);
            CREATE INDEX kept_root ON kept (root, n);
            CREATE TABLE person (email_key text PRIMARY KEY) WITHOUT ROWID;
            """
        ).fetchall()  # runs all statements

    def __enter__(self) -> "KeptOrders":
        """Use it until it is closed."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Delete the file."""
        self._file.close()

    def add(self, orders: Iterable[KeptOrder], email_keys: Iterable[str]) -> None:
        """Keep orders, and the emails of new subscribers."""
        with self._file:
            self._file.executemany(
                "INSERT INTO kept (order_id, root, line, content) VALUES (?, ?, ?, ?)",
                (
                    (each.order.order_id, each.root, each.line, _encode(each.order))
                    for each in orders
                ),
            )
            self._file.executemany(
                "INSERT OR IGNORE INTO person VALUES (?)", ((key,) for key in email_keys)
            )

    def find(self, order_ids: Collection[str]) -> dict[str, KeptOrder]:
        """The kept orders with these ids, by id."""
        rows = self._file.execute(
            """
            SELECT root, line, content
            FROM kept
            WHERE order_id IN (SELECT value FROM json_each(?))
            """,
            (_encode(list(order_ids)).decode(),),
        )
        found = [KeptOrder(root, line, _decoder.decode(content)) for root, line, content in rows]
        return {each.order.order_id: each for each in found}

    def list_of(self, roots: Collection[str]) -> Sequence[KeptOrder]:
        """All kept orders of some subscriptions, in the order in which they were placed."""
        rows = self._file.execute(
            """
            SELECT root, line, content
            FROM kept
            WHERE root IN (SELECT value FROM json_each(?))
            ORDER BY n
            """,
            (_encode(list(roots)).decode(),),
        )
        return [KeptOrder(root, line, _decoder.decode(content)) for root, line, content in rows]

    def known_emails(self, email_keys: Collection[str]) -> set[str]:
        """Those of the emails that a new subscriber of an earlier batch has."""
        rows = self._file.execute(
            "SELECT email_key FROM person WHERE email_key IN (SELECT value FROM json_each(?))",
            (_encode(list(email_keys)).decode(),),
        )
        return {key for (key,) in rows}
