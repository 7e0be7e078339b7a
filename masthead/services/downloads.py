"""Record downloads of personal data in the audit log."""

from masthead.model.actors import Actor
from masthead.store.audit import trail
from masthead.store.audit.trail import Entry
from masthead.store.engine.interface import Database, Transaction


async def record_address_download(
    db: Database, account_id: int, issue_id: str, *, file: str, by: Actor
) -> None:
    """Record that the addresses of an issue's copies were downloaded. file: its name."""
    entry = Entry("issue.download", "issue", issue_id, None, {"file": file})
    await _record(db, account_id, entry, by)


async def record_renewal_download(db: Database, account_id: int, *, file: str, by: Actor) -> None:
    """Record that the list of subscriptions that end soon was downloaded. file: its name."""
    entry = Entry("account.download", "account", account_id, None, {"file": file})
    await _record(db, account_id, entry, by)


async def _record(db: Database, account_id: int, entry: Entry, by: Actor) -> None:
    async def work(tx: Transaction) -> None:
        await trail.record(tx, account_id, by, [entry])

    await db.write(work, account_id=account_id)
