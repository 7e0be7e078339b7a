"""Find invoices and payments by what a letter or a bank statement says of them."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from masthead.model.billing.lists import InvoiceItem, PaymentItem, Shown
from masthead.model.billing.settings import document_number
from masthead.model.ids import LAST_ID
from masthead.model.pagination import Page, PageRequest
from masthead.model.search import search_terms
from masthead.model.types.text import is_digits
from masthead.store.billing import lists as store, matching, payers
from masthead.store.engine.interface import Connection
from masthead.store.search import text_index

MAX_PAYERS = 50  # newest first
MAX_SERIES = 20
_MOST_DIGITS = 9  # of a number of a document without its series, and of a customer number


class SearchMeaning(Struct, frozen=True):
    """What a search may mean: numbers of invoices, and ids of payers."""

    numbers: Sequence[str]
    payer_ids: Sequence[str]


async def read_search(db: Connection, account_id: int, search: str) -> SearchMeaning:
    """What a search may mean: `2026-00012`, `12`, a customer number, or words of a payer.

    A number without its series is tried with each. Queries: three at most, read aside.
    """
    text = search.strip()
    numbers, payer_ids = [text, text.upper()], list[str]()
    if is_digits(text, at_most=_MOST_DIGITS):
        series = await matching.list_series(db, account_id, MAX_SERIES)
        numbers += [document_number(each, int(text)) for each in series]
        payer_ids += await payers.find_by_numbers(db, account_id, [int(text)])
    elif terms := search_terms(text):
        payer_ids += await text_index.find_ids(
            db, account_id, text_index.SUBSCRIBERS, terms, after=LAST_ID, limit=MAX_PAYERS
        )
    return SearchMeaning(sorted(set(numbers)), sorted(set(payer_ids)))


async def list_invoices(
    db: Connection,
    account_id: int,
    request: PageRequest,
    *,
    shown: Shown,
    search: str,
    payer_id: str,
    today: date,
) -> Page[InvoiceItem]:
    """The invoices of a list: all and found ones newest first, open ones by their due date.

    Queries: four at most, read aside.
    """
    if payer_id or search:
        found = SearchMeaning([], [payer_id])
        if search:
            found = await read_search(db, account_id, search)
        return await store.find_invoices(
            db,
            account_id,
            request,
            numbers=found.numbers,
            payer_ids=found.payer_ids,
            today=today,
            shown=shown,
        )
    if shown is Shown.ALL:
        return await store.list_invoices(db, account_id, request)
    return await store.list_open(db, account_id, request, today=today, shown=shown)


async def list_payments(
    db: Connection,
    account_id: int,
    request: PageRequest,
    *,
    only_unused: bool,
    search: str,
    payer_id: str,
) -> Page[PaymentItem]:
    """The payments of a list, those recorded last first. Queries: four at most, read aside."""
    if payer_id or search or only_unused:
        payer_ids: Sequence[str] | None = [payer_id] if payer_id else None
        if search:
            payer_ids = (await read_search(db, account_id, search)).payer_ids
        return await store.find_payments(
            db, account_id, request, payer_ids=payer_ids, only_unused=only_unused
        )
    return await store.list_payments(db, account_id, request)
