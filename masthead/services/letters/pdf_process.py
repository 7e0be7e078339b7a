"""The process that writes the PDF of letters.

The libraries for PDF take half a second to import and 20 MB: commands and servers do not load them.
"""

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from masthead.store.letters.facts import LetterToPrint

MODULE = "masthead.services.letters.letter_pdf"
PATIENCE = 120.0  # seconds; a PDF of 500 letters takes three


class Letterhead(Struct, frozen=True):
    """What all letters of a batch share. sender: the publisher's address in one line."""

    name: str
    sender: str
    date: str
    title: str
    created_at: datetime


class LettersToPrint(Struct, frozen=True):
    """What the process reads from its standard input."""

    head: Letterhead
    letters: Sequence[LetterToPrint]


async def write_in_process(pages: LettersToPrint) -> bytes:
    """The letters as a PDF. Raises: CalledProcessError, TimeoutExpired."""
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-P", "-m", MODULE],
        input=msgspec.json.encode(pages),
        stdout=subprocess.PIPE,
        timeout=PATIENCE,
        check=True,
    )
    return done.stdout
