"""Idempotent forms: a form that is sent twice takes effect once.

Each form that is shown has its own idempotency key. The key is stored in the transaction of the
form's write, so that of two submissions exactly one writes, even on different workers.
"""

import hashlib
import re
import secrets
from contextlib import suppress
from typing import TypeVar

from masthead.model.errors import Unavailable
from masthead.store import idempotency
from masthead.store.engine.interface import Database, Transaction, Work
from masthead.store.engine.wrapped import WrappedDatabase

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


class IdempotentDatabase(WrappedDatabase):
    """A database that accepts one write for a form, and otherwise behaves like the one it wraps.

    content: the input; a form that is sent again with different input counts as another form.
    """

    def __init__(self, db: Database, account_id: int, key: str, content: str) -> None:
        super().__init__(db)
        self._account_id = account_id
        is_ours = KEY_FORMAT.fullmatch(key) is not None
        submission = f"{key}\n{content}".encode(errors="surrogatepass")
        self._digest = hashlib.sha256(submission).hexdigest() if is_ours else None

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
            return await super().write(
                work, account_id=account_id, is_long=is_long, is_durable=is_durable
            )

        async def once(tx: Transaction) -> T:
            taken = await idempotency.take_key(tx, self._account_id, digest)
            if taken is not None:
                raise RepeatedSubmission(taken)
            return await work(tx)

        return await super().write(
            once, account_id=account_id, is_long=is_long, is_durable=is_durable
        )

    async def save_result(self, location: str) -> None:
        """Store where the form redirects to, in case it is sent again; do not wait for the disk."""
        digest = self._digest
        if digest is None:
            return

        async def work(tx: Transaction) -> None:
            await idempotency.update_result(tx, self._account_id, digest, location)

        with suppress(Unavailable):  # the form is saved, and the response must say so
            await self._db.write(work, account_id=self._account_id, is_durable=False)
