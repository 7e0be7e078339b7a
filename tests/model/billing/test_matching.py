"""Which invoices a bank line pays: by numbers in any spelling, amounts and names."""

from datetime import date, timedelta

import pytest
from hypothesis import given, strategies as st
from msgspec import structs

from masthead.model.billing.bank_lines import BankLine, mask_iban
from masthead.model.billing.matching import OpenItem, Proposal, Reason, propose
from masthead.model.billing.named_numbers import find_references
from masthead.model.billing.names import is_same_name, is_similar_name, name_words

SERIES = ["2026-", "2025-", "R/"]


def item(number: int, amount: int = 4900, payer: int = 1, **fields: object) -> OpenItem:
    """An open invoice."""
    given = {
        "id": f"I{number}",
        "number": f"2026-{number:05}",
        "series": "2026-",
        "series_number": number,
        "payer_id": f"P{payer}",
        "payer_name": ["", "Anna Müller", "Bernd Özil", "Café Schön GbR"][payer],
        "payer_number": 10_000 + payer,
        "issue_date": date(2026, 10, 20),
        "due_date": date(2026, 11, number % 28 + 1),
        "currency": "EUR",
        "open_amount": amount,
    }
    return OpenItem(**given | fields)  # type: ignore[arg-type]


def line(amount: int = 4900, text: str = "", name: str = "", reference: str = "") -> BankLine:
    """A bank line."""
    return BankLine(
        booking_date=date(2026, 11, 27),
        amount=amount,
        currency="EUR",
        text=text,
        name=name,
        reference=reference,
    )


def find(paid: BankLine, items: list[OpenItem], known: tuple[str, ...] = ()) -> list[Proposal]:
    """The proposals."""
    return propose(paid, items, series=SERIES, known=known)


def test_who_stands_behind_the_payer_is_found_by_name() -> None:
    paid = structs.replace(line(name="Reading Circle Ltd"), ultimate_name="Müller, Anna")
    [found] = find(paid, [item(1), item(2, amount=5000, payer=2)])
    assert (found.payer_id, found.reasons) == ("P1", (Reason.NAME, Reason.AMOUNT))
    # Both names have an open invoice of the amount: a person must choose
    both = structs.replace(line(name="Bernd Özil"), ultimate_name="Anna Müller")
    listed = find(both, [item(1), item(2, payer=2)])
    assert {each.payer_id for each in listed} == {"P1", "P2"}
    assert not any(each.is_safe for each in listed)


@pytest.mark.parametrize(
    "text",
    [
        "Rechnung 2026-00012",
        "RE2026-00012 vom 1.11.2026",
        "rg.nr. 2026/00012",
        "2026 00012",
        "202600012",
        "2026-000 12 Danke",
        "RECHNUNG2026-00012DANKE",
        "Invoice no. 2026_00012.",
        "2026.00012, danke",
        "Zahlung 12.11.2026 zu 2026–00012".replace("–", "-"),
    ],
)
def test_an_invoice_number_is_found_in_any_spelling(text: str) -> None:
    assert ("2026-", 12) in find_references([text], SERIES).sure


@pytest.mark.parametrize("text", ["2026-12", "RE 12", "Rechnung Nr. 12", "Invoice: 00012"])
def test_a_part_of_a_number_is_only_likely(text: str) -> None:
    found = find_references([text], SERIES)
    assert ("2026-", 12) in found.likely
    assert not found.sure


@pytest.mark.parametrize(
    "text", ["vom 12.11.2026", "2026-11-12", "12026-00012", "Abo 2026", "1-2026-00012"]
)
def test_dates_and_longer_numbers_are_no_invoices(text: str) -> None:
    found = find_references([text], ["2026-"])
    assert not found.sure
    assert not {each for each in found.likely if each[1] == 12}


def test_digits_that_run_into_a_number_leave_it_likely() -> None:
    found = find_references(["2026-00012345"], ["2026-"])
    assert found.sure == {("2026-", 12345)}
    assert found.likely == {("2026-", 12)}


def test_too_many_likely_numbers_leave_room_for_sure_ones() -> None:
    guesses = " ".join(f"RE {number}" for number in range(1, 61))
    found = find_references([guesses, "2025-00061, 00062"], SERIES)
    assert len(found.likely) == 100
    assert found.sure == {("2025-", 61), ("2025-", 62)}
    many = " ".join(f"2026-{number:05}" for number in range(1, 151))
    assert len(find_references([many], SERIES).sure) == 100


def test_several_numbers_and_the_customer_number_are_found() -> None:
    found = find_references(
        ["RG 2026-00012, 00013 und 2025-00007 + R/00001, Kd.-Nr. 10001, 2026-00020 & 21"], SERIES
    )
    assert found.sure >= {("2026-", 12), ("2026-", 13), ("2025-", 7), ("R/", 1), ("2026-", 20)}
    assert ("2026-", 21) in found.likely
    assert found.customers == {10001}
    assert find_references(["Kundennummer: 77"], SERIES).customers == {77}
    found = find_references(["2026-00012 2026-00013 2025-00007"], SERIES)
    assert found.sure == {("2026-", 12), ("2026-", 13), ("2025-", 7)}


@given(
    st.integers(1, 99_999),
    st.sampled_from(["-", "/", " ", "", ".", " - ", "_"]),
    st.sampled_from(["", "Rechnung ", "RE-", "danke für ", "Abo 2025, "]),
    st.sampled_from(["", " vom 3.11.2026", ".", ",danke", " KdNr 10001"]),
)
def test_any_number_is_found_between_other_words(
    number: int, sign: str, before: str, after: str
) -> None:
    text = f"{before}2026{sign}{number:05}{after}"
    assert ("2026-", number) in find_references([text], SERIES).sure


@pytest.mark.parametrize(
    "name, other",
    [
        ("Anna Müller", "MUELLER, ANNA"),
        ("Anna Müller", "Anna u. Bernd Muller"),
        ("Dr. Anna Müller", "Anna Müller"),
        ("Café Schön GbR", "CAFE SCHOEN"),
    ],
)
def test_names_are_the_same_as_banks_write_them(name: str, other: str) -> None:
    assert is_same_name([name_words(name)], name_words(other))


def test_other_names_are_not_the_same() -> None:
    anna = name_words("Anna Müller")
    assert not is_same_name([anna], name_words("Bernd Müller"))
    assert is_similar_name([anna], name_words("A. Mueller"))
    assert not is_same_name([name_words("")], name_words(""))
    assert not is_similar_name([name_words("Herr")], name_words("Herr"))


def test_the_number_and_the_amount_are_safe() -> None:
    best, *_others = find(line(text="Re 2026-00012"), [item(12), item(13, payer=2)])
    assert (best.settled, best.score, best.is_safe, best.unused) == ({"I12": 4900}, 100, True, 0)
    assert best.reasons == (Reason.INVOICE_NUMBER, Reason.AMOUNT)
    [by_reference] = find(line(reference="2026-00012"), [item(12)])
    assert by_reference.is_safe


def test_one_payment_for_several_invoices() -> None:
    items = [item(12), item(13, 2000), item(14)]
    best, *_others = find(line(6900, "2026-00012 und 2026-00013"), items)
    assert (best.settled, best.is_safe) == ({"I12": 4900, "I13": 2000}, True)
    best, *_others = find(line(6900, "2026-00012, 13"), items)
    assert best.settled == {"I12": 4900, "I13": 2000}
    best, *_others = find(line(11800, "2026-00012 u. a."), items)
    assert (len(best.parts), best.score, best.is_safe) == (3, 95, True)
    best, *_others = find(line(11800, "Kd-Nr 10001"), items)
    assert (len(best.parts), best.is_safe) == (3, True)
    best, *_others = find(line(11800, name="Anna Müller"), items)
    assert (len(best.parts), best.is_safe) == (3, False)
    best, *_others = find(line(6900, name="Anna Müller"), [*items, item(301, 2500)])
    assert (best.settled.keys() >= {"I13"}, best.is_safe) == (True, False)


def test_a_part_of_the_number_is_safe_with_the_amount_unless_it_may_be_another_one() -> None:
    [best] = find(line(text="Rechnung 12"), [item(12), item(13, 5000)])
    assert (best.settled, best.is_safe) == ({"I12": 4900}, True)
    assert best.reasons == (Reason.LIKELY_NUMBER, Reason.AMOUNT)
    older = structs.replace(item(12), id="O12", number="2025-00012", series="2025-")
    assert not any(each.is_safe for each in find(line(text="Rechnung 12"), [item(12), older]))
    found = find(line(text="Rechnung 12, 2026-00013"), [item(12), item(13, 5000)])
    assert not any(each.is_safe for each in found)
    assert {"I12": 4900} in [each.settled for each in found]
    [best, *_others] = find(line(6900, "Rechnung 12, Rechnung 13"), [item(12), item(13, 2000)])
    assert (best.settled, best.is_safe) == ({"I12": 4900, "I13": 2000}, True)
    assert best.reasons == (Reason.LIKELY_NUMBER, Reason.SUM)


def test_sums_are_only_tried_for_few_open_invoices() -> None:
    items = [item(number, 100 + number) for number in range(1, 14)]
    [few, *_others] = find(line(213, "Kd 10001"), items[:12])
    assert (sum(few.settled.values()), Reason.SUM in few.reasons) == (213, True)
    [many] = find(line(213, "Kd 10001"), items)
    assert many.settled == {"I1": 101, "I2": 102, "I3": 10}


def test_parts_and_overpayments_are_proposed_but_not_safe() -> None:
    part, *_others = find(line(2000, "2026-00012"), [item(12)])
    assert (part.settled, part.unused, part.is_safe) == ({"I12": 2000}, 0, False)
    assert Reason.PART in part.reasons
    more, *_others = find(line(6000, "2026-00012"), [item(12)])
    assert (more.settled, more.unused, more.is_safe) == ({"I12": 4900}, 1100, False)
    assert Reason.MORE in more.reasons
    oldest, *_others = find(line(6000, "Kd 10001"), [item(12), item(13, 5000)])
    assert oldest.settled == {"I12": 4900, "I13": 1100}


def test_a_name_is_safe_only_if_one_invoice_has_the_amount() -> None:
    [best] = find(line(name="MUELLER ANNA"), [item(12), item(13, 5000, payer=2)])
    assert (best.settled, best.is_safe) == ({"I12": 4900}, True)
    other = [item(12), item(13, payer=2)]
    assert not any(each.is_safe for each in find(line(name="Anna Müller"), other))


def test_two_equal_amounts_without_a_reference_are_both_shown() -> None:
    for items in ([item(12), item(13)], [item(12), item(13, payer=2)]):
        for name in ("", "Anna Müller"):
            found = find(line(name=name), items, known=("P1",) if name else ())
            assert {tuple(each.settled) for each in found} == {("I12",), ("I13",)}
            assert not any(each.is_safe for each in found)


def test_who_paid_from_an_account_before_is_known() -> None:
    [best] = find(line(name="M. Gatte"), [item(12)], known=("P1",))
    assert (best.settled, best.reasons[0], best.is_safe) == (
        {"I12": 4900},
        Reason.KNOWN_ACCOUNT,
        True,
    )


def test_the_amount_alone_is_never_safe() -> None:
    [best] = find(line(), [item(12)])
    assert (best.score, best.is_safe) == (40, False)
    assert not find(line(100), [item(12)])
    assert not find(line(-4900, "2026-00012"), [item(12)])
    assert not find(line(), [item(12, currency="CHF")])


def test_an_invoice_of_another_payer_with_the_same_number_part_is_not_safe() -> None:
    found = find(line(text="2026-00012", name="Anna Müller"), [item(12, 9900, payer=2), item(13)])
    assert found[0].settled == {"I12": 4900}
    assert not any(each.is_safe for each in found)


def test_who_names_a_settled_invoice_may_have_paid_twice() -> None:
    found = find(line(text="2026-00012", name="Anna Müller"), [item(13)])
    assert (found[0].settled, found[0].is_safe) == ({"I13": 4900}, False)


numbers = st.integers(1, 30)


@given(
    amount=st.integers(1, 300),
    owed=st.dictionaries(numbers, st.tuples(st.integers(1, 99), st.integers(1, 3)), max_size=14),
    named=st.lists(numbers, max_size=3),
    customer=st.sampled_from([None, 1, 2]),
    name=st.sampled_from(["", "Anna Müller", "Özil", "Cafe Schoen"]),
)
def test_proposals_never_settle_more_than_is_paid_or_open(
    amount: int, owed: dict[int, tuple[int, int]], named: list[int], customer: int | None, name: str
) -> None:
    items = [item(number, *each) for number, each in owed.items()]
    text = " ".join(f"2026-{each:05}" for each in named)
    if customer:
        text += f" Kd-Nr {10_000 + customer}"
    paid = line(amount, text, name)
    found = find(paid, items)
    assert len(found) <= 5
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert sum(each.is_safe for each in found) <= 1
    for each in found:
        assert sum(each.settled.values()) + each.unused == amount
        assert len(each.settled) == len(each.parts) > 0
        assert all(0 < part.amount <= part.item.open_amount for part in each.parts)
        if each.is_safe:
            assert not each.unused
            assert all(part.amount == part.item.open_amount for part in each.parts)
            equal = sum(one.open_amount == amount for one in items)
            assert set(each.reasons) - {Reason.NAME, Reason.AMOUNT, Reason.SUM} or equal <= 1


def test_an_iban_is_masked() -> None:
    assert mask_iban("DE89 3704 0044 0532 0130 00") == "DE89…3000"
    assert mask_iban("12345") == "…"
    assert mask_iban("") == ""


def test_only_the_first_200_letters_of_a_name_count() -> None:
    assert name_words(f"{'x' * 197} qi zu") == {"x" * 197, "qi"}
    assert name_words(f"{'x' * 198} qi") == {"x" * 198}


@pytest.mark.parametrize(
    "days, text, proposed, is_safe",
    [
        (300, "Anna Müller", True, True),
        (301, "Anna Müller", True, False),  # perhaps for the year before
        (301, "Kd.-Nr. 10001", True, False),
        (301, "Rechnung 12", True, False),
        (301, "Rechnung 2026-00012", True, True),
        (731, "Anna Müller", True, False),
        (732, "Anna Müller", False, False),
        (732, "Rechnung 2026-00012", False, False),
    ],
)
def test_a_payment_before_its_invoice_is_sure_only_if_the_number_is_named(
    days: int, text: str, *, proposed: bool, is_safe: bool
) -> None:
    """The payer's own number of last year has the same amount, and so has the name."""
    paid = line(name=text if text == "Anna Müller" else "", text=text)
    found = find(paid, [item(12, issue_date=paid.booking_date + timedelta(days=days))])
    assert [each.is_safe for each in found] == [is_safe] * proposed
