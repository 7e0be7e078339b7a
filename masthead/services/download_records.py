"""Record in the audit trail which personal data a user downloaded."""

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.services.transactions import in_transaction
from masthead.store.audit import trail
from masthead.store.engine.interface import Database, Transaction


async def record_address_download(
    db: Database, account_id: int, issue_id: str, *, file: str, by: Actor
) -> None:
    """Record that the addresses of an issue's copies were downloaded. file: the file's name."""
    entry = NewEntry(EntryType.ISSUE_DOWNLOAD, issue_id, None, {"file": file})
    await _record(db, account_id, entry, by)


async def record_renewal_download(db: Database, account_id: int, *, file: str, by: Actor) -> None:
    """Record that the renewal list was downloaded. file: the file's name."""
    entry = NewEntry(EntryType.ACCOUNT_DOWNLOAD, account_id, None, {"file": file})
    await _record(db, account_id, entry, by)


async def record_list_download(db: Database, account_id: int, *, file: str, by: Actor) -> None:
    """Record that a list of the desk was downloaded. file: the file's name."""
    entry = NewEntry(EntryType.ACCOUNT_DOWNLOAD_LIST, account_id, None, {"file": file})
    await _record(db, account_id, entry, by)


@in_transaction
async def _record(tx: Transaction, account_id: int, entry: NewEntry, by: Actor) -> None:
    await trail.record(tx, account_id, by, [entry])
