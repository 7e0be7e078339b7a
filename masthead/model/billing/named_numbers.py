"""Find numbers of invoices and customers in what payers write, in any spelling."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from masthead.model.billing.settings import DIGITS

Reference = tuple[str, int]  # a series and a number in it

_SIGNS = r"[\s\-./_:#]{0,3}"
_INVOICE = re.compile(
    r"(?:RECHNUNGEN|RECHNUNG|RECHN|RECH|RGNR|RENR|RNR|RG|RE|INVOICES?|INV|FACTUUR|FACTURE|FACTURA|"
    r"FAKTURA|BELEG)[\s.:\-]{0,3}(?:NUMMER|NUMBER|NUM|NR|NO)?[\s.:#\-]{0,3}"
    r"(?P<run>[0-9]{1,9})(?![0-9]|[\-./][0-9])"
)
_CUSTOMER = re.compile(
    r"(?:KUNDEN|KUNDE|KD|KUN|KNR|CUSTOMER|CUST|CLIENT|KLANT|DEBITOREN|DEBITOR|ABO|MITGLIEDS)"
    r"[\s.:\-]{0,3}(?:NUMMER|NUMBER|NUM|NR|NO|ID)?[\s.:#\-]{0,3}(?P<run>[0-9]{1,9})(?![0-9])"
)
# One more number after a whole one: `2026-00012, 00013 und 14`
_NEXT = re.compile(
    r"\s{0,3}(?:,|;|\+|&|/|\bUND\b|\bAND\b|\bEN\b|\bET\b|\bU\.)\s{0,3}"
    r"(?:RECHNUNG|RE|RG|NR|INVOICE|INV)?[\s.\-]{0,3}(?P<run>[0-9]{1,9})(?![0-9]|\s?[\-./]\s?[0-9])"
)
_MAX_SERIES = 30  # the newest; there is one for each year
_MAX_FOUND = 100  # sure ones, and likely ones


class References(Struct, frozen=True):
    """What a text refers to.

    sure: invoices whose number is there as it is printed, whatever is between its parts. likely:
    numbers without their series or zeros, which may be something else. customers: their numbers.
    """

    sure: frozenset[Reference] = frozenset()
    likely: frozenset[Reference] = frozenset()
    customers: frozenset[int] = frozenset()


def find_references(texts: Iterable[str], series: Sequence[str]) -> References:
    """The numbers in texts, at most 100 sure and 100 likely ones. series: the newest first.

    The time is proportional to the length of the texts.
    """
    sure: set[Reference] = set()
    likely: set[Reference] = set()
    customers: set[int] = set()
    for text in texts:
        upper = text.upper()
        customers.update(int(match["run"]) for match in _CUSTOMER.finditer(upper))
        for name in series[:_MAX_SERIES]:
            for number, is_sure in _numbers(upper, name):
                found = sure if is_sure else likely
                if len(found) < _MAX_FOUND:
                    found.add((name, number))
    return References(frozenset(sure), frozenset(likely - sure), frozenset(customers))


def _numbers(text: str, series: str) -> Iterator[tuple[int, bool]]:
    """The numbers of a series in a text, and whether each is as it is printed."""
    matches = list(_pattern(series).finditer(text)) if plain_series(series) else []
    taken = {place for match in matches for place in range(match.start(), match.end())}
    for match in matches:
        yield from _readings(match, text)
        end = match.end("run")
        while (follow := _NEXT.match(text, end)) and follow.start("run") not in taken:
            yield int(follow["run"]), len(follow["run"]) >= DIGITS
            end = follow.end()
    for match in _INVOICE.finditer(text):
        if match.start("run") not in taken:
            yield int(match["run"]), not plain_series(series) and len(match["run"]) >= DIGITS


def _readings(match: re.Match[str], text: str) -> Iterator[tuple[int, bool]]:
    """What the digits after a series can mean: they may be divided, or run into other digits."""
    run, more = match["run"], match["more"].replace(" ", "")
    if len(run) >= DIGITS:
        yield int(run), True
        if len(run) > DIGITS:
            yield int(run[:DIGITS]), False
        return
    if len(run) + len(more) >= DIGITS:
        yield int((run + more)[:DIGITS]), True
    is_date = len(run) <= 2 and re.match(r"[\-./][0-9]", text[match.end("run") :])
    if not is_date:
        yield int(run), False


@lru_cache(maxsize=256)
def _pattern(series: str) -> re.Pattern[str]:
    signs = plain_series(series)
    before = r"(?<![0-9])(?<![0-9][.\-/])" if signs[0].isdigit() else r"(?<![A-Z])"
    inside = _SIGNS.join(map(re.escape, signs))
    return re.compile(
        rf"{before}{inside}{_SIGNS}(?P<run>[0-9]{{1,12}})(?=(?P<more>(?: [0-9]{{1,5}}){{0,2}}))"
    )


def plain_series(series: str) -> str:
    """The letters and digits of a series in capitals."""
    return "".join(filter(str.isalnum, series.upper()))
