"""Addresses in a limited space, such as 7 lines of 35 characters. No text is lost silently."""

import re
import textwrap
from collections.abc import Collection, Sequence
from itertools import combinations, pairwise

from msgspec import Struct

from masthead.model.translations import gettext_noop
from masthead.model.types.enums import LabelledEnum

ELLIPSIS = "…"
_JOINT = ", "

# Usual abbreviations in street lines, by USPS Publication 28 and DIN 5008
_WORDS = {
    "apartment": "apt",
    "avenue": "ave",
    "boulevard": "blvd",
    "building": "bldg",
    "drive": "dr",
    "floor": "fl",
    "lane": "ln",
    "road": "rd",
    "street": "st",
    "suite": "ste",
}
_ENDINGS = {"platz": "pl.", "straat": "str.", "strasse": "str.", "straße": "str."}
_ABBREVIATIONS = _WORDS | _ENDINGS
_LONG_WORD = re.compile(rf"(?:\b(?:{'|'.join(_WORDS)})|{'|'.join(_ENDINGS)})\b", re.IGNORECASE)


class Shortening(LabelledEnum):
    """What may be done to an address that is too long for its space. Each includes those before.

    never: nothing. arrange: long lines are wrapped, then short neighbours joined with a comma.
    abbreviate: usual words in streets, such as "Street". cut: an ellipsis replaces the rest of a
    line, and lines that the post does not need are left out.
    """

    NEVER = "never", gettext_noop("Leave as it is, and list it")
    ARRANGE = "arrange", gettext_noop("Wrap and join lines")
    ABBREVIATE = (
        "abbreviate",
        gettext_noop("Wrap and join lines, and abbreviate words such as “Street”"),
    )
    CUT = "cut", gettext_noop("Wrap, join, abbreviate, and cut what is still too long")


class AddressSpace(Struct, frozen=True, kw_only=True):
    """The space for an address. lines: at least 1. width: characters in a line, at least 1."""

    lines: int
    width: int
    shortening: Shortening = Shortening.ARRANGE


class FittedAddress(Struct, frozen=True, kw_only=True):
    """An address after fitting.

    lines: the address; more or longer lines than allowed if it does not fit. shortened: the full
    texts of the lines in which words were abbreviated or cut. too_wide: the lines that are longer
    than allowed. extra_lines: how many lines are too many.
    """

    lines: list[str]
    shortened: tuple[str, ...] = ()
    too_wide: tuple[str, ...] = ()
    extra_lines: int = 0

    @property
    def fits(self) -> bool:
        """Whether the lines are within the space."""
        return not self.too_wide and not self.extra_lines


def fit_lines(
    lines: Sequence[str], space: AddressSpace, optional: Collection[str] = ()
) -> FittedAddress:
    """The address in the space, changed as little as possible.

    The steps are tried in the order of `Shortening`, up to the one that the space allows, until the
    address fits. The last line, which is the country or the place, is joined with another only if
    there is a single line. Takes 2 µs for an address that fits.
    optional: the lines that may be left out; the others are at least begun, or it does not fit.
    """
    if space.shortening is Shortening.NEVER or _is_within(lines, space):
        return _result(list(lines), (), space)
    arranged = _arranged(lines, space)
    if space.shortening is Shortening.ARRANGE or _is_within(arranged, space):
        return _result(arranged, (), space)
    for short in (_abbreviated(lines, space.width), _abbreviated(lines, 0)):
        rearranged = _arranged(short, space)
        if _is_within(rearranged, space):
            return _result(rearranged, _changed(lines, short), space)
    if space.shortening is Shortening.CUT:
        needed = [number for number, line in enumerate(lines) if line not in optional]
        for kept in (range(len(lines)), needed):
            filled = _filled([short[number] for number in kept], space)
            cut = [_cut(text, space.width) for text, _ in filled]
            if all(_is_begun(short[number], cut, space.width) for number in needed):
                lost = [whole for text, whole in filled if len(text) > space.width]
                left_out = [line for number, line in enumerate(lines) if number not in kept]
                reported = dict.fromkeys((*_changed(lines, short), *lost, *left_out))
                return _result(cut, tuple(reported), space)
    return _result(arranged, (), space)


def _is_begun(line: str, cut: Sequence[str], width: int) -> bool:
    """Whether a line is complete among others; if it is too wide, whether its beginning is."""
    if len(line) > width:
        line = _wrapped(line, width)[0][: width - 1].rstrip()
    return any(line in each for each in cut)


def _is_within(lines: Sequence[str], space: AddressSpace) -> bool:
    return len(lines) <= space.lines and max(map(len, lines), default=0) <= space.width


def _result(lines: list[str], shortened: tuple[str, ...], space: AddressSpace) -> FittedAddress:
    return FittedAddress(
        lines=lines,
        shortened=shortened,
        too_wide=tuple([line for line in lines if len(line) > space.width]),
        extra_lines=max(0, len(lines) - space.lines),
    )


def _changed(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """The lines that are different afterwards, as they were."""
    return tuple(old for old, new in zip(before, after, strict=True) if old != new)


# --- Wrapping and joining ------------------------------------------------------------------------


class _Piece(Struct):
    """A line or a part of it. joins: whether it may follow another one after a comma."""

    text: str
    is_name: bool
    joins: bool


def _arranged(lines: Sequence[str], space: AddressSpace) -> list[str]:
    """Long lines wrapped between words; then, while there are too many, short ones joined.

    The first two neighbours that fit into one line are joined, from the top; but the first line
    only if there are no others. The beginning of a wrapped line always begins a line.
    """
    pieces = [
        _Piece(text, number == 0, joins=bool(at) or len(texts) == 1)
        for number, line in enumerate(lines)
        for texts in [_wrapped(line, space.width)]
        for at, text in enumerate(texts)
    ]
    while len(pieces) > space.lines:
        pairs = [
            (above, below)
            for above, below in pairwise(pieces[:-1] if space.lines > 1 else pieces)
            if below.joins and len(above.text) + len(_JOINT) + len(below.text) <= space.width
        ]
        if not pairs:
            break
        above, below = next((pair for pair in pairs if not pair[0].is_name), pairs[0])
        above.text += _JOINT + below.text
        pieces = [piece for piece in pieces if piece is not below]
    return [piece.text for piece in pieces]


def _wrapped(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    return textwrap.wrap(line, width, break_long_words=False)


# --- Shortening ----------------------------------------------------------------------------------


def _abbreviated(lines: Sequence[str], width: int) -> list[str]:
    """The lines; those over the width that contain a number, as streets do, with abbreviations."""
    return [
        _LONG_WORD.sub(_abbreviation, line)
        if len(line) > width and any(map(str.isdigit, line))
        else line
        for line in lines
    ]


def _abbreviation(match: re.Match[str]) -> str:
    """The abbreviation of a word, in capitals or with a capital as the word."""
    word = match[0]
    short = _ABBREVIATIONS[word.lower()]
    if word.isupper():
        return short.upper()
    return short.capitalize() if word[0].isupper() else short


def _filled(lines: Sequence[str], space: AddressSpace) -> list[tuple[str, str]]:
    """At most as many lines as allowed, of any length, each with the line that it is a part of.

    Free lines take the rest of long ones.
    """
    filled = [(line, line) for line in _grouped(lines, space)]
    at = 0
    while at < len(filled) < space.lines:
        text, whole = filled[at]
        head, *rest = _wrapped(text, space.width)
        if rest:
            filled[at : at + 1] = [(head, whole), (text[len(head) :].lstrip(), whole)]
        at += 1
    return filled


def _grouped(lines: Sequence[str], space: AddressSpace) -> list[str]:
    """As many lines as allowed, joined so that cutting does the least harm.

    The last two lines, country and place, stay alone if there are at least three. Tries at most 20
    ways for the 9 lines of the longest address.
    """
    if len(lines) <= space.lines:
        return list(lines)
    alone = min(space.lines - 1, 2)
    first, last = lines[: len(lines) - alone], lines[len(lines) - alone :]
    ways = (
        (0, *breaks, len(first))
        for breaks in combinations(range(1, len(first)), space.lines - alone - 1)
    )
    best = min(ways, key=lambda bounds: _loss(first, bounds, space.width))
    return [*(_JOINT.join(first[start:end]) for start, end in pairwise(best)), *last]


def _loss(lines: Sequence[str], bounds: Sequence[int], width: int) -> int:
    """The harm of cutting the joined lines.

    A lower line weighs twice as much as the one above, since the post reads from the bottom. Two
    lines of which a part is lost are better than one that is lost completely.
    """
    loss = 0
    for start, end in pairwise(bounds):
        length = 0
        for number in range(start, end):
            length += len(lines[number])
            loss += min(len(lines[number]), max(0, length - width)) ** 2 << number
            length += len(_JOINT)
    return loss


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else line[: width - 1].rstrip() + ELLIPSIS
