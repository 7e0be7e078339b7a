"""Record in the audit trail which personal data users download, and read it there."""

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.transactions import in_transaction
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Database, Transaction


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


async def require_pdf(db: Connection, account_id: int, type: EntryType, id: str) -> None:
    """Raises: Invalid unless the PDF of some letters was downloaded. type: of that entry."""
    if not await trail.has_entry(db, account_id, type, id):
        raise Invalid(_("There is no PDF of these letters yet. Download it first."))


@in_transaction
async def _record(tx: Transaction, account_id: int, entry: NewEntry, by: Actor) -> None:
    await trail.record(tx, account_id, by, [entry])
