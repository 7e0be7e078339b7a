"""Parts of error messages: a value as it was sent, and names that may have been meant."""

import difflib
import json
from collections.abc import Collection

from masthead.model.translations import gettext as _

MAX_NAME = 64  # characters of an unknown name that is compared with the known ones
MAX_SHOWN = 80  # characters of a value in a message

_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)


def similar(name: str, known: Collection[str], *, at_least: float = 0.6) -> str | None:
    """The known name that is meant by an unknown one; None if none is similar.

    It differs by a letter or two, or the unknown one begins with it, such as `email_address` with
    `email`, or it is the most similar one. at_least: how similar that one is, 1 for equal names.
    """
    if len(name) > MAX_NAME:
        return None
    parts = name.split("_")
    beginnings = ("_".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))
    return (
        _most_similar(name, known, at_least=0.9)
        or next((each for each in beginnings if each in known), None)
        or _most_similar(name, known, at_least=at_least)
    )


def similar_path(path: str, known: Collection[str]) -> str | None:
    """The known path that is meant by an unknown one; None if none differs by a few letters.

    known: paths with `{id}` for the id of a record.
    """
    if len(path) > MAX_SHOWN:
        return None
    first, resource, _, *rest = [*path.split("/", 4)[1:], "", "", ""]
    plain = f"/{first}/{resource}/{{id}}/{rest[0]}"
    return _most_similar(path, known, at_least=0.93) or _most_similar(plain, known, at_least=0.93)


def _most_similar(name: str, known: Collection[str], *, at_least: float) -> str | None:
    close = difflib.get_close_matches(name, known, n=1, cutoff=at_least)
    return close[0] if close else None


def closest(name: str, known: Collection[str]) -> str:
    """A hint after an unknown name: the known name that is similar, or all known names."""
    if close := similar(name, known):
        return f" Did you mean `{close}`?"
    if not known:
        return " None are allowed."
    return f" Allowed: {', '.join(f'`{each}`' for each in known)}."


def did_you_mean(value: object) -> str:
    """The question after an invalid value, in the current language."""
    return _("Did you mean `{value}`?").format(value=value)


def shown(value: object) -> str:
    """A value as JSON, truncated for a message. The rest of a long value costs nothing."""
    text = ""
    for part in _ENCODER.iterencode(value[:MAX_SHOWN] if isinstance(value, str) else value):
        text += part
        if len(text) > MAX_SHOWN:
            break
    text = text.encode(errors="backslashreplace").decode()
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}…"
