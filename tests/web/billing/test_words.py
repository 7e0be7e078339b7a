"""Words about invoices."""

from datetime import date

import pytest

from masthead.web.billing.words import status_words

DAY = date(2026, 11, 30)


@pytest.mark.parametrize("amount, words", [(-1, "Not used"), (0, "Settled"), (1, "Open")])
def test_what_is_open_is_said_of_an_invoice_and_of_a_credit_note(amount: int, words: str) -> None:
    assert status_words(amount, DAY, today=DAY) == words
