"""Match bank lines with open invoices: what each may pay, and what came back."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import permutations

from masthead.model.billing.matching import OpenItem, Proposal, propose
from masthead.model.billing.named_numbers import References, find_references
from masthead.model.billing.names import name_words
from masthead.model.billing.settings import document_number
from masthead.model.billing.statements import StoredLine
from masthead.model.pagination import PageRequest
from masthead.model.search import search_terms
from masthead.store.billing import matching as store
from masthead.store.billing.matching import CreditOwner
from masthead.store.billing.payers import find_by_numbers, find_payers
from masthead.store.engine.interface import Connection
from masthead.store.subscribers.records import search_subscribers

_SERIES = 30  # the newest
_MOST_OWNERS = 20
_TOGETHER = 50  # lines whose invoices are found together
_MOST_WORDS = 3  # of a name whose words are tried in every order
_UMLAUTS = (("ae", "ä"), ("oe", "ö"), ("ue", "ü"), ("ss", "ß"))


async def propose_for(
    db: Connection, account_id: int, lines: Sequence[StoredLine]
) -> dict[str, list[Proposal]]:
    """The proposals for lines that came in, by id of the line, most likely first.

    Queries: about 6, and one for each amount, for 50 lines.
    """
    found: dict[str, list[Proposal]] = {}
    credits = [each for each in lines if each.amount > 0]
    if not credits:
        return found
    series = await store.list_series(db, account_id, _SERIES)
    words_of = lru_cache(maxsize=4096)(name_words)
    for start in range(0, len(credits), _TOGETHER):
        some = credits[start : start + _TOGETHER]
        references = {
            each.id: find_references((each.text, each.reference), series) for each in some
        }
        known = await _known_payers(db, account_id, some)
        items = await _find_items(db, account_id, some, references, known)
        for line in some:
            found[line.id] = propose(
                line.bank_line,
                items,
                series=series,
                known=known.get(line.id, ()),
                words_of=words_of,
            )
    return found


async def list_credit_owners(
    db: Connection, account_id: int, line: StoredLine, search: str
) -> list[CreditOwner]:
    """Whose credit a payment may be that settles no open invoice, such as one that came twice.

    First the payers of settled invoices that it names, then those whom a search finds. Read aside.
    """
    series = await store.list_series(db, account_id, _SERIES)
    found = find_references((line.text, line.reference), series)
    numbers = [document_number(*each) for each in found.sure]
    owners = await store.find_settled(db, account_id, numbers)
    if search:
        request = PageRequest(_MOST_OWNERS, None, b"")
        page = await search_subscribers(db, account_id, search_terms(search), request)
        payers = await find_payers(db, account_id, [each.id for each in page.items])
        owners += [
            CreditOwner(payer_id=each.id, name=each.full_name, number=payers[each.id].number)
            for each in page.items
            if each.id in payers
        ]
    return list({each.payer_id: each for each in reversed(owners)}.values())[::-1]


async def _known_payers(
    db: Connection, account_id: int, lines: Sequence[StoredLine]
) -> dict[str, set[str]]:
    """The payers who paid from the account of a line before, under the same name."""
    rows = await store.find_known(db, account_id, {each.iban for each in lines if each.iban})
    payers: defaultdict[tuple[str, frozenset[str]], set[str]] = defaultdict(set)
    for iban, name, payer_id in rows:
        payers[iban, name_words(name)].add(payer_id)
    return {
        each.id: payers.get((each.iban, name_words(each.ultimate_name or each.name)), set())
        for each in lines
    }


async def _find_items(
    db: Connection,
    account_id: int,
    lines: Sequence[StoredLine],
    references: dict[str, References],
    known: dict[str, set[str]],
) -> list[OpenItem]:
    """The open invoices that the lines may mean: named, with the amounts, and of their payers."""
    named = {each for found in references.values() for each in found.sure | found.likely}
    customers = {each for found in references.values() for each in found.customers}
    items = await store.find_by_number(db, account_id, [document_number(*each) for each in named])
    payers = {each.payer_id for each in items}
    items += await store.find_by_amount(db, account_id, {each.amount for each in lines})
    items += await store.find_by_name(db, account_id, set(_spellings(lines)))
    payers |= set(await find_by_numbers(db, account_id, customers))
    payers |= {each for some in known.values() for each in some}
    items += await store.find_by_payer(db, account_id, payers)
    return list({each.id: each for each in items}.values())


def _spellings(lines: Iterable[StoredLine]) -> Iterable[str]:
    """The names of lines in small letters, with their words in every order, and with umlauts."""
    for typed in {name for line in lines for name in (line.name, line.ultimate_name) if name}:
        plain = " ".join(typed.replace(",", " ").lower().split())
        words = plain.split(" ")
        orders = permutations(words) if len(words) <= _MOST_WORDS else (words, words[1:])
        for order in orders:
            yield (name := " ".join(order))
            for two, one in _UMLAUTS:
                if two in name:
                    yield name.replace(two, one)
