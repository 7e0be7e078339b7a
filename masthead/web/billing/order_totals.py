"""What the pages of an order say about its invoice: the total before, and the number after."""

from collections.abc import Sequence
from datetime import date

from masthead.model.billing.supply import SupplyEnd
from masthead.model.errors import Invalid
from masthead.model.identity.rights import Right
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium
from masthead.model.types.money import decimal_in_words, money_in_words
from masthead.services.billing.pricing import Sold, add_vat
from masthead.store import accounts
from masthead.store.billing import invoices
from masthead.store.engine.interface import Database
from masthead.web.billing.payer_fields import PayerFields
from masthead.web.kit.amounts import read_amount
from masthead.web.kit.context import PageContext
from masthead.web.kit.formatting import day_in, get_locale


async def total_in_words(
    context: PageContext,
    form: PayerFields,
    *,
    typed: str,
    product_id: str | None,
    medium: Medium,
    country: str,
    payer_id: str | None,
    payer_country: str = "",
    currency: str = "",
    end: SupplyEnd,
) -> str:
    """The total with VAT, or why it cannot be said yet.

    typed: the price. currency: by default that of the account.
    payer_id: None for a new payer, who is in `payer_country`. end: of what is supplied. Queries:
    seven at most.
    """
    currency = currency or context.membership.currency
    if not typed.strip():
        return _("VAT is added to the price.")
    try:
        price = read_amount("price", typed, currency=currency, locale=context.locale)
        vat_id = form.read_vat_id()
        async with context.db.read() as db:
            account = await accounts.get_account(db, context.account_id)
            sold = Sold(
                price=price,
                product_id=product_id,
                medium=medium,
                country=country,
                payer_id=payer_id,
                payer_country=payer_country,
                vat_id=vat_id,
                end=end,
            )
            total = await add_vat(db, account, sold)
    except Invalid as reason:
        return str(reason).replace("`", "")
    if total is None:
        return ""
    vat, whole = (money_in_words(each, currency) for each in (total - price, total))
    return _("Total with VAT: {total} ({vat} of it is VAT).").format(total=whole, vat=vat)


def price_message(context: PageContext, price: str, currency: str, total: str) -> str:
    """What an order costs, for users who see it nowhere else; empty for those who see money.

    price: as a decimal text. total: what `total_in_words` says, if VAT is added.
    """
    if context.membership.may(Right.SEE_MONEY):
        return ""
    shown = decimal_in_words(price, currency)
    return total or _("The price is {price}.").format(price=shown)


def paid_message(price: str, currency: str) -> str:
    """What the next page says about an order that is paid. price: as a decimal text."""
    return _("Paid: {price}. There is no invoice.").format(price=decimal_in_words(price, currency))


async def billed_message(context: PageContext, db: Database, ids: Sequence[str]) -> str:
    """What the next page says about the invoices of an order. Queries: one."""
    if not ids and not context.membership.may(Right.BILL):
        return _("The order waits for its invoice. A user who may bill issues it.")
    if not ids:
        return _("The order waits for the invoice of all orders of this payer.")
    async with db.read() as connection:
        made = await invoices.list_invoices(connection, context.account_id, ids)
    numbers = ", ".join(each.document.number for each in made)
    due: date = made[0].document.due_date
    text = _("Invoice {number} is issued, and is due on {day}.")
    message = text.format(number=numbers, day=day_in(due, get_locale(context.locale)))
    if debit := made[0].document.debit:
        text = _("It is collected by direct debit on {day}.")
        day = day_in(debit.day, get_locale(context.locale))
        message = f"{message} {text.format(day=day)}"
    return message


def at_address(reason: Invalid, field: str) -> Invalid:
    """The error of a payer without an address, at its field; other errors as they are."""
    if reason.code != "no_address" or not field:
        return reason
    text = _("The address is missing. An invoice must have the address of who pays.")
    return Invalid(text, code=reason.code, field=field)
