"""Credit notes: the part of an invoice that they take back."""

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import structs

from masthead.model.billing.documents import Document, DocumentLine
from masthead.model.billing.exchange_rates import ConvertedVat
from masthead.model.types.money import share_out

Key = tuple[int, str]  # the order and the text of a line: a bundle has a line for each medium


def key_of(line: DocumentLine) -> Key:
    """What is the same of a line and of those that credit it."""
    return line.period_id, line.text


def credited_before(credit_notes: Iterable[Document]) -> Counter[Key]:
    """What credit notes have taken back of each line of their invoice."""
    found: Counter[Key] = Counter()
    for note in credit_notes:
        for line in note.lines:
            found[key_of(line)] += line.total
    return found


def left_of(invoice: Document, before: Mapping[Key, int]) -> dict[int, int]:
    """What is not credited yet, by order."""
    left: Counter[int] = Counter()
    for line in invoice.lines:
        left[line.period_id] += line.total - before.get(key_of(line), 0)
    return dict(left)


def credit_lines(
    invoice: Document, before: Mapping[Key, int], amounts: Mapping[int, int]
) -> list[DocumentLine]:
    """The lines of a credit note. amounts: what it takes back of each order, at most what is left.

    The lines of an order share its amount in the ratio of what is left of them. The VAT of a line
    is that of all that is credited of it, less what was credited before: so when all is credited,
    its credit notes have exactly its VAT.
    """
    lines = []
    for period_id, amount in amounts.items():
        own = [each for each in invoice.lines if each.period_id == period_id]
        left = [each.total - before.get(key_of(each), 0) for each in own]
        for line, part in zip(own, share_out(amount, left), strict=True):
            if part:
                start = before.get(key_of(line), 0)
                vat = _vat_up_to(line, start + part) - _vat_up_to(line, start)
                lines.append(structs.replace(line, net=part - vat, vat=vat))
    return lines


def credited_vat(
    invoice: Document, notes: Iterable[Document], lines: Iterable[DocumentLine]
) -> ConvertedVat | None:
    """The VAT of a credit note in the currency of the publisher's country, if its invoice has that.

    The rate is that of the invoice. notes: the credit notes before. Converted is all that is
    credited, less what was converted before: so all of them have exactly the amount of the invoice.
    """
    found = invoice.converted
    if found is None:
        return None
    earlier = list(notes)
    vat = sum(each.vat for each in earlier) + sum(each.vat for each in lines)
    before = sum(each.converted.vat for each in earlier if each.converted)
    return structs.replace(found, vat=found.rate.convert(vat, invoice.currency) - before)


def _vat_up_to(line: DocumentLine, total: int) -> int:
    """The VAT in the first part of a line, rounded half up."""
    return (2 * line.vat * total + line.total) // (2 * line.total)
