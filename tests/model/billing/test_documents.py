"""The lines of an invoice, and their VAT."""

from hypothesis import given, strategies as st
from msgspec import structs

from masthead.model.billing.documents import DocumentLine, join_copies, with_vat
from masthead.model.billing.vat import VatCategory, vat_in

LINE = DocumentLine(
    period_id=1,
    order_id="A-1",
    text="The Quarterly, print",
    detail="Issues 12 to 15 for Ada Lovelace",
    quantity=1,
    country="DE",
    category=VatCategory.STANDARD,
    rate=0,
    net=0,
    vat=0,
)


def priced(amount: int, rate: int) -> DocumentLine:
    """A line with an amount and a rate, without its VAT."""
    return structs.replace(LINE, net=amount, rate=rate)


def test_the_vat_of_a_document_is_rounded_once() -> None:
    lines = with_vat([priced(333, 700)] * 3)
    assert [(each.net, each.vat) for each in lines] == [(311, 22), (311, 22), (312, 21)]
    assert sum(each.vat for each in lines) == vat_in(999, 700) == 65


amounts = st.lists(st.tuples(st.integers(0, 10**7), st.sampled_from([0, 500, 700, 1900])))


@given(amounts)
def test_each_cent_is_in_one_line(found: list[tuple[int, int]]) -> None:
    lines = with_vat(priced(*each) for each in found)
    assert [line.total for line in lines] == [amount for amount, _rate in found]
    assert all(line.vat >= 0 for line in lines)
    for rate in {rate for _, rate in found}:
        whole = sum(amount for amount, of in found if of == rate)
        assert sum(line.vat for line in lines if line.rate == rate) == vat_in(whole, rate)


def test_copies_for_one_address_are_printed_as_one_line() -> None:
    other = structs.replace(LINE, detail="Issues 12 to 15 for Charles Babbage")
    [joined, alone] = join_copies(with_vat([priced(334, 700), priced(333, 700), other]))
    assert (joined.quantity, joined.total, alone.quantity) == (2, 667, 1)
