"""What owners can set for reminders, and how a reminder says where to pay."""

from typing import Any

import pytest
from msgspec import structs

from masthead.model.billing.documents import Seller
from masthead.model.errors import Invalid
from masthead.model.reminders.stages import (
    MAX_DAYS,
    MAX_FEE,
    ReminderSettings,
    check_settings,
    check_stage,
)
from masthead.model.reminders.texts import bank_lines, default_stages, placeholders, reference_of

STAGES = default_stages()
SELLER = Seller(name="Acme Verlag", street="Weg 1", postcode="10117", city="Berlin", country="DE")


def test_the_stages_of_masthead_are_valid() -> None:
    assert [check_stage(each, placeholders()) for each in STAGES] == STAGES
    check_settings(ReminderSettings(least_amount=0, hold_stage=len(STAGES)), STAGES)


@pytest.mark.parametrize(
    "field, value",
    [
        *(("days", -1), ("days", MAX_DAYS + 1), ("fee", -1), ("fee", MAX_FEE + 1)),
        *(("name", " "), ("subject", ""), ("text", "Dear {nobody}")),
    ],
)
def test_a_stage_that_cannot_be_is_refused(field: str, value: Any) -> None:
    with pytest.raises(Invalid) as refusal:
        check_stage(structs.replace(STAGES[0], **{field: value}), placeholders())
    assert refusal.value.field == field


@pytest.mark.parametrize("field, value", [("least_amount", -1), ("hold_stage", len(STAGES) + 1)])
def test_settings_that_do_not_fit_the_stages_are_refused(field: str, value: int) -> None:
    with pytest.raises(Invalid) as refusal:
        check_settings(structs.replace(ReminderSettings(), **{field: value}), STAGES)
    assert refusal.value.field == field


def test_the_reference_has_as_many_whole_numbers_as_a_transfer_takes() -> None:
    numbers = [f"2026-{number:05}" for number in range(1, 21)]
    assert reference_of(numbers[:2]) == "2026-00001 2026-00002"
    assert reference_of(numbers) == " ".join(numbers[:12])  # 131 of 140 characters


def test_a_publisher_without_an_iban_is_only_named() -> None:
    assert bank_lines(SELLER) == ["Account holder: Acme Verlag"]
    known = structs.replace(SELLER, iban="DE02120300000000202051", bic="BYLADEM1001", bank="DKB")
    assert bank_lines(known)[1:] == [
        *("IBAN: DE02 1203 0000 0000 2020 51", "BIC: BYLADEM1001", "Bank: DKB")
    ]
