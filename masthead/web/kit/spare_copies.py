"""The spare copies, as they are typed and shown."""

from babel.numbers import format_percent

from masthead.model.errors import Invalid
from masthead.model.reports.forecasts import Spare
from masthead.model.translations import current_language, format_number, gettext as _
from masthead.model.types.text import is_digits
from masthead.services.accounts import MAX_SPARE_COPIES, MAX_SPARE_PERCENT


def read_spare_percent(text: str) -> int:
    """The percentage of spare copies; nothing is 0. Raises: Invalid."""
    text = text.strip().removesuffix("%").strip()
    if text and not is_digits(text, at_most=3):
        raise Invalid(
            _("Type a whole number of percent from 0 to {most}.").format(most=MAX_SPARE_PERCENT),
            field="spare_percent",
            value=text,
        )
    return int(text or 0)


def read_spare_copies(text: str) -> int:
    """The number of spare copies; nothing is 0. Raises: Invalid."""
    text = text.strip()
    if text and not is_digits(text, at_most=6):
        raise Invalid(
            _("Type a whole number of copies from 0 to {most}.").format(
                most=format_number(MAX_SPARE_COPIES)
            ),
            field="spare_copies",
            value=text,
        )
    return int(text or 0)


def spare_words(spare: Spare) -> str:
    """The spare copies in words: `3%`, `30`, or `3% + 30`; empty for none."""
    language = current_language()
    percent = format_percent(spare.percent / 100, locale=language) if spare.percent else ""
    count = format_number(spare.copies) if spare.copies else ""
    return " + ".join(filter(None, (percent, count)))
