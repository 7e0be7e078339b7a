"""Change the prices of a product from a day on. Past prices do not change."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid, NotFound
from masthead.model.orders.offers import Prices, price_texts
from masthead.model.orders.price_lists import (
    PriceList,
    PriceLists,
    check_first_day,
    find_list,
    list_on,
)
from masthead.model.translations import gettext as _
from masthead.services.transactions import with_locked_account
from masthead.store import products as product_store
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Transaction
from masthead.store.orders import product_prices as store

Fields = dict[str, Any]


async def save_prices(
    tx: Transaction,
    account: Account,
    product_id: str,
    prices: Prices,
    *,
    first_day: date | None,
    replaced: date | None,
    has_rises: bool = False,
) -> tuple[Fields, Fields]:
    """Store the prices of a product from a day on; returns the audit entry, before and after.

    first_day: None for today. replaced: the first day of the coming prices that they replace; None
    for prices after those of today. The first prices of a product hold for all days before, and
    can be corrected on the day when the product is added. has_rises: whether rises are saved with
    them, so that the prices can stay those of today. Raises: Invalid.
    """
    today, currency = account.daily_date, account.currency
    first_day = first_day or today
    known = await store.list_price_lists(tx, account.id, currency=currency)
    lists = known.get(product_id, [])
    coming = find_list(lists, replaced) if replaced and replaced > today else None
    shown = coming or list_on(lists, today)
    only_rises = has_rises and coming is None
    if shown.prices == prices and (only_rises or first_day in (today, replaced)):
        return {}, {}
    check_first_day(lists, first_day, today=today, replaced=replaced)
    if coming is None and shown.prices == prices:
        raise Invalid(
            _("The prices are those of today. Change at least one, or choose {today}.").format(
                today=today
            ),
            field="prices_from",
            value=first_day,
        )
    if first_day == today and await _are_first(tx, account, product_id, lists):
        await store.replace_prices(tx, account.id, product_id, prices, currency=currency)
        old = list_on(lists, today).prices
        return _texts(PriceList(None, old), currency), _texts(PriceList(None, prices), currency)
    for day in {first_day, replaced if coming else first_day}:
        assert day is not None
        await store.delete_list(tx, account.id, product_id, day, currency=currency)
    new = PriceList(first_day, prices)
    await store.insert_list(tx, account.id, product_id, new, currency=currency)
    before = coming or PriceList(None, list_on(lists, first_day).prices)
    return _texts(before, currency), _texts(new, currency)


async def _are_first(tx: Transaction, account: Account, product_id: str, lists: PriceLists) -> bool:
    """Whether the prices to save are the first ones of the product."""
    if not any(each.prices for each in lists):
        return not any(each.first_day for each in lists)
    if len(lists) > 1 or lists[0].first_day:
        return False
    created = await product_store.get_created_at(tx, account.id, product_id)
    return account.date_of(created) >= account.daily_date


@with_locked_account
async def delete_prices(
    tx: Transaction, account: Account, product_id: str, first_day: date, *, by: Actor
) -> None:
    """Delete coming prices. Raises: NotFound; Invalid for those of today or of the past."""
    await product_store.get_product(tx, account.id, product_id)
    known = await store.list_price_lists(tx, account.id, currency=account.currency)
    listed = find_list(known.get(product_id, []), first_day)
    if listed is None:
        raise NotFound("price", first_day.isoformat())
    if first_day <= account.daily_date:
        raise Invalid(
            _("The prices from {day} hold already. Enter new prices instead.").format(
                day=first_day
            ),
            field="prices_from",
            value=first_day,
        )
    await store.delete_list(tx, account.id, product_id, first_day, currency=account.currency)
    old: Mapping[str, Any] = _texts(listed, account.currency)
    entry = NewEntry(EntryType.PRODUCT_UPDATE, product_id, old, {"prices": {}})
    await trail.record(tx, account.id, by, [entry])


def _texts(listed: PriceList, currency: str) -> Fields:
    """Prices as the audit trail has them."""
    texts: Fields = {"prices": price_texts(listed.prices, currency)}
    return texts | ({"prices_from": listed.first_day} if listed.first_day else {})
