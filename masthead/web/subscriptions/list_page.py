"""The list of subscriptions."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from starlette.responses import Response

from masthead.model.bulk import MAX_CHOSEN
from masthead.model.errors import Invalid
from masthead.model.pagination import Page
from masthead.model.queries import SubscriptionQuery
from masthead.model.search import search_terms
from masthead.model.types.enums import Medium, SubscriptionStatus, SubscriptionType
from masthead.store.reports import totals
from masthead.store.subscriptions import bundles, records as store
from masthead.store.subscriptions.lists import list_by_name
from masthead.web.kit.choices import list_countries, name_sources
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters
from masthead.web.kit.shown_pages import show_page


class SubscriptionListItem(msgspec.Struct, frozen=True):
    """A row of the list of subscriptions."""

    id: str
    type: SubscriptionType
    status: SubscriptionStatus
    medium: Medium
    first_name: str | None
    last_name: str | None
    shipping_address: dict[str, str | None]
    is_gift: bool
    issue_list: list[int]
    order_date: str | None
    current_period_end: str | None
    subscriber: dict[str, str]
    source: dict[str, str]


_decoder = msgspec.json.Decoder(Page[SubscriptionListItem])


async def list_subscriptions(context: PageContext) -> Response:
    """The subscriptions that match the filters, newest first; without a search, also by name."""
    filters = read_filters(context, SubscriptionQuery, has_names=True)
    variables: dict[str, Any] = {
        "filters": filters,
        "max_chosen": MAX_CHOSEN,
        "sources": await name_sources(context),
        "countries": list_countries(context.locale),
        "statuses": [each.value for each in SubscriptionStatus],
    }
    template = "subscriptions/list.html"
    try:
        is_sortable = not filters.values["search"]
        query, request = decode_filters(
            context,
            SubscriptionQuery,
            is_sortable=is_sortable,
            is_reversible=is_sortable,
            has_names=True,
        )
    except Invalid as reason:
        return context.render(template, page=None, problem=str(reason), **variables)
    terms = search_terms(query.search or "")
    if terms:
        async with context.db.replica.read(aside=True) as db:
            text = await store.search_subscriptions(db, context.account_id, terms, query, request)
    elif filters.is_by_name:
        async with context.db.replica.read(aside=True) as db:
            text = await list_by_name(db, context.account_id, query, request)
    else:
        text = await store.list_subscriptions(
            context.db.replica, context.account_id, query, request, one_of_each_group=True
        )
    found = _decoder.decode(text)
    total = None
    async with context.db.replica.read(aside=True) as db:
        if not terms:
            total = await totals.count_subscriptions(db, context.account_id, query)
        groups = await bundles.find_groups(
            db, context.account_id, [each.id for each in found.items]
        )
    page = show_page(context, request, found, key=lambda each: each.id, is_reversible=is_sortable)
    if terms or filters.is_by_name:  # these find each copy
        page = msgspec.structs.replace(page, items=_one_of_each_group(page.items, groups))
    return context.render(template, page=page, groups=groups, total=total, problem="", **variables)


def _one_of_each_group(
    items: Sequence[SubscriptionListItem], groups: Mapping[str, bundles.GroupSize]
) -> list[SubscriptionListItem]:
    """The items with one of each group: its oldest subscription, if that is among them."""
    found: dict[str, SubscriptionListItem] = {}
    for each in items:
        first = groups[each.id].first if each.id in groups else each.id
        if first not in found or each.id == first:
            found[first] = each
    return list(found.values())
