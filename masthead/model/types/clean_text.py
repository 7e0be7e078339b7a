"""Texts of inputs, without what cannot be seen or would break a line of a label or a file.

One rule for the API, pages, commands and files: line breaks and control characters become blanks,
characters without a width go, and so do blanks around a text. What scripts need stays: joiners
after letters of Persian or Hindi and in emoji, and signs that choose a variant of a character.
Texts with several lines keep their line breaks. The time is proportional to the length.
"""

import re

from masthead.model.types.text import MAX_TEXT

_CONTROLS = "\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"
_BREAKS = "\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
# Soft hyphen, fillers, marks of direction, zero-width signs, and what is no character
_INVISIBLE = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0001"
)
_SYMBOLS = "\u2190-\u2bff\U0001f000-\U0001faff"
# Letters of scripts that join, such as Arabic, those of India, Khmer and Mongolian
_JOINING = "\u0600-\u109f\u1780-\u1cff\ua800-\uaaff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U0001e95f"
_CHINESE = "\u3000-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

# The same for JSON schemas, in ASCII: without signs outside the basic plane, and without context
UNSEEN = (
    r"\s\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u2028-\u202e\u2060-\u206f\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\ufffe\uffff"
)
VISIBLE = f"[^{UNSEEN}]"
_SEEN = re.compile(VISIBLE)

_SUSPECT = re.compile(
    f"[{_CONTROLS}{_BREAKS}\t\u2800{_INVISIBLE}\u180b-\u180f\u200c\u200d\ufe00-\ufe0f"
    "\U000e0020-\U000e01ef]"
)
_UNUSUAL = re.compile(_SUSPECT.pattern.replace("\n\r", "").replace("\t", ""))
_BLANKS = re.compile(f"[ {_CONTROLS}{_BREAKS}\t\u2800]+")
_LINE_BREAK = re.compile(f"\r\n|[{_BREAKS}]")
_CONTROL = re.compile(f"[{_CONTROLS}\u2800]")
_ALWAYS = re.compile(f"[{_INVISIBLE}]")
# What has a meaning only after certain characters
_FLAG = re.compile("(\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f)|[\U000e0020-\U000e007f]")
_ELSEWHERE = re.compile(
    f"(?<![{_JOINING}{_SYMBOLS}\ufe0f])[\u200c\u200d]"
    "|(?<![\u1820-\u18af])[\u180b-\u180f]"
    f"|(?<![{_JOINING}{_SYMBOLS}{_CHINESE}\xa9\xae\u203c-\u2139])[\ufe00-\ufe0f](?!\u20e3)"
    f"|(?<![{_CHINESE}])[\U000e0100-\U000e01ef]"
)


def one_line(text: str) -> str:
    """The text on one line, empty if nothing of it can be seen."""
    if _is_clean(text):
        return text.strip()
    return _visible(_BLANKS.sub(_blanks, text)).strip()


def several_lines(text: str) -> str:
    """The text with its lines, which end with a line feed, empty if nothing of it can be seen."""
    if _is_clean(text):
        return text.strip()
    return _visible(_CONTROL.sub(" ", _LINE_BREAK.sub("\n", text))).strip()


def has_invisible(text: str) -> bool:
    """Whether a text has other signs than usual line breaks that cannot be seen. Quick."""
    return bool(_UNUSUAL.search(text))


def clean(text: str, max_length: int) -> str:
    """The text of a field: those that may be long, such as notes, keep their lines."""
    return several_lines(text) if max_length > MAX_TEXT else one_line(text)


def _blanks(run: re.Match[str]) -> str:
    """The same blanks, or one for a run with a break or a control character."""
    return " " if run[0].strip(" ") else run[0]


def _is_clean(text: str) -> bool:
    return text.isprintable() if text.isascii() else not _SUSPECT.search(text)


def _visible(text: str) -> str:
    left = _ELSEWHERE.sub("", _FLAG.sub(r"\1", _ALWAYS.sub("", text)))
    return left if _SEEN.search(left) else ""  # signs that need a letter may follow each other
