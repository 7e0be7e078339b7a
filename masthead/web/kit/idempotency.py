"""A form that is sent twice does its work once.

Each form that is shown carries a mark of its own. The mark is taken in the transaction of the
form's write, so that of two submissions exactly one writes, on whichever worker they arrive.
"""

import hashlib
import re
import secrets
from contextlib import AbstractAsyncContextManager, suppress
from typing import TypeVar

from masthead.model.errors import Unavailable
from masthead.store import idempotency
from masthead.store.engine.interface import (
    Connection,
    Database,
    Dialect,
    Parameters,
    Row,
    Transaction,
    Work,
)

T = TypeVar("T")
KEY_FORMAT = re.compile(r"[A-Za-z0-9_-]{22,64}")


class RepeatedSubmission(Exception):
    """The form has done its work before. location: where it led then; empty if nowhere yet."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location


def new_idempotency_key() -> str:
    """A fresh mark for a form that is shown. Entropy: 128 bits."""
    return secrets.token_urlsafe(16)


class IdempotentDatabase(Database):
    """A database that writes once for a form, and otherwise does as the one below it.

    content: what was typed; a form that comes again with something else is another one.
    """

    def __init__(self, db: Database, account_id: int, key: str, content: str) -> None:
        self._db, self._account_id = db, account_id
        is_ours = KEY_FORMAT.fullmatch(key) is not None
        submission = f"{key}\n{content}".encode(errors="surrogatepass")
        self._digest = hashlib.sha256(submission).hexdigest() if is_ours else None

    @property
    def dialect(self) -> Dialect:
        """Whose SQL it speaks."""
        return self._db.dialect

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
        self, work: Work[T], *, account_id: int | None = None, is_long: bool = False
    ) -> T:
        """What `work` returns. Raises: RepeatedSubmission if the form's mark was taken before."""
        digest = self._digest
        if digest is None:  # no form of ours; it may be sent as often as its sender likes
            return await self._db.write(work, account_id=account_id, is_long=is_long)

        async def once(tx: Transaction) -> T:
            taken = await idempotency.take_mark(tx, self._account_id, digest)
            if taken is not None:
                raise RepeatedSubmission(taken)
            return await work(tx)

        return await self._db.write(once, account_id=account_id, is_long=is_long)

    async def save_result(self, location: str) -> None:
        """Keep where the form led, for when it is sent again."""
        digest = self._digest
        if digest is None:
            return

        async def work(tx: Transaction) -> None:
            await idempotency.update_result(tx, self._account_id, digest, location)

        with suppress(Unavailable):  # what the form did is done, and must be told so
            await self._db.write(work, account_id=self._account_id)

    async def probe_write(self) -> None:
        """Raises: Unavailable if nothing can be written now."""
        await self._db.probe_write()

    async def list_damaged(self) -> list[str]:
        """The indexes that do not have what their tables have."""
        return await self._db.list_damaged()

    async def close(self) -> None:
        """Leave the database open: it is not this one's to close."""
