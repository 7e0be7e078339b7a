"""The list of subscribers with its search, and what is suggested while a user types."""

from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from masthead.model.billing.payments import OpenInvoice
from masthead.model.bulk import MAX_CHOSEN
from masthead.model.errors import Invalid
from masthead.model.identity.rights import Right
from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.queries import SubscriberQuery
from masthead.model.search import search_terms
from masthead.model.validation import decode_query
from masthead.services.revenue.subscriber_payments import list_paid
from masthead.services.subscribers.find import find_similar_ids, find_with_similar, list_in_order
from masthead.store.billing import invoices
from masthead.store.billing.paid_for import count_for_others
from masthead.store.reports import totals
from masthead.store.subscribers import records as store
from masthead.store.subscribers.lists import find_rows, list_by_name
from masthead.store.subscribers.past_due import list_past_due
from masthead.store.subscriptions.bundles import count_groups
from masthead.web.kit.context import PageContext
from masthead.web.kit.copy_references import is_of_copy
from masthead.web.kit.filters import decode_filters, read_filters
from masthead.web.kit.shown_pages import show_page

SUGGESTED = 8  # below the search of each page


async def list_subscribers(context: PageContext) -> Response:
    """The subscribers that match the search, newest first. Without one, also by name.

    Similar ones follow on the first page, if the page is not full. The key or the id of a copy in
    the search opens the page of the copy, and the number of an invoice opens the invoice. The
    search at the top of each page opens the only one that matches.
    """
    filters = read_filters(context, SubscriberQuery, has_names=True)
    variables: dict[str, Any] = {
        "filters": filters,
        "max_chosen": MAX_CHOSEN,
    }
    template = "subscribers/list.html"
    try:
        is_sortable = not filters.values["search"]
        query, request = decode_filters(
            context,
            SubscriberQuery,
            is_sortable=is_sortable,
            is_reversible=is_sortable,
            has_names=True,
        )
    except Invalid as reason:
        return context.render(template, page=None, problem=str(reason), **variables)
    is_typing = bool(context.request.headers.get("HX-Request"))
    if query.search and not is_typing and await is_of_copy(context, query.search):
        return context.redirect(context.url("copy-key", key=query.search))
    if not is_typing and (invoice := await _find_invoice(context, query.search or "")):
        return context.redirect(context.url("money", "invoices", invoice.id))
    terms = search_terms(query.search or "")
    found, similar = list[KnownSubscriber](), list[KnownSubscriber]()
    async with context.db.replica.read(aside=True) as db:
        if terms:
            page = await store.search_subscribers(db, context.account_id, terms, request)
            ids = [each.id for each in page.items]
            found = await list_in_order(db, context.account_id, ids)
            if filters.is_first and not page.has_more:
                ids = await find_similar_ids(db, context.account_id, query.search or "", found=ids)
                similar = await list_in_order(db, context.account_id, ids)
        elif filters.is_by_name:
            page = await list_by_name(db, context.account_id, request)
        else:
            page = await store.list_subscribers(db, context.account_id, request)
        paid = await list_paid(
            db,
            context.account_id,
            [each.id for each in page.items],
            currency=context.membership.currency,
        )
        listed = [] if terms else page.items  # what a search finds has all of this
        listed_ids = [each.id for each in listed]
        for_others = await count_for_others(db, context.account_id, listed_ids)
        rows = await find_rows(db, context.account_id, listed_ids)
        past_due = await list_past_due(db, context.account_id, listed_ids)
        several = [each.id for each in listed if each.subscription_count > 1]
        groups = await count_groups(db, context.account_id, several)
        total = None if terms else await totals.count_subscribers(db, context.account_id)
    if context.query.get("open") and filters.is_first and len(found) == 1 and not page.has_more:
        return context.redirect(context.url("subscribers", found[0].id))
    shown = show_page(context, request, page, key=lambda each: each.id, is_reversible=is_sortable)
    variables |= {"found": found, "similar": similar, "is_search": bool(terms)}
    variables |= {"paid": paid, "for_others": for_others, "groups": groups}
    variables |= {"rows": rows, "past_due": past_due}
    return context.render(template, page=shown, total=total, problem="", **variables)


async def suggest_subscribers(context: PageContext) -> Response:
    """The first subscribers that match a search, as options of a list, without a page around.

    The number of an invoice has its invoice as the first option.
    """
    search = context.query.get("search", "").strip()
    found: list[KnownSubscriber] = []
    problem, invoice, has_exact = "", None, False
    try:
        query = decode_query(SubscriberQuery, [("search", search)] if search else [])
    except Invalid as reason:
        problem = str(reason)
    else:
        async with context.db.replica.read(aside=True) as db:
            limit = SUGGESTED + 1  # one more tells whether there are more
            found, has_exact = await find_with_similar(
                db, context.account_id, query.search or "", limit=limit
            )
        invoice = await _find_invoice(context, query.search or "")
    return context.render(
        "subscribers/suggestions.html",
        status=HTTPStatus.OK,
        found=found[:SUGGESTED],
        has_exact=has_exact,
        has_more=len(found) > SUGGESTED,
        search=search,
        problem=problem,
        invoice=invoice,
    )


async def _find_invoice(context: PageContext, text: str) -> OpenInvoice | None:
    """The invoice or other document with this number; None without the right to see it."""
    text = text.strip()
    if not (text[-1:].isdigit() and context.membership.may(Right.SEE_MONEY)):
        return None
    async with context.db.read() as db:
        found = await invoices.find_by_number(db, context.account_id, {text, text.upper()})
    return next(iter(found.values()), None)
