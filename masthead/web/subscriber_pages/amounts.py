"""Amounts on the pages of the subscribers, as the language of the page writes them."""

from masthead.model.types import money
from masthead.web.kit.formatting import get_locale
from masthead.web.subscriber_pages.context import MyContext


def amount_in(context: MyContext, amount: int, currency: str) -> str:
    """An amount in minor units, with its currency."""
    return format_amount(context, money.money_text(amount, currency), currency)


def format_amount(context: MyContext, amount: str, currency: str) -> str:
    """An amount as decimal text, with its currency."""
    return money.amount_in(amount, currency, get_locale(context.locale))
