"""The rules of direct debits: ids, IBANs, bank days, and how long a mandate holds."""

from datetime import date

import pytest
from msgspec import structs

from masthead.model.clock import now
from masthead.model.debits.bank_days import bank_day_from, is_bank_day, next_bank_day
from masthead.model.debits.mandates import Mandate, MandateStatus, check_mandate, masked
from masthead.model.debits.rules import DueDebit, announced_day, ids_in, sequence_types
from masthead.model.debits.settings import check_creditor_id
from masthead.model.errors import Invalid
from masthead.model.ids import new_id
from tests.support.debits import IBAN, SIGNED, new_mandate

TODAY = date(2026, 2, 1)


def test_a_creditor_identifier_is_checked_without_its_business_code() -> None:
    assert check_creditor_id("creditor_id", "de98 zzz 0999 9999 999") == "DE98ZZZ09999999999"
    assert check_creditor_id("creditor_id", "DE98ABC09999999999") == "DE98ABC09999999999"
    assert check_creditor_id("creditor_id", "AT61ZZZ01234567890") == "AT61ZZZ01234567890"
    for wrong in ("DE98ZZZ09999999990", "DE98ZZZ0999999999", "9898ZZZ09999999999", "hello", ""):
        with pytest.raises(Invalid) as error:
            check_creditor_id("creditor_id", wrong)
        assert error.value.field == "creditor_id"


@pytest.mark.parametrize(
    "iban, words",
    [
        ("DE02120300000000202052", "check digits"),
        ("DE0212030000000020205", "21 characters"),
        ("DE02120300000000O02051", "a letter or a sign"),
        ("1202", "code of a country"),
        ("US02120300000000202051", "code of a country"),
        ("BR1800360305000010009795493C1", "A bank account in BR cannot be debited"),
    ],
)
def test_a_typing_error_in_an_iban_is_explained_without_the_iban(iban: str, words: str) -> None:
    with pytest.raises(Invalid) as error:
        check_mandate(new_mandate(iban=iban), today=TODAY)
    assert error.value.field == "iban"
    assert words in str(error.value)
    assert iban not in f"{error.value} {error.value.value}"


def test_a_mandate_gets_the_bic_of_its_bank() -> None:
    found = check_mandate(new_mandate(iban="de02 1203 0000 0000 2020 51"), today=TODAY)
    assert (found.iban, found.bic) == (IBAN, "BYLADEM1001")
    swiss = new_mandate(iban="CH9300762011623852957")
    with pytest.raises(Invalid, match="needs the BIC"):
        check_mandate(swiss, today=TODAY)
    assert (
        check_mandate(structs.replace(swiss, bic="KBBECH22XXX"), today=TODAY).bic == "KBBECH22XXX"
    )


@pytest.mark.parametrize(
    "fields, field",
    [
        ({"signed_date": date(2026, 2, 2)}, "signed_date"),
        ({"signed_date": date(2023, 1, 31)}, "signed_date"),
        ({"reference": "A B"}, "reference"),
        ({"reference": "Ä1"}, "reference"),
        ({"reference": "M" * 36}, "reference"),
        ({"holder": " "}, "holder"),
        ({"holder": "A" * 71}, "holder"),
        ({"holder": "#REF!"}, "holder"),
        ({"holder": "undefined"}, "holder"),
    ],
)
def test_wrong_fields_of_a_mandate_are_named(fields: dict[str, object], field: str) -> None:
    assert check_mandate(new_mandate(), today=TODAY).holder == "Ann Müller"
    assert check_mandate(new_mandate(holder="MÃ¼ller"), today=TODAY).holder == "Müller"
    with pytest.raises(Invalid) as error:
        check_mandate(new_mandate(**fields), today=TODAY)
    assert error.value.field == field


def test_a_mandate_ends_36_months_after_its_last_use() -> None:
    mandate = Mandate(
        id="1",
        payer_id="2",
        reference="M1-1",
        iban=IBAN,
        bic="",
        holder="Ann",
        is_recurring=True,
        signed_date=SIGNED,
        last_used_date=None,
        revoked_date=None,
        revoke_reason="",
        created_at=now(),
    )
    assert mandate.status_on(date(2029, 1, 1)) is MandateStatus.VALID
    assert mandate.status_on(date(2029, 1, 2)) is MandateStatus.EXPIRED
    used = structs.replace(mandate, last_used_date=date(2028, 6, 30))
    assert used.status_on(date(2031, 6, 30)) is MandateStatus.VALID
    assert used.status_on(date(2031, 7, 1)) is MandateStatus.EXPIRED
    revoked = structs.replace(mandate, revoked_date=SIGNED)
    assert revoked.status_on(SIGNED) is MandateStatus.REVOKED


def test_only_country_and_end_of_an_iban_are_shown() -> None:
    assert masked("DE02120300000000201234") == "DE** **** … 1234"


def test_an_error_report_has_no_iban() -> None:
    given, due_one = new_mandate(reference="M1-1"), due("1", "A")
    assert repr(given) == "NewMandate('M1-1')"
    assert repr(due_one.mandate) == "Mandate('A')"
    assert IBAN not in repr(due_one)


def test_bank_days_leave_out_weekends_and_holidays_of_target() -> None:
    closed = ["2026-01-01", "2026-04-03", "2026-04-06", "2026-05-01", "2026-12-25", "2026-11-28"]
    assert not any(is_bank_day(date.fromisoformat(each)) for each in closed)
    assert is_bank_day(date(2026, 10, 3 + 2))
    assert is_bank_day(date(2026, 5, 25))
    assert bank_day_from(date(2026, 4, 3)) == date(2026, 4, 7)
    assert next_bank_day(date(2026, 12, 24)) == date(2026, 12, 28)


def test_nothing_is_collected_before_it_is_due_and_was_told() -> None:
    day = date(2026, 3, 2)
    assert announced_day(day, date(2026, 3, 3), 14) == date(2026, 3, 16)
    assert announced_day(day, date(2026, 3, 27), 14) == date(2026, 3, 27)
    assert announced_day(day, date(2026, 3, 28), 14) == date(2026, 3, 30)


def test_ids_are_found_in_the_texts_of_a_bank() -> None:
    id = new_id(1)
    assert ids_in([f"{id}-RCU"]) == ids_in([f"{id[:20]}\n{id[20:]}"]) == {id}
    assert ids_in(["2026-00012", "Rechnung"]) == set()


def due(id: str, mandate: str, *, is_recurring: bool = True) -> DueDebit:
    """A debit by a mandate."""
    return DueDebit(
        id=id,
        invoice_id="",
        number="",
        payer_id="",
        payer_name="",
        currency="EUR",
        open_amount=100,
        collect_date=TODAY,
        mandate=Mandate(
            id=mandate,
            payer_id="",
            reference=mandate,
            iban=IBAN,
            bic="",
            holder="Ann",
            is_recurring=is_recurring,
            signed_date=SIGNED,
            last_used_date=None,
            revoked_date=None,
            revoke_reason="",
            created_at=now(),
        ),
    )


def test_the_first_debit_of_a_series_is_marked_only_if_the_bank_wants_it() -> None:
    """Rulebook 9.2 of SDD Core, since 20 November 2016: `FRST` is no longer mandatory."""
    debits = [due("1", "A"), due("2", "A"), due("3", "B"), due("4", "C", is_recurring=False)]
    plain, marked = [list(sequence_types(debits, used=used).values()) for used in (None, {"B"})]
    assert plain == ["RCUR", "RCUR", "RCUR", "OOFF"]
    assert marked == ["FRST", "RCUR", "RCUR", "OOFF"]
