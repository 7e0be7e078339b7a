"""Parts of error messages: a value as it was sent, and names that may have been meant."""

import difflib
import json
from collections.abc import Collection

MAX_NAME = 64  # characters of an unknown name that is compared with the known ones
MAX_SHOWN = 80  # characters of a value in a message


def similar(name: str, known: Collection[str]) -> str | None:
    """The known name that an unknown one begins with, such as `email` of `email_address`, or that
    is most similar to it; None if none is similar.
    """
    parts = name[:MAX_NAME].split("_")
    for count in range(len(parts) - 1, 0, -1):
        if (start := "_".join(parts[:count])) in known:
            return start
    close = difflib.get_close_matches(name, known, n=1) if len(name) <= MAX_NAME else []
    return close[0] if close else None


def closest(name: str, known: Collection[str]) -> str:
    """A hint after an unknown name: the known name that is similar, or all known names."""
    if close := similar(name, known):
        return f" Did you mean `{close}`?"
    if not known:
        return " None are allowed."
    return f" Allowed: {', '.join(f'`{each}`' for each in known)}."


def shown(value: object) -> str:
    """A value as JSON, truncated for a message."""
    if isinstance(value, str | list):
        value = value[:MAX_SHOWN]
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text.encode(errors="backslashreplace").decode()
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}…"
