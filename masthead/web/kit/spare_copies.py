"""The percentage of spare copies, as it is typed."""

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.text import is_digits
from masthead.services.accounts import MAX_SPARE_PERCENT


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
