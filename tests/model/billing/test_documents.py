"""The lines of an invoice, and their VAT."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from masthead.model.billing.documents import DocumentLine, PricedLine, with_vat
from masthead.model.billing.vat import VatCategory, vat_in, vat_on

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


def priced(amount: int, rate: int) -> PricedLine:
    """A line with an amount and a rate."""
    return PricedLine(line=structs.replace(LINE, rate=rate), amount=amount)


def test_the_vat_of_a_document_is_rounded_once() -> None:
    lines = with_vat([priced(333, 700)] * 3, prices_include_vat=True)
    assert [(each.net, each.vat) for each in lines] == [(311, 22), (311, 22), (312, 21)]
    assert sum(each.vat for each in lines) == vat_in(999, 700) == 65


amounts = st.lists(st.tuples(st.integers(0, 10**7), st.sampled_from([0, 500, 700, 1900])))


@given(amounts, st.booleans())
def test_each_cent_is_in_one_line(found: list[tuple[int, int]], includes: bool) -> None:
    lines = with_vat([priced(*each) for each in found], prices_include_vat=includes)
    for (amount, _rate), line in zip(found, lines, strict=True):
        assert (line.total if includes else line.net) == amount
        assert line.vat >= 0
    for rate in {rate for _, rate in found}:
        whole = sum(amount for amount, of in found if of == rate)
        vat = sum(line.vat for line in lines if line.rate == rate)
        assert vat == (vat_in if includes else vat_on)(whole, rate)
