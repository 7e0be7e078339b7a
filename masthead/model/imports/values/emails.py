"""Email addresses as address books and mail programs write them."""

import re

_NAMED = re.compile(r"([^<>]*)<([^<>]*)>")
_LINK = "mailto:"


def bare_email(text: str) -> str:
    """The address without a name, a link and a separator at its end.

    `Ada Bell <ada@x.org>;` and `mailto:ada@x.org` are `ada@x.org`. A text with two addresses
    stays, unless they are the same.
    """
    text = text.rstrip(",; ") or text
    if match := _NAMED.fullmatch(text):
        name, address = (part.strip(" \"'") for part in match.groups())
        if "@" not in name or name.lower() == address.lower():
            text = address
    return text[len(_LINK) :] if text.lower().startswith(_LINK) else text
