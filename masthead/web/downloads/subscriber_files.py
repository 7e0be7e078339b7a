"""The files of the lists of subscribers, subscriptions, held ones and likely duplicates."""

from collections.abc import Awaitable, Sequence
from typing import Any

import msgspec
from msgspec import structs

from masthead.model.file_names import file_name_noop
from masthead.model.holds import Hold
from masthead.model.identity.rights import Right
from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.pagination import Page, PageRequest
from masthead.model.queries import SubscriberQuery, SubscriptionQuery
from masthead.model.resources import Subscriber, Subscription
from masthead.model.search import search_terms
from masthead.model.subscribers.greetings import Greeted, describe_salutation
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.countries import known_country
from masthead.model.types.money import money_text
from masthead.model.types.source_names import shown_source
from masthead.services.revenue.subscriber_payments import Paid, list_paid
from masthead.services.subscribers.duplicates import list_pairs
from masthead.store.billing.paid_for import count_for_others
from masthead.store.engine.interface import Connection
from masthead.store.holds.records import HeldRow, list_all_open
from masthead.store.letters.subscribers import find_addressees
from masthead.store.subscribers import lists as subscriber_lists, records as subscriber_store
from masthead.store.subscriptions import lists as subscription_lists, records as subscriptions
from masthead.store.subscriptions.bundles import GroupSize, count_groups, find_groups
from masthead.web.downloads.list_file import ListFile, Parts, read_pages, read_query
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import read_filters
from masthead.web.kit.formatting import country_cells, get_locale

_SUBSCRIBERS = (
    "subscriber_id full_name salutation title first_name last_name email country country_name "
    "has_active_subscription subscriptions pays_for latest_order_date paid currency "
    "paid_other_currencies date_created"
).split()
_SUBSCRIPTIONS = (
    "subscription_id type status medium first_name last_name company address1 address2 city state "
    "postcode country country_name phone is_gift gifter_name gifter_email is_comp is_recurring "
    "copies first_issue last_issue period_end next_charge_date order_date price currency source "
    "product "
    "notes subscriber_id full_name email"
).split()
_HELD = "subscription_id subscriber_id full_name email reason created_at".split()
_DUPLICATES = (
    "subscriber_id full_name email address other_subscriber_id other_full_name other_email "
    "other_address reason"
).split()

_pages = msgspec.json.Decoder(Page[Subscription])


def _read_subscribers(context: PageContext) -> Parts:
    query, is_ascending = read_query(context, SubscriberQuery, is_sortable=True, has_names=True)
    is_by_name = read_filters(context, SubscriberQuery, has_names=True).is_by_name
    terms, locale = search_terms(query.search or ""), get_locale(context.locale)
    chosen = context.query.getlist("id")
    account_id, currency = context.account_id, context.membership.currency
    sees_money = context.membership.may(Right.SEE_MONEY)

    async def read_page(db: Connection, request: PageRequest) -> Page[Subscriber]:
        if chosen:
            return await subscriber_lists.list_by_ids(db, account_id, chosen, request)
        if terms:
            return await subscriber_store.search_subscribers(db, account_id, terms, request)
        if is_by_name:
            return await subscriber_lists.list_by_name(db, account_id, request)
        return await subscriber_store.list_subscribers(db, account_id, request)

    async def list_page(
        db: Connection, request: PageRequest
    ) -> Page[tuple[Subscriber, Greeted | None, dict[str, Any]]]:
        page = await read_page(db, request)
        ids = [each.id for each in page.items]
        greeted = await find_addressees(db, account_id, set(ids))
        paid = await list_paid(db, account_id, ids, currency=currency) if sees_money else {}
        others = await count_for_others(db, account_id, ids)
        several = [each.id for each in page.items if each.subscription_count > 1]
        groups = await count_groups(db, account_id, several)
        rows = await subscriber_lists.find_rows(db, account_id, ids)
        cells = {
            each.id: {
                **country_cells(each.latest_country or rows[each.id].country, locale),
                "date_created": rows[each.id].created_at.astimezone(context.zone).date(),
                "subscriptions": groups.get(each.id, each.subscription_count),
                "pays_for": others[each.id].live if each.id in others else 0,
                **_paid_cells(paid.get(each.id, []), currency),
            }
            for each in page.items
        }
        items = [(each, greeted.get(each.id), cells[each.id]) for each in page.items]
        return Page(items=items, has_more=page.has_more, cursor=page.cursor)

    def row(found: tuple[Subscriber, Greeted | None, dict[str, Any]]) -> dict[str, Any]:
        item, greeted, cells = found
        return {
            **structs.asdict(item),
            "salutation": describe_salutation(greeted.salutation) if greeted else "",
            "title": greeted.title if greeted else None,
            "subscriber_id": item.id,
            "email": context.real_email(item.email),
            "has_active_subscription": item.has_active_subscription,
            **cells,
        }

    return read_pages(context, list_page, row, is_ascending=is_ascending and not terms)


def _paid_cells(paid: Sequence[Paid], currency: str) -> dict[str, Any]:
    """What a subscriber paid in the currency of the account, and in others as text."""
    own = [each.amount for each in paid if each.currency == currency]
    others = [f"{each.amount} {each.currency}" for each in paid if each.currency != currency]
    return {
        "paid": own[0] if own else money_text(0, currency),
        "currency": currency,
        "paid_other_currencies": "; ".join(others),
    }


def _read_subscriptions(context: PageContext) -> Parts:
    query, is_ascending = read_query(context, SubscriptionQuery, is_sortable=True, has_names=True)
    is_by_name = read_filters(context, SubscriptionQuery, has_names=True).is_by_name
    terms, locale = search_terms(query.search or ""), get_locale(context.locale)
    id, chosen = context.account_id, context.query.getlist("id")
    shown: set[str] = set()  # the groups whose row is in the file

    async def read_page(db: Connection, request: PageRequest) -> Page[Subscription]:
        if chosen:
            text = await subscription_lists.list_by_ids(db, id, chosen, request)
        elif terms:
            text = await subscriptions.search_subscriptions(db, id, terms, query, request)
        elif is_by_name:
            text = await subscription_lists.list_by_name(db, id, query, request)
        else:
            text = await subscriptions.list_subscriptions(context.db, id, query, request)
        return _pages.decode(text)

    async def list_page(
        db: Connection, request: PageRequest
    ) -> Page[tuple[Subscription, GroupSize | None]]:
        page = await read_page(db, request)
        groups = await find_groups(db, id, [each.id for each in page.items])
        items = [
            (each, group)
            for each in page.items
            if (group := groups.get(each.id)) is None or not _is_shown(shown, group)
        ]
        return Page(items=items, has_more=page.has_more, cursor=page.cursor)

    def row(found: tuple[Subscription, GroupSize | None]) -> dict[str, Any]:
        item, group = found
        address = structs.asdict(item.shipping_address)
        return {
            **structs.asdict(item),
            **address,
            "subscription_id": item.id,
            "status": _(item.status.value),
            "medium": _(item.medium.value),
            "type": _(item.type.value),
            **country_cells(item.shipping_address.country, locale),
            "is_gift": item.is_gift,
            "is_comp": item.is_comp,
            "is_recurring": item.is_recurring,
            "gifter_name": item.gifter.full_name if item.gifter else None,
            "gifter_email": context.real_email(item.gifter.email or "") if item.gifter else None,
            "copies": group.count if group else 1,
            "price": (
                money_text(group.price, item.currency) if group and item.currency else item.price
            ),
            "first_issue": item.issue_list[0] if item.issue_list else None,
            "last_issue": item.issue_list[-1] if item.issue_list else None,
            "period_end": item.current_period_end,
            "source": shown_source(item.source.name) if item.source else None,
            "product": item.product.name,
            "subscriber_id": item.subscriber.id,
            "full_name": item.subscriber.full_name,
            "email": context.real_email(item.subscriber.email),
        }

    return read_pages(context, list_page, row, is_ascending=is_ascending and not terms)


def _is_shown(shown: set[str], group: GroupSize) -> bool:
    """Whether a group is among those that were shown, to which it is added."""
    if group.first in shown:
        return True
    shown.add(group.first)
    return False


def _read_held(context: PageContext) -> Parts:
    def why(hold: Hold) -> str:
        unpaid = _("Invoice %(number)s is not paid") % {"number": hold.invoice_number}
        return unpaid if hold.invoice_number else hold.reason

    def row(held: HeldRow) -> dict[str, Any]:
        return {
            **structs.asdict(held),
            "full_name": held.full_name,
            "email": context.real_email(held.email),
            "reason": "; ".join(why(each) for each in held.holds),
        }

    def list_page(db: Connection, request: PageRequest) -> Awaitable[Page[HeldRow]]:
        return list_all_open(db, context.account_id, request)

    return read_pages(context, list_page, row, is_ascending=True)


async def _read_duplicates(context: PageContext) -> Parts:
    yield []  # the first bytes are sent before all subscribers are compared
    found = await context.web.duplicates.find(context.db, context.account_id)
    pairs = await list_pairs(context.db, context.account_id, found, len(found.pairs))
    yield [
        {
            **_describe(pair.one),
            **{f"other_{k}": v for k, v in _describe(pair.other).items()},
            "reason": ", ".join(each.words for each in pair.reasons),
        }
        for pair in pairs
    ]


def _describe(subscriber: KnownSubscriber) -> dict[str, Any]:
    parts = [subscriber.address1, subscriber.address2, subscriber.postcode, subscriber.city]
    parts.append(known_country(subscriber.country))
    return {
        "subscriber_id": subscriber.id,
        "full_name": subscriber.name,
        "email": subscriber.email,
        "address": ", ".join(filter(None, parts)),
    }


SUBSCRIBER_FILES = {
    "subscribers": ListFile(
        gettext_noop("Subscribers"),
        file_name_noop("subscribers-{day}.{ending}"),
        _SUBSCRIBERS,
        _read_subscribers,
    ),
    "subscriptions": ListFile(
        gettext_noop("Subscriptions"),
        file_name_noop("subscriptions-{day}.{ending}"),
        _SUBSCRIPTIONS,
        _read_subscriptions,
    ),
    "held": ListFile(
        gettext_noop("Held subscriptions"), file_name_noop("held-{day}.{ending}"), _HELD, _read_held
    ),
    "duplicates": ListFile(
        gettext_noop("Likely duplicates"),
        file_name_noop("duplicates-{day}.{ending}"),
        _DUPLICATES,
        _read_duplicates,
    ),
}
