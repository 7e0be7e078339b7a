"""The process that writes the PDF of letters.

The libraries for PDF take half a second to import and 20 MB: commands and servers do not load them.
"""

from collections.abc import Sequence

from masthead.model.letters.printing import Letterhead
from masthead.services.child_process import run_in_child
from masthead.store.letters.facts import LetterToPrint


async def write_in_process(
    account_id: int, head: Letterhead, letters: Sequence[LetterToPrint]
) -> bytes:
    """The letters as a PDF; 500 take three seconds. Raises: Invalid, Busy."""
    return await run_in_child(write_with_library, head, letters, account_id=account_id)


def write_with_library(head: Letterhead, letters: Sequence[LetterToPrint]) -> bytes:
    """The letters as a PDF, in a process that loads the libraries for it."""
    from masthead.services.letters.letter_pdf import write_pdf  # noqa: PLC0415

    return write_pdf(head, letters)
