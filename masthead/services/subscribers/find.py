"""Finds a subscriber in the spelling of a caller: exact matches first, then similar ones."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from masthead.model.ids import LAST_ID
from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.search import search_terms
from masthead.model.subscribers.misspellings import (
    closest,
    count_errors,
    few_errors,
    likely_errors,
    other_spellings,
)
from masthead.services.orders.subscribers import list_subscribers
from masthead.store.engine.interface import Connection
from masthead.store.search import text_index
from masthead.store.search.similar import list_similar

FEW = 3  # found: with fewer, typing errors are tried
MOST_WORDS = 4  # in which an error is expected
SIMILAR = 8
READ_FOR_TWO = 4_000  # rows that may have two words with an error: 10 µs each
MOST_PAIRS = 3  # of words that both have an error
VARIANTS = 2  # spellings of a search in which two words have an error


async def find_callers(
    db: Connection, account_id: int, search: str, *, limit: int
) -> list[KnownSubscriber]:
    """The subscribers who match every word, newest first, and then similar ones; read aside."""
    found, _has_exact = await find_with_similar(db, account_id, search, limit=limit)
    return found


async def find_with_similar(
    db: Connection, account_id: int, search: str, *, limit: int
) -> tuple[list[KnownSubscriber], bool]:
    """What `find_callers` returns, and whether the first of them match every word."""
    terms = search_terms(search)
    if not terms:
        return [], False
    ids = await _find_ids(db, account_id, terms, limit)
    has_exact = bool(ids)
    if len(ids) < limit:
        ids += await find_similar_ids(db, account_id, search, found=ids, limit=limit - len(ids))
    return await list_in_order(db, account_id, ids), has_exact


async def find_similar_ids(
    db: Connection, account_id: int, search: str, *, found: Collection[str], limit: int = SIMILAR
) -> list[str]:
    """Subscribers in other spellings than the search; with typing errors, if few were found.

    found: those of the exact search, which do not count again. Read aside. Queries: two for each
    other spelling, and one for each of four words; if nobody is found, six more.
    """
    known, similar = set(found), list[str]()
    for spelling in other_spellings(search):
        for id in await _find_ids(db, account_id, spelling, limit + len(known)):
            if id not in known:
                known.add(id)
                similar.append(id)
    if len(known) < FEW:
        for id in await _find_misspelled(db, account_id, search):
            if id not in known:
                known.add(id)
                similar.append(id)
    if not known:
        similar = await _find_twice_misspelled(db, account_id, search)
    return similar[:limit]


async def list_in_order(
    db: Connection, account_id: int, ids: Sequence[str]
) -> list[KnownSubscriber]:
    """The subscribers in the order of their ids here. Queries: two at most."""
    known = {each.id: each for each in await list_subscribers(db, account_id, ids)}
    return [known[id] for id in ids if id in known]


async def _find_ids(db: Connection, account_id: int, terms: Sequence[str], limit: int) -> list[str]:
    return await text_index.find_ids(
        db, account_id, text_index.SUBSCRIBERS, terms, after=LAST_ID, limit=limit
    )


async def _find_misspelled(db: Connection, account_id: int, search: str) -> list[str]:
    """Subscribers of whom one word is typed with errors, those with the fewest errors first."""
    terms = search_terms(search.replace("-", " "))
    errors, counted = dict[str, int](), lru_cache(maxsize=10_000)(count_errors)
    for place, term in list(enumerate(terms))[:MOST_WORDS]:
        others = terms[:place] + terms[place + 1 :]
        if not (spellings := likely_errors(term)):
            continue
        for row in await list_similar(db, account_id, [spellings], others):
            if (count := closest(term, row.text, counted)) is not None:
                errors[row.id] = min(count, errors.get(row.id, count))
    return _fewest_first(errors)


async def _find_twice_misspelled(db: Connection, account_id: int, search: str) -> list[str]:
    """Subscribers of whom two words are typed with an error, those with the fewest errors first.

    Also in the first other spelling: who types `Nistroem` may mean `Nyström`.
    """
    typed = search_terms(search.replace("-", " "))
    for terms in [typed, *other_spellings(search)][:VARIANTS]:
        errors, counted = dict[str, int](), lru_cache(maxsize=10_000)(count_errors)
        places = [place for place, term in enumerate(terms[:MOST_WORDS]) if few_errors(term)]
        for pair in list(combinations(places, 2))[:MOST_PAIRS]:
            one, other = (terms[place] for place in pair)
            others = [term for place, term in enumerate(terms) if place not in pair]
            spellings = [few_errors(one), few_errors(other)]
            for row in await list_similar(db, account_id, spellings, others, limit=READ_FOR_TWO):
                counts = closest(one, row.text, counted), closest(other, row.text, counted)
                if None not in counts:
                    sum_ = sum(filter(None, counts))
                    errors[row.id] = min(sum_, errors.get(row.id, sum_))
        if errors:
            return _fewest_first(errors)
    return []


def _fewest_first(errors: Mapping[str, int]) -> list[str]:
    """The ids of subscribers by their errors; of those with as many, the newest first."""
    return sorted(sorted(errors, reverse=True), key=errors.__getitem__)
