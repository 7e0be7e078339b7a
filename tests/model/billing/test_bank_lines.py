"""Statements of a bank: their balances."""

from datetime import date

import pytest

from masthead.model.billing.bank_lines import BankFormat, BankLine, BankStatement, check_balance
from masthead.model.errors import Invalid


def statement(opening: int | None, closing: int | None) -> BankStatement:
    lines = [
        BankLine(booking_date=date(2026, 11, 2), amount=amount, currency="EUR")
        for amount in (4900, -900)
    ]
    return BankStatement(
        format=next(iter(BankFormat)),
        iban="",
        currency="EUR",
        opening=opening,
        closing=closing,
        lines=lines,
    )


@pytest.mark.parametrize("balances", [(None, None), (1000, None), (None, 5000), (1000, 5000)])
def test_lines_that_lead_to_the_closing_balance_are_accepted(
    balances: tuple[int | None, int | None],
) -> None:
    check_balance(statement(*balances))


def test_a_missing_line_is_noticed() -> None:
    with pytest.raises(Invalid, match=r"make €50\.00, but the closing balance is €51\.00"):
        check_balance(statement(1000, 5100))
