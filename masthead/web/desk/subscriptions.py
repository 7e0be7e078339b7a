"""Subscriptions: a list to filter, a page for each, and its copies marked as sent."""

from functools import lru_cache
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.responses import Response

from masthead.model.desk_filters import DeskSubscriptionQuery
from masthead.model.errors import Invalid, NotFound
from masthead.model.inputs import CopyQuery, MarkSentDate
from masthead.model.orders.period_coverage import spreads
from masthead.model.pagination import Page, PageRequest, binding_of
from masthead.model.resources import Issue, Source, Subscription
from masthead.model.search import search_terms
from masthead.model.types.countries import COUNTRIES
from masthead.model.types.enums import CopyStatus, Medium, SubscriptionStatus, SubscriptionType
from masthead.model.types.text import MAX_DIGITS, casefold, is_digits
from masthead.model.validation import decode_input
from masthead.services.copies import mark_copies_sent
from masthead.services.timeline import list_events
from masthead.store import copies, issues, periods, sources
from masthead.store import subscriptions as store
from masthead.store.engine.interface import Connection
from masthead.store.read_model import subscription_query
from masthead.store.reports import fulfilment
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import PAGE, decode_filters, read_filters, read_number, real_email
from masthead.web.kit.formatting import get_locale

MOST_SOURCES = 200  # in a choice


class Listed(msgspec.Struct, frozen=True):
    """What a list shows of a subscription."""

    id: str
    type: SubscriptionType
    status: SubscriptionStatus
    medium: Medium
    first_name: str | None
    last_name: str | None
    shipping_address: dict[str, str | None]
    is_gift: bool
    total_length: int
    order_date: str | None
    start_issue: dict[str, Any] | None
    current_period_end: str | None
    subscriber: dict[str, str]
    source: dict[str, str]


_decoder = msgspec.json.Decoder(Page[Listed])


@lru_cache(maxsize=64)
def countries_in(locale: str) -> tuple[tuple[str, str], ...]:
    """Codes and names of all countries, by name, in the language of a locale."""
    names = get_locale(locale).territories
    named = [(code, str(names.get(code) or english)) for code, english in COUNTRIES.items()]
    return tuple(sorted(named, key=lambda each: casefold(each[1])))


async def sources_of(context: PageContext) -> list[Source]:
    """The sources to choose from, newest first."""
    page = await sources.list_sources(
        context.db, context.account_id, PageRequest(MOST_SOURCES, None, b"")
    )
    return list(page.items)


async def list_subscriptions(context: PageContext) -> Response:
    """Those that the filters leave, newest first."""
    variables: dict[str, Any] = {
        "filters": read_filters(context, DeskSubscriptionQuery),
        "real_email": lambda email: real_email(email, context.terms.placeholder_domain),
        "sources": await sources_of(context),
        "countries": countries_in(context.membership.locale),
        "statuses": [each.value for each in SubscriptionStatus],
    }
    template = "desk/subscriptions.html"
    try:
        query, request = decode_filters(context, DeskSubscriptionQuery)
    except Invalid as reason:
        return context.render(
            template, status=HTTPStatus.BAD_REQUEST, page=None, problem=str(reason), **variables
        )
    terms = search_terms(query.search or "")
    if terms:
        async with context.db.read(aside=True) as db:
            text = await store.search_subscriptions(db, context.account_id, terms, query, request)
    else:
        text = await store.list_subscriptions(context.db, context.account_id, query, request)
    return context.render(template, page=_decoder.decode(text), problem="", **variables)


async def find_subscription(context: PageContext, db: Connection, id: str) -> Subscription:
    """A subscription of the account as it is now. Raises: NotFound."""
    found = await subscription_query.find_subscriptions(db, context.account_id, [id])
    if id not in found:
        raise NotFound("subscription", id)
    return found[id]


async def show_subscription(context: PageContext) -> Response:
    """Everything about one. Raises: NotFound, Invalid."""
    return await _show(context)


async def _show(context: PageContext, *, problem: str = "", typed: str = "") -> Response:
    """Its page. problem: why a copy was not marked; typed: the day that was sent with it."""
    id = context.path["id"]
    cursor = context.query.get("copies")
    binding = binding_of(context.account_id, context.request.url.path, {})
    request = PageRequest.from_cursor(cursor or None, limit=PAGE, binding=binding)
    before = read_number(context, "events")
    more = {"before": before} if before else {}
    async with context.db.read(aside=True) as db:
        subscription = await find_subscription(context, db, id)
        orders = (await periods.list_periods(db, context.account_id, [id]))[id]
        history = await list_events(db, context.account_id, [id], **more)
    listed = await copies.list_copies(
        context.db, context.account_id, CopyQuery(subscription=id), request
    )
    return context.render(
        "desk/subscription.html",
        status=HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK,
        subscription=subscription,
        email=real_email(subscription.subscriber.email, context.terms.placeholder_domain),
        orders=list(zip(subscription.periods, orders, strict=True)),
        spreads=spreads,
        copies=listed,
        is_first=cursor is None,
        history=history,
        problem=problem,
        typed=typed or context.membership.daily_date.isoformat(),
    )


async def mark_sent(context: PageContext) -> Response:
    """Mark one copy as sent, on a day or on one that nobody noted. Raises: NotFound.

    Asks before that if the issue seems not to be out: it cannot be taken back.
    """
    id, copy_id = context.path["id"], str(context.fields.get("copy", ""))
    day = str(context.fields.get("date", "")).strip()
    if not is_digits(copy_id, at_most=MAX_DIGITS):
        raise NotFound("copy", copy_id)
    async with context.db.read(aside=True) as db:
        subscription = await find_subscription(context, db, id)
    try:
        body = decode_input(MarkSentDate, {"date": day or None})
    except Invalid as reason:
        return await _show(context, problem=str(reason), typed=day)
    if not context.fields.get("sure"):
        early = await _early(context, int(copy_id), day)
        if early is not None:
            issue, others = early
            return context.render(
                "desk/subscription_sent.html",
                subscription=subscription,
                issue=issue,
                others=others,
                copy_id=copy_id,
                day=day,
            )
    marked = await mark_copies_sent(
        context.db, context.account_id, [int(copy_id)], body.date, by=context.actor
    )
    said = "The copy is marked as sent." if marked.updated_count else "No copy was marked."
    return context.redirect(context.url("subscriptions", id), message=said)


async def _early(context: PageContext, copy_id: int, day: str) -> tuple[Issue, int] | None:
    """The issue of a copy, if it seems not to be out, and how many other copies of it wait.

    An issue without a release date is out once a copy has been sent; whoever types another day
    than the form's own says that it was.
    """
    today = context.membership.daily_date
    async with context.db.read(aside=True) as db:
        issue_id = await copies.find_issue_id(db, context.account_id, copy_id)
        if issue_id is None:
            return None
        issue = await issues.get_issue(db, context.account_id, issue_id)
        states = await fulfilment.count_by_status(db, context.account_id, issue.number)
    if issue.release_date_actual is not None:
        is_early = issue.release_date_actual > today
    else:
        is_early = not states[CopyStatus.SENT] and day == today.isoformat()
    return (issue, max(states[CopyStatus.NOT_SENT] - 1, 0)) if is_early else None
