"""Which copies of an import count as sent, because their issues are out."""

from msgspec import structs

from masthead.model.imports.batches import ImportBatch
from masthead.model.orders.released_issues import NONE
from masthead.services.imports.reading import FileReading
from masthead.services.issues.released import SentThrough, find_sent_through
from masthead.store import accounts
from masthead.store.engine.interface import Connection
from masthead.store.reports.fulfilment import count_sending


async def find_chosen(db: Connection, account_id: int, wanted: int | str) -> SentThrough:
    """The issues whose copies count as sent. wanted: a number, `released` or `none`.

    Queries: four at most. Raises: Invalid if the issue with that number is not out.
    """
    account = await accounts.get_account(db, account_id)
    return await find_sent_through(db, account_id, wanted, day=account.daily_date)


async def propose_sent(db: Connection, account_id: int, reading: FileReading) -> SentThrough:
    """The issues whose copies count as sent unless the user says otherwise.

    If nothing names them, the last one that is out is not among them while most of its copies are
    to send: those of the file are then to send, too. Queries: five at most. Raises: Invalid.
    """
    sent = await find_chosen(db, account_id, reading.sent_through)
    if reading.plan.mapping.sent_through or not sent.number:
        return sent
    if not (await count_sending(db, account_id, sent.number)).waits:
        return sent
    before = sent.issues - {sent.number}
    return SentThrough(max(before, default=0), before)


async def read_as_decided(
    db: Connection, account_id: int, batch: ImportBatch, reading: FileReading
) -> FileReading:
    """The file, read with the copies that count as sent in a batch. Raises: Invalid."""
    wanted = batch.decisions.sent_through or NONE
    return read_as_sent(reading, await find_chosen(db, account_id, wanted))


def read_as_sent(reading: FileReading, sent: SentThrough) -> FileReading:
    """The file, read with these copies as sent: what follows for the statuses of its rows."""
    return structs.replace(reading, facts=structs.replace(reading.facts, taken_as_sent=sent.issues))
