"""Idempotent forms: a form that is sent twice takes effect once.

Each form that is shown has its own idempotency key. The key and the address that the form redirects
to are stored in the transaction of its write, as for requests to the API. decision 0055.
"""

import hashlib
import re
import secrets
from collections.abc import Awaitable, Callable

from starlette.responses import Response

from masthead.store import idempotency
from masthead.store.engine.interface import Database, Transaction
from masthead.store.engine.wrapped import OneTransaction

KEY_FORMAT = re.compile(r"[A-Za-z0-9_-]{22,64}")

Save = Callable[[Database], Awaitable[Response]]


class RepeatedSubmission(Exception):
    """The form was already saved. location: where it redirected to; empty if it did not."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.location = location


class NotSaved(Exception):
    """Raised to save nothing, neither the key of the form, and answer with a response."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


def new_idempotency_key() -> str:
    """A new key for a form that is shown. Entropy: 128 bits."""
    return secrets.token_urlsafe(16)


async def save_once(
    db: Database, account_id: int, key: str, content: str, save: Save, *, is_long: bool
) -> Response:
    """The response of `save`, which is stored with its writes.

    key: without one of ours, the form may be sent any number of times. content: the input; a form
    that is sent again with different input counts as another form. save: runs in one transaction,
    and again after a conflict. is_long: as for `Database.write`.
    Queries: two more. Raises: RepeatedSubmission, and any error of `save`.
    """
    is_ours = KEY_FORMAT.fullmatch(key) is not None
    digest = hashlib.sha256(f"{key}\n{content}".encode(errors="surrogatepass")).hexdigest()

    async def work(tx: Transaction) -> Response:
        taken = await idempotency.take_key(tx, account_id, digest) if is_ours else None
        if taken is not None:
            raise RepeatedSubmission(taken)
        response = await save(OneTransaction(db, tx, is_long=is_long))
        if is_ours:
            location = response.headers.get("Location", "")
            await idempotency.update_result(tx, account_id, digest, location)
        return response

    try:
        return await db.write(work, account_id=account_id, is_long=is_long)
    except NotSaved as reason:
        return reason.response
