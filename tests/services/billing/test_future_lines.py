"""Lines of statements that the bank books later, such as on Monday what came on Saturday."""

from datetime import date, timedelta

import pytest

from masthead.model.billing.statements import BankLineStatus
from masthead.model.errors import Invalid
from masthead.services.billing import bank_lines as service
from masthead.services.billing.bank_lines import ConfirmedLines
from tests.conftest import BY, Cast
from tests.support.bank import bank_line, import_lines, list_lines
from tests.support.billing import bill_one, read_invoice, turn_on_billing
from tests.support.days import pass_on

TODAY = date(2099, 11, 28)
MONDAY = TODAY + timedelta(days=2)


async def one_booked_later(cast: Cast) -> list[str]:
    """An invoice that was paid today, and one whose payment is booked on Monday."""
    await turn_on_billing(cast)
    await pass_on(cast, TODAY.isoformat())
    ids = []
    for place, day in enumerate((TODAY, MONDAY)):
        invoice = await bill_one(cast, order_id=str(place), email=f"{place}@example.org")
        text = invoice.document.number
        await import_lines(cast, bank_line(6000, text=text, booking_date=day))
        ids.append(invoice.id)
    return ids


async def open_amounts(cast: Cast, ids: list[str]) -> list[int]:
    """What is open of invoices now."""
    return [(await read_invoice(cast, id)).open_amount for id in ids]


async def test_a_line_of_monday_keeps_no_other_waiting(acme: Cast) -> None:
    ids = await one_booked_later(acme)
    lines = [each.id for each in await list_lines(acme)]
    done = await service.confirm_safe(acme.db, acme.account_id, lines, by=BY)
    assert done == ConfirmedLines(count=1, left=1)
    assert await open_amounts(acme, ids) == [0, 6000]
    with pytest.raises(Invalid, match="books this payment on 30 November 2099"):
        await service.confirm_line(acme.db, acme.account_id, lines[1], [ids[1]], by=BY)
    await pass_on(acme, MONDAY.isoformat())
    await service.confirm_line(acme.db, acme.account_id, lines[1], [ids[1]], by=BY)
    assert await open_amounts(acme, ids) == [0, 0]
    assert await list_lines(acme, status=BankLineStatus.TO_DO) == []
