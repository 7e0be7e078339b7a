"""The price of an order that is billed: with VAT added, for accounts whose prices have none."""

from typing import TypeVar

from msgspec import structs

from masthead.model.billing.orders import Buyer, Taxation
from masthead.model.billing.terms import BillingTerms, require_settings
from masthead.model.orders.entry import OrderCreate
from masthead.model.subscriptions.renewals import Renewal
from masthead.model.types.enums import Medium
from masthead.model.types.money import minor_units, money_text
from masthead.services.privacy.guard import require_not_erased
from masthead.store import products
from masthead.store.accounts import Account
from masthead.store.billing import orders, payers
from masthead.store.billing import settings as settings_store
from masthead.store.engine.interface import Transaction
from masthead.store.subscribers.corrections import get_kept_id
from masthead.store.subscriptions import records as subscriptions

Asked = TypeVar("Asked", bound=OrderCreate)


async def price_order(tx: Transaction, account: Account, body: Asked, terms: BillingTerms) -> Asked:
    """The order with the price that its payer will owe.

    Checks that it can be billed before anything is written, except for the payer's address.
    Raises: NotFound, Erased, Invalid.
    """
    if terms.payer_id is not None:
        await require_not_erased(
            tx, account.id, [await get_kept_id(tx, account.id, terms.payer_id)]
        )
    taxation = await _find_taxation(tx, account)
    if taxation is None:
        return body
    currency = body.currency or account.currency
    total = taxation.with_vat_added(
        minor_units("price", body.price, currency),
        product_id=body.product or await products.get_imported_product(tx, account.id),
        medium=body.medium or Medium.PRINT,
        country=body.country,
        buyer=await _find_buyer(
            tx, account.id, terms.payer_id or body.gifter_id or body.subscriber_id, body.country
        ),
    )
    return structs.replace(body, price=money_text(total, currency))


async def price_renewal(
    tx: Transaction, account: Account, renewal: Renewal, terms: BillingTerms, id: str
) -> Renewal:
    """The renewal with the price that its payer will owe. id: of the first subscription.

    Raises: NotFound, Invalid.
    """
    taxation = await _find_taxation(tx, account)
    if taxation is None:
        return renewal
    row = (await subscriptions.find_rows(tx, account.id, [id]))[id]
    payer_id = terms.payer_id or await orders.find_last_payer(tx, account.id, id)
    total = taxation.with_vat_added(
        renewal.price,
        product_id=row.product_id,
        medium=Medium(row.medium),
        country=row.country,
        buyer=await _find_buyer(
            tx, account.id, payer_id or row.gifter_id or row.subscriber_id, row.country
        ),
    )
    return structs.replace(renewal, price=total)


async def _find_taxation(tx: Transaction, account: Account) -> Taxation | None:
    """What decides about VAT; None if prices include it, or there is none.

    Raises: Invalid `billing_off`.
    """
    settings = require_settings(await settings_store.find_settings(tx, account.id))
    if settings.prices_include_vat or settings.is_small_business:
        return None
    rates = await settings_store.list_rates(tx, account.id)
    return Taxation(settings=settings, rates=rates, day=account.daily_date)


async def _find_buyer(tx: Transaction, account_id: int, id: str | None, country: str) -> Buyer:
    """What is known of a payer. country: for one who is new, or who has no address."""
    if id is None:
        return Buyer(country)
    kept = await get_kept_id(tx, account_id, id)
    known = (await payers.find_payers(tx, account_id, [kept])).get(kept)
    address = await payers.find_address(tx, account_id, kept)
    return Buyer(address.country if address else country, known.vat_id if known else "")
