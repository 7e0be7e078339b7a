"""Credit notes take back an invoice to the cent, in whatever parts."""

from collections.abc import Iterable

from hypothesis import given, strategies as st
from msgspec import structs

from masthead.model.billing.credits import credit_lines, credited_before, left_of
from masthead.model.billing.documents import Document, DocumentLine, with_vat
from tests.model.billing.test_documents import priced
from tests.services.billing.files.documents import document

PRICES = st.lists(
    st.tuples(st.integers(0, 50_000), st.sampled_from([0, 700, 1900, 2000])), min_size=1, max_size=6
)
PARTS = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 30_000)), max_size=12)


def of(lines: Iterable[DocumentLine]) -> Document:
    """A document with lines that have their VAT."""
    return structs.replace(document(), lines=list(lines))


def invoice_of(prices: Iterable[tuple[int, int]]) -> Document:
    """An invoice with a line for each price and rate, all of different orders."""
    lines = with_vat(priced(*each) for each in prices)
    return of(structs.replace(each, period_id=number) for number, each in enumerate(lines))


def credit(invoice: Document, notes: list[Document], amounts: dict[int, int]) -> Document:
    """Add a credit note to those of an invoice."""
    notes.append(of(credit_lines(invoice, credited_before(notes), amounts)))
    return notes[-1]


def assert_all_is_credited(invoice: Document, notes: list[Document]) -> None:
    assert sum(each.net for each in notes) == invoice.net
    assert sum(each.vat for each in notes) == invoice.vat
    assert not any(left_of(invoice, credited_before(notes)).values())


@given(PRICES, PARTS)
def test_all_credit_notes_together_are_the_invoice(
    prices: list[tuple[int, int]], parts: list[tuple[int, int]]
) -> None:
    invoice, notes = invoice_of(prices), list[Document]()
    for period_id, wanted in parts:
        left = left_of(invoice, credited_before(notes)).get(period_id, 0)
        if amount := min(wanted, left):
            note = credit(invoice, notes, {period_id: amount})
            assert note.total == amount
            assert min(note.net, note.vat) >= 0
    left_now = left_of(invoice, credited_before(notes)).items()
    credit(invoice, notes, {period_id: amount for period_id, amount in left_now if amount})
    assert_all_is_credited(invoice, notes)


def test_a_line_of_which_nothing_is_taken_back_is_not_on_the_credit_note() -> None:
    lines = with_vat(priced(*each) for each in ((5000, 700), (1, 1900)))
    invoice = of(structs.replace(each, period_id=1) for each in lines)
    [line] = credit(invoice, [], {1: 10}).lines
    assert (line.rate, line.total) == (700, 10)


def test_a_credit_note_for_each_line_adds_no_cent() -> None:
    totals = [8200, 8200, 6900, 10200]  # 20 % VAT of each line, rounded alone, are a cent too many
    invoice, notes = invoice_of((total, 2000) for total in totals), list[Document]()
    for line in invoice.lines:
        credit(invoice, notes, {line.period_id: line.total})
    assert_all_is_credited(invoice, notes)
