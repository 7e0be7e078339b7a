"""House numbers, and streets without them."""

import re

from masthead.model.types.text import casefold

HOUSE_NUMBER = re.compile(r"[0-9]{1,5} ?[a-z]?(?: ?[-/–] ?[0-9]{1,5} ?[a-z]?)?\b", re.IGNORECASE)
_NO_LETTERS = re.compile(r"[\W\d_]+")


def is_same_street(before: str | None, after: str | None) -> bool:
    """Whether two first lines of an address differ in their house number at most."""
    one, other = (
        casefold(_NO_LETTERS.sub("", HOUSE_NUMBER.sub("", text or ""))) for text in (before, after)
    )
    return one == other
