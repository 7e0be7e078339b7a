"""Characters, as messages name them."""

import unicodedata


def describe_character(character: str) -> str:
    """Such as `ł` (U+0142, LATIN SMALL LETTER L WITH STROKE)."""
    name = unicodedata.name(character, "")
    code = f"U+{ord(character):04X}"
    return f"`{character}` ({code}, {name})" if name else code
