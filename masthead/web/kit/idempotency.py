"""Idempotent forms: a form that is sent twice takes effect once.

Each form that is shown has its own idempotency key. The key is stored in the transaction of the
form's write, so that of two submissions exactly one writes, even on different workers.
"""

import hashlib
import re
import secrets
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, suppress
from typing import TypeVar

from masthead.model.errors import Unavailable
from masthead.store import idempotency
from masthead.store.engine.interface import (
    Connection,
    Database,
    Dialect,
    Parameters,
    Reader,
    Row,
    Transaction,
    Work,
)

T = TypeVar("T")
KEY_FORMAT = re.compile(r"[A-Za-z0-9_-]{22,64}")


class RepeatedSubmission(Exception):
    """The form was already saved. location: where it redirected to; empty if not known yet."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location


def new_idempotency_key() -> str:
    """A new key for a form that is shown. Entropy: 128 bits."""
    return secrets.token_urlsafe(16)


class IdempotentDatabase(Database):
    """A database that accepts one write for a form, and otherwise behaves like the one it wraps.

    content: the input; a form that is sent again with different input counts as another form.
    """

    def __init__(self, db: Database, account_id: int, key: str, content: str) -> None:
        self._db, self._account_id = db, account_id
        is_ours = KEY_FORMAT.fullmatch(key) is not None
        submission = f"{key}\n{content}".encode(errors="surrogatepass")
        self._digest = hashlib.sha256(submission).hexdigest() if is_ours else None

    @property
    def dialect(self) -> Dialect:
        """The SQL dialect of the wrapped database."""
        return self._db.dialect

    @property
    def replica(self) -> Reader:
        """Where lists, searches and exports read."""
        return self._db.replica

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        return await self._db.fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        return await self._db.fetch_one(sql, parameters)

    def read(
        self, *, aside: bool = False, is_long: bool = False
    ) -> AbstractAsyncContextManager[Connection]:
        """A read-only connection that sees one snapshot."""
        return self._db.read(aside=aside, is_long=is_long)

    async def write(
        self,
        work: Work[T],
        *,
        account_id: int | None = None,
        is_long: bool = False,
        is_durable: bool = True,
    ) -> T:
        """The result of `work`. Raises: RepeatedSubmission if the form was saved before."""
        digest = self._digest
        if digest is None:  # a form without our key may be sent any number of times
            return await self._db.write(
                work, account_id=account_id, is_long=is_long, is_durable=is_durable
            )

        async def once(tx: Transaction) -> T:
            taken = await idempotency.take_key(tx, self._account_id, digest)
            if taken is not None:
                raise RepeatedSubmission(taken)
            return await work(tx)

        return await self._db.write(
            once, account_id=account_id, is_long=is_long, is_durable=is_durable
        )

    def is_shared(self) -> bool:
        """Whether long writes should be short, so that others need not wait."""
        return self._db.is_shared()

    async def save_result(self, location: str) -> None:
        """Store where the form redirects to, in case it is sent again."""
        digest = self._digest
        if digest is None:
            return

        async def work(tx: Transaction) -> None:
            await idempotency.update_result(tx, self._account_id, digest, location)

        with suppress(Unavailable):  # the form is saved, and the response must say so
            await self._db.write(work, account_id=self._account_id)

    async def probe_write(self) -> None:
        """Raises: Unavailable if nothing can be written now."""
        await self._db.probe_write()

    async def list_damaged(self) -> list[str]:
        """The indexes that do not match their tables."""
        return await self._db.list_damaged()

    def figures(self) -> Mapping[str, float]:
        """The numbers of the wrapped database for the metrics."""
        return self._db.figures()

    async def update_statistics(self) -> None:
        """Update what the planner knows about the tables."""
        await self._db.update_statistics()

    async def clean(self) -> None:
        """Remove what was deleted from the files of the database."""
        await self._db.clean()

    def is_small(self) -> bool:
        """Whether `clean` takes a few seconds at most."""
        return self._db.is_small()

    async def close(self) -> None:
        """Do nothing; the owner of the wrapped database closes it."""
