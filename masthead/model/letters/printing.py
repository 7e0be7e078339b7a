"""What all letters of a batch have in print."""

from datetime import datetime

from msgspec import Struct


class LetterParts(Struct, frozen=True):
    """The parts that all letters of a batch share. sender: the publisher's address in one line.

    code_url: the address of the page for subscribers, as a QR code; empty for none.
    code_text: what is written below it, before that address. contact: a line below both, with how
    to reach the publisher.
    """

    name: str
    sender: str
    date: str
    title: str
    created_at: datetime
    code_url: str = ""
    code_text: str = ""
    contact: str = ""
