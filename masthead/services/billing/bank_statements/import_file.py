"""Import bank statements. What was imported before is recognized, and nothing is doubled."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.bank_lines import BankLine, BankStatement, digests_of, shorten_statement
from masthead.model.billing.statements import ImportedFile
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.clean_text import one_line
from masthead.services.billing.bank_statements.read import read_bank_file
from masthead.services.transactions import in_long_transaction
from masthead.store import accounts
from masthead.store.audit import trail
from masthead.store.billing import bank_statements as store
from masthead.store.billing.settings import find_settings
from masthead.store.engine.interface import Transaction

_MOST_NAME = 255  # characters of the name of a file


class ReadFile(Struct, frozen=True):
    """A file that was read. name: as the user knows it."""

    name: str
    sha256: str
    statements: Sequence[BankStatement]


def read_file(path: Path, name: str, currency: str) -> ReadFile:
    """Read a file with statements, in a thread or a process of its own. Raises: Invalid; OSError.

    currency: of the account.
    """
    statements = [shorten_statement(each) for each in read_bank_file(path, name, currency)]
    with path.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    return ReadFile(one_line(name)[-_MOST_NAME:], sha256, statements)


@in_long_transaction
async def import_file(
    tx: Transaction, account_id: int, file: ReadFile, *, by: Actor
) -> ImportedFile:
    """Store the statements of a file, in one transaction.

    Lines that another statement had are left out, and so are payments to others. A file that was
    imported before changes nothing. Raises: Invalid.
    """
    account = await accounts.lock_account(tx, account_id)
    if before := await store.find_file(tx, account_id, file.sha256):
        return ImportedFile(
            statements=[each.id for each in before],
            is_known=True,
            lines=sum(each.lines for each in before),
            known=sum(each.kept for each in before),
        )
    if any(each.currency not in ("", account.currency) for each in file.statements):
        raise Invalid(_("The currency of the account has changed. Upload the file again."))
    settings = await find_settings(tx, account_id)
    own = settings.iban if settings else ""
    total = ImportedFile(statements=[])
    for part, each in enumerate(file.statements):
        statement = each if each.iban else structs.replace(each, iban=own)
        total = _add(total, await _store(tx, account_id, file, statement, part, by=by))
    entry = NewEntry(EntryType.BANK_STATEMENT_IMPORT, total.statements[0], None, _shown(total))
    await trail.record(tx, account_id, by, [entry])
    return total


async def _store(
    tx: Transaction,
    account_id: int,
    file: ReadFile,
    statement: BankStatement,
    part: int,
    *,
    by: Actor,
) -> ImportedFile:
    kept: list[tuple[BankLine, str]] = [
        (line, digest)
        for line, digest in zip(statement.lines, digests_of(statement), strict=True)
        if line.is_kept
    ]
    known = await store.find_digests(tx, account_id, [digest for _line, digest in kept])
    new = [each for each in kept if each[1] not in known]
    new.sort(key=lambda each: each[0].booking_date)
    id = await store.insert_statement(
        tx,
        account_id,
        statement,
        name=file.name,
        sha256=file.sha256,
        part=part,
        kept=len(kept),
        known=len(known),
        by=by,
    )
    await store.insert_lines(tx, account_id, id, new, by=by)
    return ImportedFile(
        statements=[id],
        lines=len(statement.lines),
        new=len(new),
        known=len(known),
        outgoing=len(statement.lines) - len(kept),
        pending=statement.pending,
        returns=sum(line.is_return for line, _digest in new),
    )


def _add(total: ImportedFile, part: ImportedFile) -> ImportedFile:
    return ImportedFile(
        statements=[*total.statements, *part.statements],
        **{name: getattr(total, name) + getattr(part, name) for name in _COUNTS},
    )


_COUNTS = ("lines", "new", "known", "outgoing", "pending", "returns")


def _shown(total: ImportedFile) -> dict[str, object]:
    """An import in the audit trail: numbers only."""
    return {name: getattr(total, name) for name in _COUNTS}
