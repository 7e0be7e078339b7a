"""Raise what renewals cost whose product has no price for them, from a day on."""

from datetime import date
from typing import Any

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid, NotFound
from masthead.model.orders.price_lists import check_first_day
from masthead.model.orders.price_rises import DatedRises, Rises, merge_rises
from masthead.model.translations import format_day, gettext as _
from masthead.services.transactions import with_locked_account
from masthead.store import products as product_store
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Transaction
from masthead.store.orders import price_rises as store

Fields = dict[str, Any]


async def save_rises(
    tx: Transaction, account: Account, product_id: str, rises: Rises, *, first_day: date
) -> tuple[Fields, Fields]:
    """Store rises from a day on; returns the audit entry, before and after.

    They replace those of the same day, medium and countries. Raises: Invalid.
    """
    currency = account.currency
    check_first_day([], first_day, today=account.daily_date, replaced=None)
    known = await store.list_product_rises(tx, account.id, product_id, currency=currency)
    of_day = [each for each in known if each.first_day == first_day]
    [merged] = merge_rises(of_day, DatedRises(first_day, rises))
    if [merged] == of_day:
        return {}, {}
    await store.replace_rises(tx, account.id, product_id, merged, currency=currency)
    before = _texts(of_day[0], currency) if of_day else {}
    return before, _texts(merged, currency)


@with_locked_account
async def delete_rises(
    tx: Transaction, account: Account, product_id: str, first_day: date, *, by: Actor
) -> None:
    """Delete coming rises. Raises: NotFound; Invalid for those of today or of the past."""
    currency = account.currency
    await product_store.get_product(tx, account.id, product_id)
    known = await store.list_product_rises(tx, account.id, product_id, currency=currency)
    found = [each for each in known if each.first_day == first_day]
    if not found:
        raise NotFound("rise", first_day.isoformat())
    if first_day <= account.daily_date:
        text = _("The price rise from {day} holds already. Enter another one instead.")
        raise Invalid(text.format(day=format_day(first_day)), field="day", value=first_day)
    none = DatedRises(first_day, {})
    await store.replace_rises(tx, account.id, product_id, none, currency=currency)
    before = _texts(found[0], currency)
    entry = NewEntry(EntryType.PRODUCT_UPDATE, product_id, before, {"rises": {}})
    await trail.record(tx, account.id, by, [entry])


def _texts(dated: DatedRises, currency: str) -> Fields:
    """Rises as the audit trail has them: `{"Print, europe": "4.00 EUR"}`."""
    texts = {
        f"{medium}, {group}": rise.text(currency)
        for (medium, group), rise in sorted(dated.rises.items())
    }
    return {"rises": texts, "rises_from": dated.first_day}
