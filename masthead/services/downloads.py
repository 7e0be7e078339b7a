"""Downloads of personal data, which leave an entry in the audit log."""

from masthead.model.actors import Actor
from masthead.store import audit
from masthead.store.audit import Entry
from masthead.store.connection import Database, Transaction


async def record_download(
    db: Database,
    account_id: int,
    *,
    action: str,
    subject: tuple[str, str | int],
    file: str,
    by: Actor,
) -> None:
    """Record that a file was downloaded. subject: type and id of the record it belongs to."""

    async def work(tx: Transaction) -> None:
        await audit.record(tx, account_id, by, [Entry(action, *subject, None, {"file": file})])

    await db.write(work)
