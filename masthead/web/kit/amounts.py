"""Numbers as people type them, such as amounts of money: `42.00` or `42,00`."""

from babel.numbers import get_decimal_symbol

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.money import CURRENCIES, minor_units, money_in_words, money_text
from masthead.model.types.text import is_digits
from masthead.web.kit.formatting import get_locale


def plain_amount(text: str, locale: str) -> str:
    """An amount with a point as its decimal mark; the text itself if it has several marks.

    A point, a comma and the mark of the locale are all taken. A separator of thousands is not, so
    that `1,234` never counts as another amount than what was meant.
    """
    text = text.strip()
    marks = {".", ",", get_decimal_symbol(get_locale(locale))}
    found = [character for character in text if character in marks]
    return text.replace(found[0], ".") if len(found) == 1 else text


def localized_amount(amount: int, currency: str, locale: str) -> str:
    """An amount in minor units as people type it, with the decimal mark of the locale."""
    mark = get_decimal_symbol(get_locale(locale))
    return money_text(amount, currency).replace(".", mark)


def typed_in_words(text: str, currency: str, locale: str) -> str:
    """A typed amount as pages write it, such as `€42.00`; the text itself if it is none."""
    try:
        return money_in_words(minor_units("", plain_amount(text, locale), currency), currency)
    except Invalid:
        return text


def example_amount(currency: str, locale: str) -> str:
    """An amount in the currency to show as an example, such as `42.00`."""
    return localized_amount(42 * 10 ** CURRENCIES[currency], currency, locale)


def amount_error(field: str, currency: str, locale: str) -> Invalid:
    """What to show at a field whose text is not an amount."""
    example = example_amount(currency, locale)
    return Invalid(_("Type the amount like {example}.").format(example=example), field=field)


def read_amount(field: str, text: str, *, currency: str, locale: str) -> int:
    """The typed amount in minor units. Raises: Invalid, in the words of the page."""
    try:
        return minor_units(field, plain_amount(text, locale), currency)
    except Invalid:
        raise amount_error(field, currency, locale) from None


def read_whole_number(field: str, typed: str | None, *, most: int) -> int:
    """A typed number; 0 if it is empty. Raises: Invalid."""
    text = (typed or "").strip().removesuffix("%").strip()
    if text and (not is_digits(text, at_most=3) or int(text) > most):
        raise Invalid(
            _("Type a whole number from 0 to {most}.").format(most=most), field=field, value=text
        )
    return int(text or 0)
