"""Bank statements of accounts that write invoices."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from masthead.model.billing.bank_lines import BankFormat, BankLine, BankStatement
from masthead.model.billing.statements import BankLineQuery, ImportedFile, StoredLine
from masthead.model.clock import account_today
from masthead.model.ids import new_id
from masthead.model.pagination import PageRequest
from masthead.services.billing.bank_statements.import_file import ReadFile, import_file, read_file
from masthead.store.billing import bank_statements as store
from tests.conftest import BY, Cast

FILES = Path("tests/files/bank")
DAY = account_today() - timedelta(days=1)  # when payments come, for invoices of today


def bank_line(amount: int = 6000, **fields: Any) -> BankLine:
    """A line of a statement."""
    return BankLine(**{"booking_date": DAY, "amount": amount, "currency": "EUR", **fields})


async def import_lines(cast: Cast, *lines: BankLine, file: str = "") -> ImportedFile:
    """Import a statement with these lines. file: its digest; by default a new one."""
    statement = BankStatement(
        format=BankFormat.CAMT, iban="DE02120300000000202051", currency="EUR", lines=lines
    )
    sent = ReadFile("statement.xml", file or new_id(cast.account_id), [statement])
    return await import_file(cast.db, cast.account_id, sent, by=BY)


async def import_sample(cast: Cast, name: str) -> ImportedFile:
    """Import a file of the samples."""
    file = read_file(FILES / name, name, "EUR")
    return await import_file(cast.db, cast.account_id, file, by=BY)


async def list_lines(cast: Cast, **query: Any) -> list[StoredLine]:
    """The stored lines, oldest first."""
    async with cast.db.read() as db:
        page = await store.list_lines(
            db, cast.account_id, BankLineQuery(**query), PageRequest(100, None, b"")
        )
    return list(reversed(page.items))
