"""Values that files write in their own words, such as countries: what reads them."""

from collections.abc import Callable
from typing import Any

from masthead.model.imports.targets import TARGETS
from masthead.model.imports.values.country_names import read_country
from masthead.model.imports.values.salutations import read_salutation
from masthead.model.imports.values.texts import read_flag, read_medium, read_type

# By the kind of the field; each takes the field and a text, and raises Invalid
READERS: dict[str, Callable[[str, str], Any]] = {
    "country": read_country,
    "flag": read_flag,
    "medium": read_medium,
    "salutation": read_salutation,
    "type": read_type,
}


def is_in_own_words(field: str) -> bool:
    """Whether a mapping can say what the values of a field mean."""
    return field in TARGETS and TARGETS[field].kind in READERS
