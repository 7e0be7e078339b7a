"""Create and change products, which subscriptions are for."""

from collections.abc import Sequence
from datetime import date
from hashlib import sha256
from typing import Any

import msgspec

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.orders.offers import Offer, checked_offer, price_texts
from masthead.model.orders.price_lists import PriceLists
from masthead.model.orders.price_rises import DatedRises, Rises
from masthead.model.translations import gettext as _
from masthead.model.types.clean_text import one_line
from masthead.model.types.fields import required_text
from masthead.model.types.text import short_text
from masthead.services.price_rises import save_rises
from masthead.services.product_prices import save_prices
from masthead.services.transactions import with_locked_account
from masthead.store import products as store
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Transaction
from masthead.store.orders import price_rises, product_prices
from masthead.store.products import AccountProduct
from masthead.store.read_model import subscription_json

MAX_BENEFITS = 50


@with_locked_account
async def create_product(
    tx: Transaction,
    account: Account,
    *,
    name: str,
    benefits: Sequence[str] = (),
    offer: Offer | None = None,
    by: Actor,
) -> AccountProduct:
    """Create a product. benefits: lines of text; empty lines are left out.

    offer: its prices are in the account's currency. Raises: Invalid.
    """
    name, benefits = required_text("name", name.strip()), _benefits(benefits)
    offered = checked_offer(offer or Offer())
    terms = _terms(offered)
    product = await store.insert_product(tx, account.id, name=name, benefits=benefits, **terms)
    await product_prices.replace_prices(
        tx, account.id, product.id, offered.prices, currency=account.currency
    )
    after: dict[str, object] = {"name": name, "benefits": benefits}
    if offer is not None:
        after |= terms | {"prices": price_texts(offered.prices, account.currency)}
    entry = NewEntry(EntryType.PRODUCT_CREATE, product.id, None, after)
    await trail.record(tx, account.id, by, [entry])
    return product


@with_locked_account
async def update_product(
    tx: Transaction,
    account: Account,
    id: str,
    *,
    name: str,
    benefits: Sequence[str],
    offer: Offer | None = None,
    prices_from: date | None = None,
    replaced: date | None = None,
    rises: Rises | None = None,
    seen: str | None = None,
    by: Actor,
) -> AccountProduct:
    """Change the name and benefits of a product; its subscriptions show the change.

    offer: what it offers to new orders; None leaves that unchanged. Its prices hold from
    `prices_from`, by default today, in the account's currency; `replaced` is the first day of
    the coming prices that they replace. rises: what renewals cost more from that day on where it
    has no price. seen: the `fingerprint` when the form was opened; if the
    product has changed since then, nothing is saved. Raises: NotFound, Invalid.
    """
    given: dict[str, Any] = {
        "name": required_text("name", name.strip()),
        "benefits": _benefits(benefits),
    }
    if offer is not None:
        offer = checked_offer(offer)
        given |= _terms(offer)
    product = await store.get_product(tx, account.id, id)
    known = await product_prices.list_price_lists(tx, account.id, currency=account.currency)
    risen = await price_rises.list_product_rises(tx, account.id, id, currency=account.currency)
    if seen is not None and seen != fingerprint(product, known.get(id, []), risen):
        raise Invalid(
            _(
                "Another user has changed this product since you opened it. Check the values "
                "and save again."
            ),
            code=CHANGED_MEANWHILE,
        )
    if product.is_imported and given["benefits"]:
        raise Invalid(
            _(
                "`benefits` of `{product}` must stay empty, because it is the product of "
                "imported subscriptions. Create another product for the benefits."
            ).format(product=product.name),
            field="benefits",
        )
    before = {field: getattr(product, field) for field in given}
    changed = {field: to for field, to in given.items() if before[field] != to}
    old = {field: before[field] for field in changed}
    if changed:
        await store.update_product(tx, account.id, id, changed)
        await subscription_json.mark_outdated_by_product(tx, account.id, id)
    if offer is not None:
        unlisted = {at: rise for at, rise in (rises or {}).items() if at not in offer.prices}
        was, now = await save_prices(
            tx,
            account,
            id,
            offer.prices,
            first_day=prices_from,
            replaced=replaced,
            has_rises=bool(unlisted),
        )
        old, changed = old | was, changed | now
        if unlisted:
            first_day = prices_from or account.daily_date
            was, now = await save_rises(tx, account, id, unlisted, first_day=first_day)
            old, changed = old | was, changed | now
    if changed:
        entry = NewEntry(EntryType.PRODUCT_UPDATE, id, old, changed)
        await trail.record(tx, account.id, by, [entry])
    return await store.get_product(tx, account.id, id)


def fingerprint(
    product: AccountProduct, lists: PriceLists, risen: Sequence[DatedRises] = ()
) -> str:
    """A digest of what a form shows of a product; another one means that it has changed."""
    listed = [
        (each.first_day, sorted((*place, price) for place, price in each.prices.items()))
        for each in lists
    ]
    raised = [
        (each.first_day, sorted((*place, rise) for place, rise in each.rises.items()))
        for each in risen
    ]
    return sha256(msgspec.json.encode([product, listed, raised])).hexdigest()


def _terms(offer: Offer) -> dict[str, str | int | None]:
    """The columns of a product that an offer sets."""
    return {
        "type": offer.type,
        "length": offer.length,
        "interval_months": offer.interval_months,
    }


@with_locked_account
async def set_product_active(
    tx: Transaction, account: Account, id: str, *, is_active: bool, by: Actor
) -> AccountProduct:
    """Activate or deactivate a product. Subscriptions that have an inactive product keep it.

    Raises: NotFound; Invalid for the product of imported subscriptions.
    """
    product = await store.get_product(tx, account.id, id)
    if product.is_imported and not is_active:
        raise Invalid(
            _(
                "`{product}` cannot be deactivated, because every subscription without another "
                "product gets it."
            ).format(product=product.name)
        )
    if product.is_active != is_active:
        await store.update_product(tx, account.id, id, {"is_active": is_active})
        action = EntryType.PRODUCT_ACTIVATE if is_active else EntryType.PRODUCT_DEACTIVATE
        states = {"is_active": not is_active}, {"is_active": is_active}
        await trail.record(tx, account.id, by, [NewEntry(action, id, *states)])
    return await store.get_product(tx, account.id, id)


def _benefits(given: Sequence[str]) -> list[str]:
    """The benefits without empty lines. Raises: Invalid."""
    benefits = [short_text("benefits", text) for text in map(one_line, given) if text]
    if len(benefits) > MAX_BENEFITS:
        raise Invalid(
            _("`benefits` has {count} lines; at most {most} are allowed.").format(
                count=len(benefits), most=MAX_BENEFITS
            ),
            field="benefits",
        )
    return benefits
