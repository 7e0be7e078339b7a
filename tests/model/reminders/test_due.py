"""When the reminder of an invoice is due, and which invoices one letter lists."""

from datetime import date, timedelta
from typing import Any

import pytest
from msgspec import structs

from masthead.model.reminders.due import OverdueInvoice, Unreminded, group_letters
from masthead.model.reminders.stages import ReminderSettings
from masthead.model.reminders.texts import default_stages

DUE = date(2026, 3, 1)
STAGES = default_stages()  # after 7, 14 and 14 days
ANY = ReminderSettings()


def owed(**fields: Any) -> OverdueInvoice:
    values: Any = {
        "id": "I",
        "number": "1",
        "payer_id": "P",
        "payer_name": "Ada",
        "currency": "EUR",
    }
    days = {"issue_date": DUE - timedelta(days=14), "due_date": DUE, "open_amount": 6000}
    return OverdueInvoice(**{**values, **days, **fields})


def after(days: int) -> date:
    return DUE + timedelta(days=days)


@pytest.mark.parametrize(
    "fields, expected",
    [
        ({}, after(7)),
        ({"promised_date": after(30)}, after(37)),
        ({"promised_date": after(-3)}, after(7)),
        ({"stage": 1, "reminded_date": after(9)}, after(23)),
        ({"stage": 1, "reminded_date": after(9), "promised_date": after(20)}, after(34)),
        ({"stage": 3, "reminded_date": after(40)}, None),
    ],
)
def test_a_reminder_is_due_days_after_the_due_day_or_the_stage_before(
    fields: dict[str, Any], expected: date | None
) -> None:
    assert owed(**fields).next_due(STAGES) == expected


@pytest.mark.parametrize(
    "fields, why",
    [
        ({}, None),
        ({"is_stopped": True}, Unreminded.STOPPED),
        ({"is_disputed": True, "is_stopped": True}, Unreminded.DISPUTED),
        ({"payer_reason": "friend"}, Unreminded.PAYER_STOPPED),
        ({"promised_date": after(40)}, Unreminded.PROMISED),
        ({"promised_date": after(39)}, None),
        ({"open_amount": 499}, Unreminded.SMALL),
        ({"open_amount": 500}, None),
        ({"is_erased": True}, Unreminded.ERASED),
        ({"is_debited": True}, Unreminded.DEBITED),
    ],
)
def test_some_invoices_are_left_out(fields: dict[str, Any], why: Unreminded | None) -> None:
    settings = ReminderSettings(least_amount=500)
    assert owed(**fields).why_not(settings, after(40)) is why


def test_a_letter_lists_all_overdue_invoices_of_the_same_or_a_lower_stage() -> None:
    third = owed(id="3", stage=2, reminded_date=after(10))  # due on day 24
    second = owed(id="2", stage=1, reminded_date=after(10))  # due on day 24
    fresh = owed(id="1", due_date=after(20))  # due on day 27
    other = owed(id="4", payer_id="Q", stage=2, reminded_date=after(20))
    francs = owed(id="5", currency="CHF")
    invoices = [third, second, fresh, other, francs]
    grouped = group_letters(invoices, STAGES, ANY, after(24))
    letters = {
        items[0].invoice.id: (stage.stage, {each.invoice.id: each.stage for each in items})
        for stage, items in grouped.letters
    }
    assert letters == {"3": (3, {"3": 3, "2": 2, "1": 0}), "5": (1, {"5": 1})}
    later = [structs.replace(each, reminded_date=after(24)) for each in (third, second)]
    [(stage, items)] = group_letters([*later, fresh], STAGES, ANY, after(27)).letters
    assert (stage.stage, [each.invoice.id for each in items]) == (1, ["1"])


def test_after_the_last_stage_nothing_is_due() -> None:
    over = owed(stage=3, reminded_date=after(40))
    grouped = group_letters([over], STAGES, ANY, after(400))
    assert grouped.letters == []
    assert [each.why for each in grouped.left_out] == [Unreminded.ALL_STAGES]
