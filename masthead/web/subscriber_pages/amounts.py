"""Amounts on the pages of the subscribers, as the language of the page writes them."""

from masthead.model.types.money import money_text, write_amount
from masthead.web.kit.formatting import get_locale
from masthead.web.subscriber_pages.context import MyContext


def amount_in(context: MyContext, amount: int, currency: str) -> str:
    """An amount in minor units, with its currency."""
    return format_amount(context, money_text(amount, currency), currency)


def format_amount(context: MyContext, amount: str, currency: str) -> str:
    """An amount as decimal text, with its currency."""
    locale = get_locale(context.locale)
    return write_amount(amount, currency, locale)
