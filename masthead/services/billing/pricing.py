"""The price of an order that is billed: with VAT added, for accounts whose prices have none."""

from datetime import date
from typing import TypeVar

from msgspec import Struct, structs

from masthead.model.billing.orders import Buyer, Taxation
from masthead.model.billing.supply import SupplyEnd, end_of_order, end_of_renewal
from masthead.model.billing.tax_ids import check_vat_id
from masthead.model.billing.terms import BillingTerms, require_settings
from masthead.model.orders.entry import OrderCreate
from masthead.model.subscriptions.renewals import Renewal
from masthead.model.types.enums import Medium
from masthead.model.types.money import minor_units, money_text
from masthead.services.billing.payers import check_payer, find_default_payer
from masthead.store import products
from masthead.store.accounts import Account
from masthead.store.billing import orders, payers, settings as settings_store
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.issues.records import find_release_dates
from masthead.store.subscribers.corrections import get_kept_id
from masthead.store.subscriptions import periods, records as subscriptions

Asked = TypeVar("Asked", bound=OrderCreate)


class Sold(Struct, frozen=True, kw_only=True):
    """What is sold, for a total before the order. price: without VAT, in minor units.

    product_id: None for the product of imported subscriptions. payer_id: None for one who is new,
    who then is in `payer_country`. end: of what is supplied, if it is known.
    """

    price: int
    product_id: str | None
    medium: Medium
    country: str
    payer_id: str | None = None
    payer_country: str = ""
    vat_id: str = ""
    end: SupplyEnd = SupplyEnd()


async def price_order(tx: Transaction, account: Account, body: Asked, terms: BillingTerms) -> Asked:
    """The order with the price that its payer will owe.

    Checks that it can be billed before anything is written, except for the payer's address.
    Raises: NotFound, Erased, Invalid.
    """
    await check_payer(tx, account.id, terms.payer_id)
    currency = body.currency or account.currency
    sold = Sold(
        price=minor_units("price", body.price, currency),
        product_id=body.product,
        medium=body.medium or Medium.PRINT,
        country=body.country,
        payer_id=terms.payer_id or body.gifter_id or body.subscriber_id,
        vat_id=terms.vat_id,
        end=await _find_end(tx, account, body),
    )
    total = await add_vat(tx, account, sold)
    return body if total is None else structs.replace(body, price=money_text(total, currency))


async def _find_end(db: Connection, account: Account, body: OrderCreate) -> SupplyEnd:
    """The end of an order, whose product may say how long it is."""
    length, months = body.length, body.interval_months
    if body.product and not (length or months):
        listed = {each.id: each for each in await products.list_products(db, account.id)}
        if product := listed.get(body.product):
            length, months = product.length, product.interval_months
    return end_of_order(
        start_issue=body.start_issue,
        length=length,
        start=body.period_start or body.order_date,
        months=months,
    )


async def price_further(
    tx: Transaction,
    account: Account,
    price: int,
    terms: BillingTerms,
    id: str,
    *,
    renewal: Renewal | None = None,
) -> int:
    """What the payer of another order of a subscription will owe. price: as it was typed.

    renewal: None for more copies until the same end. Raises: NotFound, Erased, Invalid.
    """
    await check_payer(tx, account.id, terms.payer_id)
    row = (await subscriptions.find_rows(tx, account.id, [id]))[id]
    last = (await periods.list_periods(tx, account.id, [id]))[id][-1]
    end = SupplyEnd(issue=last.last_issue, day=last.period_end)
    if renewal is not None:
        end = end_of_renewal(
            last,
            length=renewal.length,
            months=renewal.interval_months,
            start=renewal.period_start,
        )
    payer_id = terms.payer_id or await orders.find_last_payer(tx, account.id, id)
    sold = Sold(
        price=price,
        product_id=row.product_id,
        medium=row.medium,
        country=row.country,
        payer_id=payer_id or await find_default_payer(tx, account.id, row),
        vat_id=terms.vat_id,
        end=end,
    )
    total = await add_vat(tx, account, sold)
    return price if total is None else total


async def add_vat(db: Connection, account: Account, sold: Sold) -> int | None:
    """What the payer would owe; None if prices include VAT, or there is none. Raises: Invalid."""
    taxation = await find_taxation(db, account)
    if taxation.settings.prices_include_vat:
        return None
    taxation = taxation.of_supply(await _find_last_day(db, account.id, sold.end))
    if not taxation.settings.adds_vat_on(taxation.day):
        return None
    return taxation.with_vat_added(
        sold.price,
        product_id=sold.product_id or await products.get_imported_product(db, account.id),
        medium=sold.medium,
        country=sold.country,
        buyer=await _find_buyer(
            db, account.id, sold.payer_id, sold.payer_country or sold.country, vat_id=sold.vat_id
        ),
    )


async def _find_last_day(db: Connection, account_id: int, end: SupplyEnd) -> date | None:
    """The last day of a supply; None if the last issue has no date yet."""
    if end.issue is None:
        return end.day
    return (await find_release_dates(db, account_id, [end.issue])).get(end.issue)


async def find_taxation_on(db: Connection, account_id: int, day: date) -> Taxation | None:
    """All that decides about VAT on a day; None if the account has no settings. Queries: two."""
    settings = await settings_store.find_settings(db, account_id)
    if settings is None:
        return None
    rates = await settings_store.list_rates(db, account_id)
    return Taxation(settings=settings, rates=rates, day=day)


async def find_taxation(db: Connection, account: Account) -> Taxation:
    """All that decides about VAT today. Queries: two. Raises: Invalid `billing_off`."""
    settings = require_settings(await settings_store.find_settings(db, account.id))
    rates = await settings_store.list_rates(db, account.id)
    return Taxation(settings=settings, rates=rates, day=account.daily_date)


async def _find_buyer(
    db: Connection, account_id: int, id: str | None, country: str, *, vat_id: str
) -> Buyer:
    """What is known of a payer. country: for one who is new, or who has no address.

    vat_id: that which is typed; empty for the known one. Raises: Invalid.
    """
    typed = check_vat_id("vat_id", vat_id) if vat_id else ""
    if id is None:
        return Buyer(country, typed)
    kept = await get_kept_id(db, account_id, id)
    known = (await payers.find_payers(db, account_id, [kept])).get(kept)
    address = await payers.find_address(db, account_id, kept)
    return Buyer(address.country if address else country, typed or (known.vat_id if known else ""))
