"""What a value was meant to be that a field refuses, in words that end the message of its error."""

import json
import re

import msgspec

from masthead.model.input_fields import Field
from masthead.model.types.meant_days import meant_day
from masthead.model.types.messages import did_you_mean, similar
from masthead.model.types.text import MAX_DIGITS, is_digits

_SIGNS = re.compile(r"[\W_]+")


def meant(field: Field, value: object) -> str:
    """What to send in place of a value of the wrong type; empty if that is not clear."""
    if field.is_day and isinstance(value, str):
        return meant_day(value)
    if field.is_choice and isinstance(value, str) and "," not in value:  # not several values
        return _meant_choice(field, value)
    if field.kind is str and type(value) in (int, float):
        return f"Send `{json.dumps(str(value))}`, in quotes."
    if isinstance(value, str) and _fits(field, value):
        return f"Send `{value}`, without quotes."
    return ""


def _meant_choice(field: Field, text: str) -> str:
    known = {_folded(each.value): each.value for each in field.kind}
    close = similar(_folded(text), known, at_least=0.8)
    return did_you_mean(known[close]) if close else ""


def _folded(text: str) -> str:
    return _SIGNS.sub(" ", text).strip().lower()


def _fits(field: Field, text: str) -> bool:
    """Whether a text is the JSON of a value that the field takes."""
    if field.kind is bool:
        return text in ("true", "false")
    if field.kind is not int or not is_digits(text, at_most=MAX_DIGITS):
        return False
    try:
        msgspec.convert(int(text), type=field.hint)
    except msgspec.ValidationError:
        return False
    return True
