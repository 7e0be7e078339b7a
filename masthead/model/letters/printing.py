"""What all letters of a batch have in print."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct


class LetterWords(Struct, frozen=True):
    """What all letters in a language have. code_text: what is written below the QR code."""

    date: str
    code_text: str = ""


class LetterParts(Struct, frozen=True):
    """The parts that all letters of a batch share. sender: the publisher's address in one line.

    words: by locale. code_url: the address of the page for subscribers, as a QR code; empty for
    none. contact: a line below it, with how to reach the publisher.
    """

    name: str
    sender: str
    words: Mapping[str, LetterWords]
    title: str
    created_at: datetime
    code_url: str = ""
    contact: str = ""
