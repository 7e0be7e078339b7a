"""Which open invoices a line of a bank statement pays: proposals with a score.

A proposal is safe if it can be confirmed without being read: the payment names the invoice or the
customer and the amounts are the same; or the name is the same, and only one open invoice has that
amount. Two equal amounts without a reference are never safe.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date, timedelta
from enum import StrEnum
from itertools import combinations

from msgspec import Struct, structs

from masthead.model.billing.bank_lines import BankLine
from masthead.model.billing.named_numbers import References, find_references
from masthead.model.billing.names import is_same_name, is_similar_name, name_words
from masthead.model.billing.payments import can_be_paid_on
from masthead.model.translations import gettext_noop

MAX_PROPOSALS = 5
_DAYS_EARLY = 300  # that a safe payment comes before its invoice; last year's came earlier
_MOST_COMBINED = 12  # open invoices of a payer of which every sum is tried


class Reason(StrEnum):
    """Why an invoice is proposed, in the words of the page."""

    INVOICE_NUMBER = gettext_noop("invoice number")
    LIKELY_NUMBER = gettext_noop("part of the invoice number")
    CUSTOMER_NUMBER = gettext_noop("customer number")
    KNOWN_ACCOUNT = gettext_noop("paid from this bank account before")
    NAME = gettext_noop("name")
    SIMILAR_NAME = gettext_noop("similar name")
    AMOUNT = gettext_noop("amount")
    SUM = gettext_noop("sum of several invoices")
    PART = gettext_noop("part of the amount")
    MORE = gettext_noop("more than the amount")


class OpenItem(Struct, frozen=True, kw_only=True):
    """An open invoice with its payer. series_number: its number in its series."""

    id: str
    number: str
    series: str
    series_number: int
    payer_id: str
    payer_name: str
    payer_number: int
    issue_date: date
    due_date: date
    currency: str
    open_amount: int


class PaidPart(Struct, frozen=True):
    """How much of an invoice a payment settles."""

    item: OpenItem
    amount: int


class Proposal(Struct, frozen=True, kw_only=True):
    """What a payment may settle. score: from 0 to 100. unused: what is too much."""

    payer_id: str
    parts: tuple[PaidPart, ...]
    unused: int = 0
    score: int
    reasons: tuple[Reason, ...]
    is_safe: bool = False

    @property
    def settled(self) -> dict[str, int]:
        """How much of each invoice is settled, by id."""
        return {part.item.id: part.amount for part in self.parts}


class _Evidence(Struct, frozen=True):
    """What speaks for a payer: a reason, and the score if the amount is that of what is open."""

    reason: Reason
    score: int


_CUSTOMER = _Evidence(Reason.CUSTOMER_NUMBER, 95)
_ACCOUNT = _Evidence(Reason.KNOWN_ACCOUNT, 85)
_NAME = _Evidence(Reason.NAME, 80)
_SIMILAR = _Evidence(Reason.SIMILAR_NAME, 55)


def propose(
    line: BankLine,
    items: Collection[OpenItem],
    *,
    series: Sequence[str],
    known: Collection[str] = (),
    words_of: Callable[[str], frozenset[str]] = name_words,
) -> list[Proposal]:
    """What a payment may settle, most likely first; at most five.

    items: the open invoices that may be meant: all with this amount, those that the text names,
    and all of their payers. known: payers who paid from this account before.
    words_of: `name_words`, which may be cached for several payments.
    """
    if line.amount <= 0:
        return []
    found = find_references((line.text, line.reference), series)
    usable = sorted(
        (each for each in items if _may_be_paid(each, line)),
        key=lambda each: (each.due_date, each.id),
    )
    same_amount = sum(each.open_amount == line.amount for each in usable)
    proposals = [*_by_number(line.amount, usable, found)]
    open_numbers = {(each.series, each.series_number) for each in usable}
    has_number = bool(proposals) or bool(found.sure - open_numbers)  # perhaps paid twice
    payers: defaultdict[str, list[OpenItem]] = defaultdict(list)
    for each in usable:
        payers[each.payer_id].append(each)
    names = [words_of(line.name), words_of(line.ultimate_name)]
    for owed in payers.values():
        evidence = _evidence(owed[0], found, known, names, words_of)
        if evidence is not None:
            is_clear = evidence is _CUSTOMER or (same_amount <= 1 and evidence is not _SIMILAR)
            proposals += _of_payer(
                line.amount, owed, evidence, is_clear=is_clear and not has_number
            )
    proposals += _by_amount(line.amount, usable, is_only=same_amount == 1)
    return _best(_after_issue(each, line) for each in proposals)


def _may_be_paid(item: OpenItem, line: BankLine) -> bool:
    """Whether a payment may be for an invoice. One long before it was issued was for another."""
    is_open = item.open_amount > 0 and item.currency == line.currency
    return is_open and can_be_paid_on(line.booking_date, item.issue_date)


def _after_issue(proposal: Proposal, line: BankLine) -> Proposal:
    """The proposal, which is not safe if its invoices are named by nothing and were issued later.

    Last year's payment of the same payer has the same amount.
    """
    last = line.booking_date + timedelta(days=_DAYS_EARLY)
    is_early = any(part.item.issue_date > last for part in proposal.parts)
    if not is_early or Reason.INVOICE_NUMBER in proposal.reasons:
        return proposal
    return structs.replace(proposal, is_safe=False)


def _best(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Each settlement once, with its best reason. Two that are as likely are not safe."""
    best: dict[tuple[tuple[str, int], ...], Proposal] = {}
    for each in sorted(proposals, key=lambda one: -one.score):  # sorting is stable
        best.setdefault(tuple(sorted(each.settled.items())), each)
    found = list(best.values())[:MAX_PROPOSALS]
    if len([each for each in found if each.is_safe]) > 1:
        return [structs.replace(each, is_safe=False) for each in found]
    return found


def _by_number(amount: int, items: Sequence[OpenItem], found: References) -> Iterator[Proposal]:
    """What the text names."""
    sure = [each for each in items if (each.series, each.series_number) in found.sure]
    likely = [each for each in items if (each.series, each.series_number) in found.likely]
    if sure:
        for chosen in (sure, [*sure, *likely]):
            if _sum(chosen) == amount:
                yield _whole(chosen, 100, (Reason.INVOICE_NUMBER,))
                return
        payers = {each.payer_id for each in sure}
        everything = [each for each in items if each.payer_id in payers]
        if len(payers) == 1 and _sum(everything) == amount:
            yield _whole(everything, 95, (Reason.INVOICE_NUMBER,))
            return
        yield _oldest_first(amount, sure, 85, (Reason.INVOICE_NUMBER,))
    for each in likely:
        if each.open_amount == amount:
            yield _whole([each], 90, (Reason.LIKELY_NUMBER,), is_safe=not sure)
    if len(likely) > 1 and _sum(likely) == amount:
        yield _whole(likely, 88, (Reason.LIKELY_NUMBER,), is_safe=not sure)


def _evidence(
    item: OpenItem,
    found: References,
    known: Collection[str],
    names: Sequence[frozenset[str]],
    words_of: Callable[[str], frozenset[str]],
) -> _Evidence | None:
    """What speaks for the payer of an invoice. names: the words of those that the bank wrote."""
    if item.payer_number in found.customers:
        return _CUSTOMER
    if item.payer_id in known:
        return _ACCOUNT
    words = words_of(item.payer_name)
    if is_same_name(names, words):
        return _NAME
    return _SIMILAR if is_similar_name(names, words) else None


def _of_payer(
    amount: int, owed: Sequence[OpenItem], evidence: _Evidence, *, is_clear: bool
) -> Iterator[Proposal]:
    """What a payment of a payer may settle. is_clear: whether nothing else is as likely."""
    reasons, score = (evidence.reason,), evidence.score
    same = [each for each in owed if each.open_amount == amount]
    for each in same:
        yield _whole(
            [each],
            score if len(same) == 1 else score - 15,
            reasons,
            is_safe=is_clear and len(same) == 1,
        )
    if len(owed) > 1 and _sum(owed) == amount and not same:
        is_safe = is_clear and evidence is _CUSTOMER
        yield _whole(owed, score, reasons, is_safe=is_safe)
    elif not same and evidence is not _SIMILAR:
        combined = _combinations(amount, owed)
        if combined:
            for chosen in combined[:MAX_PROPOSALS]:
                yield _whole(chosen, score - (15 if len(combined) == 1 else 25), reasons)
        else:
            yield _oldest_first(amount, owed, score - 35, reasons)


def _combinations(amount: int, owed: Sequence[OpenItem]) -> list[Sequence[OpenItem]]:
    """The sets of two or more open invoices of a payer whose sum is the amount."""
    if len(owed) > _MOST_COMBINED:
        return []
    return [
        chosen
        for size in range(2, len(owed))
        for chosen in combinations(owed, size)
        if _sum(chosen) == amount
    ]


def _by_amount(amount: int, items: Sequence[OpenItem], *, is_only: bool) -> Iterator[Proposal]:
    """The invoices with the same amount, which alone is never enough."""
    same = [each for each in items if each.open_amount == amount]
    for each in same[:MAX_PROPOSALS]:
        yield _whole([each], 40 if is_only else 30, (), is_safe=False)


def _sum(items: Iterable[OpenItem]) -> int:
    return sum(each.open_amount for each in items)


def _whole(
    items: Sequence[OpenItem], score: int, reasons: tuple[Reason, ...], *, is_safe: bool = True
) -> Proposal:
    """The invoices are paid in full, and nothing is left. Of two payers, it is never safe."""
    return Proposal(
        payer_id=items[0].payer_id,
        parts=tuple(PaidPart(each, each.open_amount) for each in items),
        score=score,
        reasons=(*reasons, Reason.SUM if len(items) > 1 else Reason.AMOUNT),
        is_safe=is_safe and len({each.payer_id for each in items}) == 1,
    )


def _oldest_first(
    amount: int, items: Sequence[OpenItem], score: int, reasons: tuple[Reason, ...]
) -> Proposal:
    """The amount is less or more than what is open: what is due first comes first."""
    parts, left = list[PaidPart](), amount
    for each in items:
        if left:
            parts.append(PaidPart(each, min(left, each.open_amount)))
            left -= parts[-1].amount
    return Proposal(
        payer_id=items[0].payer_id,
        parts=tuple(parts),
        unused=left,
        score=score,
        reasons=(*reasons, Reason.MORE if left else Reason.PART),
    )
