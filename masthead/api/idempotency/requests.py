"""Requests with an idempotency key: each is done once, and a repetition gets the stored answer.

The key, the request and the answer are stored in the transaction of the write, so after a crash
there are all of them or none. A refused request stores nothing.
"""

import hashlib
from collections.abc import Awaitable, Callable

import msgspec
from msgspec import Struct

from masthead.api.http.request import HttpRequest
from masthead.api.http.response import JsonResponse
from masthead.model.errors import AnswerDeleted, KeyReused, RequestInProgress
from masthead.store import idempotency
from masthead.store.engine.interface import Database, Transaction
from masthead.store.engine.wrapped import OneTransaction
from masthead.store.idempotency import StoredAnswer

REPLAYED = (b"idempotent-replayed", b"true")

Respond = Callable[[Database], Awaitable[JsonResponse]]


class KeyedRequest(Struct, frozen=True):
    """A request with a key. Only digests are stored: both may contain personal data."""

    account_id: int
    key_digest: str
    request_digest: str


def keyed_request(account_id: int, key: bytes, request: HttpRequest, body: bytes) -> KeyedRequest:
    """A request with its key. Another method, path, query string or body is another request."""
    path = request.path.encode(errors="surrogatepass")
    parts = msgspec.msgpack.encode((key, request.method, path, request.query_string, body))
    return KeyedRequest(
        account_id, hashlib.sha256(key).hexdigest(), hashlib.sha256(parts).hexdigest()
    )


class IdempotentRequests:
    """Does requests with a key, each of them once."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._in_progress: set[tuple[int, str]] = set()  # in this worker: account and key

    async def respond(
        self, keyed: KeyedRequest, respond: Respond, *, is_long: bool
    ) -> JsonResponse:
        """The stored answer; without one, that of `respond`, which is stored with its writes.

        respond: runs in one transaction, and again after a conflict. is_long: as for `write`.
        Queries: three more on PostgreSQL, two on SQLite; one more after 24 hours.
        Raises: RequestInProgress, KeyReused, AnswerDeleted, and any error of `respond`.
        """
        name = keyed.account_id, keyed.key_digest
        if name in self._in_progress:
            raise RequestInProgress

        async def work(tx: Transaction) -> JsonResponse:
            await idempotency.lock_key(tx, *name)
            stored = await idempotency.find_answer(tx, *name)
            if stored is not None and not stored.is_expired:
                return _replay(stored, keyed)
            if stored is not None:
                await idempotency.delete_answer(tx, *name)
            response = await respond(OneTransaction(self._db, tx, is_long=is_long))
            answer = StoredAnswer(keyed.request_digest, response.status, response.body.decode())
            await idempotency.insert_answer(tx, *name, answer)
            return response

        self._in_progress.add(name)
        try:
            return await self._db.write(work, account_id=keyed.account_id, is_long=is_long)
        finally:
            self._in_progress.remove(name)


def _replay(stored: StoredAnswer, keyed: KeyedRequest) -> JsonResponse:
    """The stored answer as a response. Raises: KeyReused, AnswerDeleted."""
    if stored.request_digest != keyed.request_digest:
        raise KeyReused
    if stored.body is None:
        raise AnswerDeleted
    return JsonResponse(stored.body.encode(), stored.status, (REPLAYED,))
