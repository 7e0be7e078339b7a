"""Characters, as messages name them."""

import unicodedata
from collections.abc import Sequence

from masthead.model.dispatch.address_checks import list_characters


def describe_characters(characters: Sequence[str]) -> str:
    """The first five characters, and how many more there are."""
    return list_characters(characters, _describe)


def _describe(character: str) -> str:
    """Such as `ł` (U+0142, LATIN SMALL LETTER L WITH STROKE)."""
    name = unicodedata.name(character, "")
    code = f"U+{ord(character):04X}"
    return f"`{character}` ({code}, {name})" if name else code
