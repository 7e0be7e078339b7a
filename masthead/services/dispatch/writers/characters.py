"""Characters, as messages name them."""

import unicodedata
from collections.abc import Sequence

_MAX_CHARACTERS = 5  # that a message describes


def describe_characters(characters: Sequence[str]) -> str:
    """The first five characters, and how many more there are."""
    named = [_describe(each) for each in characters[:_MAX_CHARACTERS]]
    more = len(characters) - len(named)
    return ", ".join([*named, f"and {more} more"] if more else named)


def _describe(character: str) -> str:
    """Such as `ł` (U+0142, LATIN SMALL LETTER L WITH STROKE)."""
    name = unicodedata.name(character, "")
    code = f"U+{ord(character):04X}"
    return f"`{character}` ({code}, {name})" if name else code
