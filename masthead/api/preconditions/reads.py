"""Answers to GET: each has an entity tag, and a client that has the answer already gets 304.

A tag is a digest of the answer, so it costs no query. A list is not made again for a client that
has it: its account has a revision, which rises with each write and with each of its days. If it
has not changed since this worker last made the list, the tag is still the same.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import date

from msgspec import Struct

from masthead.api.http.request import HttpRequest
from masthead.api.http.response import NOT_MODIFIED, JsonResponse
from masthead.api.preconditions.entity_tags import (
    IF_MATCH,
    IF_NONE_MATCH,
    Condition,
    read_if_match,
    read_if_none_match,
)
from masthead.store.accounts import get_revision
from masthead.store.engine.interface import Database

MAX_KNOWN = 4_096  # answers whose tags a worker keeps
MAX_QUERY = 500  # bytes of a query string; tags of answers to longer ones are not kept

Respond = Callable[[], Awaitable[JsonResponse]]
Revision = tuple[int, date]  # the number of writes to the account, and its day


class KnownAnswer(Struct, frozen=True):
    """The tag of an answer that this worker has made at a revision of the account."""

    revision: Revision
    tag: bytes


class ConditionalReads:
    """Answers requests with GET, and keeps the tags of answers that clients ask for again."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: OrderedDict[tuple[int, str, bytes], KnownAnswer] = OrderedDict()

    async def respond(
        self, request: HttpRequest, respond: Respond, *, account_id: int | None
    ) -> JsonResponse:
        """The answer to a conditional request; 304 without a body if the client has it.

        account_id: the account whose revision changes whenever the answer does, if the answer costs
        more than a revision; else None. Queries: one more with `If-None-Match` and an account, and
        then no others if nothing has changed. Raises: PreconditionFailed by `If-Match`.
        """
        if IF_MATCH in request.headers:
            return _if_match(request, await respond())
        condition = read_if_none_match(request.header_values(IF_NONE_MATCH))
        if condition is None:
            return await respond()
        if account_id is None:
            return _unless_known(condition, await respond())
        # Before the answer: after a write between the two, the answer is only made once more
        revision = await get_revision(self._db, account_id)
        name = account_id, request.path, request.query_string
        known = self._known.get(name)
        if known is not None and known.revision == revision and condition.matches(known.tag):
            self._known.move_to_end(name)
            return _not_modified(condition, known.tag)
        response = await respond()
        if len(request.query_string) <= MAX_QUERY:
            self._keep(name, KnownAnswer(revision, response.tag))
        return _unless_known(condition, response)

    def _keep(self, name: tuple[int, str, bytes], answer: KnownAnswer) -> None:
        """Keep the tag of an answer, and forget that of the one not asked for the longest."""
        self._known[name] = answer
        self._known.move_to_end(name)
        if len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)


def _if_match(request: HttpRequest, response: JsonResponse) -> JsonResponse:
    """The answer, if the client asks for its version. Raises: PreconditionFailed."""
    wanted = read_if_match(request)
    if wanted is not None:
        wanted.require(response.tag)
    known = read_if_none_match(request.header_values(IF_NONE_MATCH))
    return response if known is None else _unless_known(known, response)


def _unless_known(condition: Condition, response: JsonResponse) -> JsonResponse:
    """The answer, or 304 if the client has it."""
    tag = response.tag
    return _not_modified(condition, tag) if condition.matches(tag) else response


def _not_modified(condition: Condition, tag: bytes) -> JsonResponse:
    """304 with the tag of the answer that the client has, in whichever coding that is."""
    return JsonResponse(b"", NOT_MODIFIED, tag=condition.sent(tag))
