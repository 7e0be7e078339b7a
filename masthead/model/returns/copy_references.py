"""The copy that a cell of a carrier's file identifies, by a copy key or a copy id."""

import re

from msgspec import Struct

from masthead.model.dispatch.copy_keys import line_of_key
from masthead.model.errors import Invalid, excerpt
from masthead.model.ids import copy_ids_of

MIN_ID_DIGITS = 10  # every copy id has as many; a copy key has nine characters
MAX_ID_DIGITS = 16

_KEY_IN_TEXT = re.compile(r"#([^#]{9,20})#")
_ID = re.compile(rf"[0-9]{{{MIN_ID_DIGITS},{MAX_ID_DIGITS}}}(?:\.0)?")
_ROUNDED = re.compile(r"[0-9][.,][0-9]+E\+[0-9]+", re.IGNORECASE)


class Reference(Struct, frozen=True):
    """A line of a run, by its key, or a copy, by its id; one of them is 0."""

    line: int
    copy: int


def read_reference(account_id: int, text: str) -> Reference:
    """The line or the copy that a text identifies; the account may not have it.

    text: a copy key in any spelling, alone or between two `#` in a longer text, or a copy id.
    Raises: Invalid, which says what is wrong with it.
    """
    text = text.strip().strip("'=\"").strip()
    if not text:
        raise Invalid("There is no copy key or copy id.", field="key")
    if _ID.fullmatch(text):
        return reference_of_id(account_id, text)
    if _ROUNDED.fullmatch(text):
        raise Invalid(
            f"`{excerpt(text)}` was rounded by a spreadsheet. Format that column as text there, "
            "and save the file again.",
            field="key",
            value=text,
        )
    inside = _KEY_IN_TEXT.search(text)
    return Reference(line_of_key(account_id, inside[1] if inside else text), 0)


def read_copy_id(account_id: int, text: str) -> Reference:
    """The copy with the id in a column of copy ids. Raises: Invalid."""
    tidy = text.strip().strip("'=\"").strip()
    if not _ID.fullmatch(tidy):
        return read_reference(account_id, tidy)
    return reference_of_id(account_id, tidy)


def reference_of_id(account_id: int, text: str) -> Reference:
    """The copy with an id. Raises: Invalid."""
    id = int(text.removesuffix(".0"))
    if id not in copy_ids_of(account_id):
        raise Invalid(
            f"`{text}` is not the id of a copy of this account.",
            field="key",
            value=text,
        )
    return Reference(0, id)


def is_reference(text: str) -> bool:
    """Whether a cell looks like a copy key with a right check digit, or like a copy id."""
    if not 9 <= len(text) <= 64:
        return False
    if "#" not in text and not text.isupper() and not any(map(str.isdigit, text)):
        return False  # a word
    if _ID.fullmatch(text):
        return True
    try:
        read_reference(1, text)  # the check digit does not depend on the account
    except Invalid:
        return False
    return True
