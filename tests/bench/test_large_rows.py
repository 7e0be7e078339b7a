"""The rows that fill the desk of the benchmark keep the rules of the data."""

import asyncio
from pathlib import Path

import pytest

from bench.data import DESK
from bench.databases import build
from masthead.services.check.accounts import check
from tests.support.databases import opened

pytestmark = pytest.mark.slow

# Of money: the rows of invoices only have its shape, so such a desk cannot be copied
NOT_KEPT = {
    "a collection is the sum of its direct debits",
    "a direct debit that is paid has its payment, and no other one has",
    "a fee belongs to a reminder, which asks for it, or to a debit that came back",
    "an invoice has the number and the amounts of its document",
    "invoices and credit notes of an order are its price less refunds",
    "revenue matches a recount by the database",
    "the receivables of the journal are what is open",
    "what is open of an invoice is what nothing has settled",
    "what payers owe is what is open of documents and payments",
}


def test_the_rows_of_a_small_desk_keep_all_rules_but_those_of_money(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'masthead.db'}"
    build(url, DESK, 200)
    assert asyncio.run(list_broken(url)) == NOT_KEPT


async def list_broken(url: str) -> set[str]:
    """The rules that the rows of a database break."""
    async with opened(url) as db:
        return {fault.invariant async for fault in check(db)}
