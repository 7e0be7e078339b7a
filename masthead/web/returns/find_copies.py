"""The page that finds a copy that came back, if its label cannot be read: by its subscriber."""

from datetime import date
from http import HTTPStatus

from msgspec import Struct
from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.pagination import PageRequest
from masthead.model.queries import CopyQuery, SubscriberQuery
from masthead.model.resources import Copy
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.types.enums import CopyStatus, Medium
from masthead.model.validation import decode_query
from masthead.services.subscribers.find import find_with_similar
from masthead.store import copies
from masthead.store.claims.why_facts import find_returned
from masthead.store.engine.interface import Reader
from masthead.store.subscriptions import records as subscriptions
from masthead.web.kit.context import PageContext

SUBSCRIBERS = 8
COPIES = 5  # of each subscriber, newest issue first
READ = 20  # copies of each subscriber, with digital ones and several of one issue


class CopyByPost(Struct, frozen=True):
    """A copy that went out by post. returned_on: the day of the report that it came back."""

    copy: Copy
    subscription: StoredSubscription
    returned_on: date | None


async def find_copies(context: PageContext) -> Response:
    """The subscribers that match a search, with the copies that they got last."""
    search = context.query.get("search", "").strip()
    found: list[tuple[KnownSubscriber, list[CopyByPost]]] = []
    problem, has_exact, has_more = "", False, False
    try:
        query = decode_query(SubscriberQuery, [("search", search)] if search else [])
    except Invalid as reason:
        problem = str(reason)
    else:
        async with context.db.read(aside=True) as db:
            people, has_exact = await find_with_similar(
                db, context.account_id, query.search or "", limit=SUBSCRIBERS + 1
            )
        has_more = len(people) > SUBSCRIBERS
        found = [
            (person, await _list_sent(context.db, context.account_id, person.id))
            for person in people[:SUBSCRIBERS]
        ]
    return context.render(
        "returns/find_copies.html",
        status=HTTPStatus.OK,
        search=search,
        found=found,
        has_exact=has_exact,
        has_more=has_more,
        problem=problem,
    )


async def _list_sent(db: Reader, account_id: int, subscriber_id: str) -> list[CopyByPost]:
    """The last copies that a subscriber got by post, newest issue first. Queries: three at most.

    Of those of a bundle, one for each issue.
    """
    query = CopyQuery(subscriber=subscriber_id, status=CopyStatus.SENT)
    page = await copies.list_copies(db, account_id, query, PageRequest(READ, None, b""))
    owned = await subscriptions.find_rows(
        db, account_id, {copy.subscription_id for copy in page.items}
    )
    shown: dict[tuple[int, str], Copy] = {}
    for copy in sorted(page.items, key=lambda it: it.issue.number, reverse=True):
        own = owned[copy.subscription_id]
        if own.medium != Medium.DIGITAL:
            shown.setdefault((copy.issue.number, own.bundle_id or own.id), copy)
    listed = list(shown.values())[:COPIES]
    returned = await find_returned(db, account_id, [copy.id for copy in listed])
    return [CopyByPost(it, owned[it.subscription_id], returned.get(it.id)) for it in listed]
