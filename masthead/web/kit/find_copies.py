"""Find a copy by its subscriber: one that came back without a label, or one that did not arrive."""

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
from masthead.model.timeline.facts import WhyClaim
from masthead.model.translations import gettext as _
from masthead.model.types.enums import CopyStatus, Medium
from masthead.model.validation import decode_query
from masthead.services.subscribers.find import find_with_similar
from masthead.services.timeline import find_claims
from masthead.store import copies
from masthead.store.claims.why_facts import find_returned
from masthead.store.issues import records as issues
from masthead.store.subscriptions import records as subscriptions
from masthead.web.kit.context import PageContext

SUBSCRIBERS = 8
COPIES = 5  # of each subscriber, newest issue first
READ = 40  # copies of each subscriber, with several of one issue and those that are not out


class FoundCopy(Struct, frozen=True):
    """A copy of a subscriber. claim: the newest one. returned_on: the day it was reported back."""

    copy: Copy
    subscription: StoredSubscription
    claim: WhyClaim | None
    returned_on: date | None


async def find_copies(context: PageContext, template: str, *, only_sent: bool) -> Response:
    """The subscribers that match a search, with their copies of the last issues.

    only_sent: the copies that went out by post; otherwise also those that did not.
    """
    search = context.query.get("search", "").strip()
    found: list[tuple[KnownSubscriber, list[FoundCopy]]] = []
    problem, has_exact, has_more = "", False, False
    try:
        query = decode_query(SubscriberQuery, [("search", search)] if search else [])
    except Invalid as reason:
        problem = str(reason)
    else:
        if not search and "search" in context.query:
            problem = _("Type the name or the address of the subscriber.")
        async with context.db.read(aside=True) as db:
            people, has_exact = await find_with_similar(
                db, context.account_id, query.search or "", limit=SUBSCRIBERS + 1
            )
            current = await issues.find_current(
                db, context.account_id, context.membership.daily_date
            )
        has_more = len(people) > SUBSCRIBERS
        last = current.number if current else 0
        found = [
            (person, await _list_copies(context, person.id, last=last, only_sent=only_sent))
            for person in people[:SUBSCRIBERS]
        ]
    return context.render(
        template,
        status=HTTPStatus.OK,
        search=search,
        found=found,
        has_exact=has_exact,
        has_more=has_more,
        problem=problem,
    )


async def _list_copies(
    context: PageContext, subscriber_id: str, *, last: int, only_sent: bool
) -> list[FoundCopy]:
    """The copies of a subscriber, newest issue first. last: the last issue that is out.

    Of those of a bundle, one for each issue with the same status. Queries: four at most.
    """
    db, account_id = context.db, context.account_id
    query = CopyQuery(subscriber=subscriber_id, status=CopyStatus.SENT if only_sent else None)
    page = await copies.list_copies(db, account_id, query, PageRequest(READ, None, b""))
    owned = await subscriptions.find_rows(
        db, account_id, {copy.subscription_id for copy in page.items}
    )
    shown: dict[object, Copy] = {}
    for copy in sorted(page.items, key=lambda it: it.issue.number, reverse=True):
        own = owned[copy.subscription_id]
        is_sent = copy.status is CopyStatus.SENT
        if own.medium != Medium.DIGITAL if only_sent else is_sent or copy.issue.number <= last:
            shown.setdefault((copy.issue.number, own.bundle_id or own.id, copy.status), copy)
    listed = list(shown.values())[:COPIES]
    ids = [copy.id for copy in listed]
    claims = await find_claims(db, account_id, ids)
    returned = await find_returned(db, account_id, ids)
    return [
        FoundCopy(it, owned[it.subscription_id], claims.get(it.id), returned.get(it.id))
        for it in listed
    ]
