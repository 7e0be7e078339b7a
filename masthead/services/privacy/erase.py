"""Erase a subscriber: remove who they are from every record, and remember it by digests."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.ids import new_id
from masthead.model.privacy.columns import ERASED_NAME
from masthead.model.privacy.digests import PersonDetails, address_digest, email_digest, new_secret
from masthead.model.privacy.erasures import Erasure, ErasurePreview, KeptRecords, Record
from masthead.model.subscribers.corrections import FORMS_OF_ADDRESS, placeholder_address
from masthead.model.subscribers.merges import MovedRecords
from masthead.model.types.email_addresses import email_key
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.services.debits.erase import erase_mandates
from masthead.services.privacy.data_subjects import get_data_subject, list_people
from masthead.services.privacy.earlier_search import (
    EarlierSearch,
    Wanted,
    get_wanted,
    search_before,
)
from masthead.services.privacy.mentions import erase_mentions, erase_said
from masthead.services.privacy.unfinished import end_running, require_billed, require_idle
from masthead.services.privacy.uploaded_files import delete_files, find_files
from masthead.services.reminders.recheck import take_back_waiting
from masthead.services.search_index import rewrite_search
from masthead.services.subscribers.correct import name_of
from masthead.store import accounts, idempotency
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing.open_sums import sum_of_payer
from masthead.store.dispatch.fingerprints import MARK
from masthead.store.engine.interface import Connection, Database, Row, Transaction
from masthead.store.exports import archives
from masthead.store.moments import get_daily_date
from masthead.store.privacy import (
    data_subjects,
    erase as store,
    erasures,
    files as files_store,
    records,
)
from masthead.store.privacy.events import erase_events
from masthead.store.privacy.records import DataSubject
from masthead.store.read_model import subscription_json
from masthead.store.self_service.removal import end_access
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscribers.corrections import update_subscriber
from masthead.store.subscribers.dismissed_pairs import delete_pairs_of
from masthead.store.subscriptions import records as subscriptions
from masthead.store.webhooks.removal import erase_answers

WITHDRAWN = (
    "This file had the address of a subscriber who was erased, so its content was deleted. "
    "Request it again: the new file does not have that address."
)


async def count_kept(
    db: Connection, account_id: int, id: str, *, placeholder_domain: str
) -> KeptRecords:
    """What is kept of a subscriber. Queries: ten. Raises: NotFound."""
    subject, row = await get_data_subject(db, account_id, id, placeholder_domain=placeholder_domain)
    return await _count_kept(db, account_id, subject, row)


async def _count_kept(
    db: Connection, account_id: int, subject: DataSubject, row: Row
) -> KeptRecords:
    return KeptRecords(
        subscriber_id=subject.id,
        name=name_of(row),
        email="" if row["is_placeholder"] else row["email"],
        counts=await records.count_rows(db, account_id, subject),
        erased=await erasures.find_erasure(db, account_id, subject.id),
    )


async def preview_erasure(
    db: Connection, account_id: int, id: str, *, placeholder_domain: str
) -> ErasurePreview:
    """The effects of erasing a subscriber now. Queries: about 20. Raises: NotFound."""
    subject, row = await get_data_subject(db, account_id, id, placeholder_domain=placeholder_domain)
    kept = await _count_kept(db, account_id, subject, row)
    today = await get_daily_date(db, account_id)
    money = await sum_of_payer(db, account_id, subject.id, today=today)
    return ErasurePreview(
        **structs.asdict(kept),
        running=await records.list_running(db, account_id, subject),
        files=len(await files_store.list_run_files(db, account_id, subject)),
        owes=any(each.invoices for each in money),
        is_owed=any(each.credit for each in money),
    )


async def erase_subscriber(
    db: Database,
    account_id: int,
    id: str,
    *,
    is_cancelling: bool = False,
    placeholder_domain: str,
    by: Actor,
    earlier: EarlierSearch | None = None,
) -> Erasure:
    """Erase a subscriber, with the records that were merged into them, in one transaction.

    Amounts, dates and countries stay. A repeated erasure also erases what was added since the
    first one. is_cancelling: whether to end subscriptions that are not over.
    earlier: a search of the caller, in place of one before the lock. Afterwards call
    `finish_erasures`, or leave that to the background job.
    Raises: NotFound, Invalid (`unsent_copies`, `unbilled_orders`, `files_in_progress`).
    """
    if earlier is None:
        earlier = await search_before(db, account_id, id, placeholder_domain=placeholder_domain)

    async def work(tx: Transaction) -> Erasure:
        account = await accounts.lock_account(tx, account_id)
        return await erase_locked(
            tx,
            account,
            id,
            is_cancelling=is_cancelling,
            placeholder_domain=placeholder_domain,
            by=by,
            earlier=earlier,
        )

    return await db.write(work, account_id=account_id, is_long=True)


async def erase_locked(
    tx: Transaction,
    account: Account,
    id: str,
    *,
    is_cancelling: bool,
    placeholder_domain: str,
    by: Actor,
    earlier: EarlierSearch | None = None,
) -> Erasure:
    """Do the same in a transaction that has locked the account.

    earlier: a search before the lock; without it, everything is searched now.
    """
    subject, _row = await get_data_subject(
        tx, account.id, id, placeholder_domain=placeholder_domain
    )
    await end_running(tx, account, subject, is_cancelling=is_cancelling, by=by)
    await require_billed(tx, account.id, subject)
    files = await files_store.list_run_files(tx, account.id, subject)
    await require_idle(tx, account.id, {each.status for each in files})
    await store.begin_overwriting(tx)
    rows = await data_subjects.list_subscribers(tx, account.id, subject.id)
    people = await list_people(tx, account.id, subject)
    wanted = await get_wanted(tx, account.id, subject, rows, people)
    if earlier and earlier.wanted != wanted:
        earlier = None
    counts = await records.count_rows(tx, account.id, subject)
    digests = await _digests_of(tx, account.id, subject, people)
    mark = f"{MARK}{new_id(account.id)}"
    await store.mark_runs(tx, account.id, subject, mark=mark)
    await store.withdraw_files(tx, account.id, [each.id for each in files], error=WITHDRAWN)
    await _erase_records(tx, account.id, subject, by=by)
    for row in rows:
        await _erase_subscriber(tx, account.id, row, placeholder_domain)
    await _erase_merges(tx, account.id, subject, placeholder_domain)
    await erase_said(tx, account.id, wanted, earlier)
    await _erase_files(tx, account.id, wanted, earlier)
    await archives.delete_archives(tx, account.id)  # they have the data of all subscribers
    await idempotency.delete_bodies(tx, account.id)
    mentioned = await erase_mentions(tx, account.id, subject, wanted, earlier)
    await _update_derived(tx, account, subject, mentioned)
    erasure = await _remember(tx, account.id, subject, counts, digests, by=by)
    await store.end_overwriting(tx)
    return erasure


async def _erase_files(
    tx: Transaction, account_id: int, wanted: Wanted, earlier: EarlierSearch | None
) -> None:
    """Delete the uploaded files that name them, and those that cannot be searched."""
    if earlier:
        await delete_files(tx, account_id, earlier.files)
    searched = earlier.parts if earlier else None
    found = await find_files(tx, account_id, wanted.words, searched=searched)
    await delete_files(tx, account_id, found)


async def _digests_of(
    tx: Transaction, account_id: int, subject: DataSubject, people: Sequence[PersonDetails]
) -> set[str]:
    """The digests of all emails, and of all names with an address."""
    await erasures.insert_secret(tx, account_id, new_secret())
    secret = await erasures.find_secret(tx, account_id)
    assert secret is not None
    found = {email_digest(secret, each) for each in subject.emails}
    addresses = (address_digest(secret, each) for each in people)
    return found | {each for each in addresses if each is not None}


async def _erase_records(
    tx: Transaction, account_id: int, subject: DataSubject, *, by: Actor
) -> None:
    """Erase all records but those of the subscribers themselves."""
    await store.erase_audit(tx, account_id, subject)  # finds emails by their recipients
    await erase_events(tx, account_id, subject)
    await erase_answers(tx, account_id)
    await take_back_waiting(tx, account_id, subject.subscribers, by=by)
    await store.erase_letters(tx, account_id, subject)
    await store.erase_emails(tx, account_id, subject)
    await store.cancel_planned_addresses(tx, account_id, subject)
    await store.mark_notes_deleted(tx, account_id, subject, by=by)
    await delete_pairs_of(tx, account_id, subject.subscribers)
    await end_access(tx, account_id, subject.subscribers)
    await store.erase_givers(tx, account_id, subject)
    await store.replace_values(tx, account_id, subject)
    await erase_mandates(tx, account_id, subject.subscribers)
    await store.erase_reports(tx, account_id, subject)


async def _erase_subscriber(
    tx: Transaction, account_id: int, row: Row, placeholder_domain: str
) -> None:
    email = placeholder_address(row["id"], placeholder_domain)
    columns: dict[str, object] = {
        "first_name": ERASED_NAME,
        **dict.fromkeys(("last_name", "company", *FORMS_OF_ADDRESS, *ADDRESS_FIELDS)),
        "email": email,
        "email_key": email_key(email),
        "is_placeholder": True,
        "bounced_at": None,
        "bounce_reason": None,
        "language": None,
    }
    await update_subscriber(tx, account_id, row["id"], columns)


async def _erase_merges(
    tx: Transaction, account_id: int, subject: DataSubject, placeholder_domain: str
) -> None:
    """Replace the emails of the merged subscribers in the merges."""
    for row in await records.list_rows(tx, account_id, Record.MERGES, subject):
        moved = msgspec.json.decode(row["moved"], type=MovedRecords)
        email = placeholder_address(row["merged_id"], placeholder_domain)
        moved = structs.replace(moved, email=email)
        columns: Mapping[str, Any] = {"moved": msgspec.json.encode(moved).decode()}
        await store.update_row(tx, account_id, "subscriber_merge", {"id": row["id"]}, columns)


async def _update_derived(
    tx: Transaction, account: Account, subject: DataSubject, mentioned: set[str]
) -> None:
    """Update the search texts, the stored JSON and the totals.

    mentioned: subscriptions of others whose texts have changed, too.
    """
    others = await subscriptions.find_rows(tx, account.id, sorted({*subject.gifts, *mentioned}))
    ids = sorted({*subject.subscribers, *(row.subscriber_id for row in others.values())})
    await rewrite_search(tx, account.id, ids)
    await subscriber_store.update_stats(tx, account.id, ids, currency=account.currency)
    touched = sorted({*subject.subscriptions, *others})
    await store.delete_documents(tx, account.id, touched)
    await subscription_json.mark_outdated(tx, account.id, touched)


async def _remember(
    tx: Transaction,
    account_id: int,
    subject: DataSubject,
    counts: Mapping[Record, int],
    digests: set[str],
    *,
    by: Actor,
) -> Erasure:
    """Store the erasure, or add to the one before; record it in the audit trail."""
    erasure = await erasures.find_erasure(tx, account_id, subject.id)
    if erasure is None:
        erasure = await erasures.insert_erasure(tx, account_id, subject.id, counts, digests, by=by)
    else:
        await erasures.insert_digests(tx, account_id, erasure.id, digests)
        await erasures.update_uncleaned(tx, account_id, erasure.id)
    entry = NewEntry(EntryType.SUBSCRIBER_ERASE, subject.id, None, {"erasure": erasure.id})
    await trail.record(tx, account_id, by, [entry])
    return erasure
