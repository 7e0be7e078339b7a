"""The wording of letters: texts with placeholders in braces, and what stands for each."""

import re
from collections.abc import Mapping

from masthead.model.errors import Invalid
from masthead.model.types.text import MAX_NOTES, MAX_TEXT, short_text

# What each placeholder stands for
PLACEHOLDERS = {
    "name": "the subscriber's full name",
    "magazine": "the name of the account",
    "start_issue": "the name of the first issue; empty for memberships",
}
SAMPLE = {"name": "Ada Lovelace", "start_issue": "Summer 2026"}

_BRACES = re.compile(r"\{([^{}\n]*)\}")


def subject_template(field: str, text: str) -> str:
    """A subject that can be sent: a line, with known placeholders. Raises: Invalid."""
    return _template(field, short_text(field, " ".join(text.split()), MAX_TEXT))


def text_template(field: str, text: str) -> str:
    """A text that can be sent, with known placeholders. Raises: Invalid."""
    lines = text.replace("\r\n", "\n").strip() + "\n"
    return _template(field, short_text(field, lines, MAX_NOTES))


def _template(field: str, text: str) -> str:
    if not text.strip():
        raise Invalid(f"`{field}` is empty; expected a text.", field=field)
    known = ", ".join(f"`{{{name}}}`" for name in PLACEHOLDERS)
    for word in _BRACES.findall(text):
        if word not in PLACEHOLDERS:
            raise Invalid(
                f"`{{{word}}}` in `{field}` is no placeholder; known are {known}.",
                field=field,
                value=text,
            )
    return text


def filled(template: str, words: Mapping[str, str]) -> str:
    """A text with its placeholders replaced; what is no placeholder stays as it is."""
    return _BRACES.sub(lambda found: words.get(found[1], found[0]), template)
