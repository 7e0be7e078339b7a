"""Make collections: direct debits that go to the bank as one file."""

from collections.abc import Collection as Some, Sequence
from datetime import date

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.terms import require_settings
from masthead.model.clock import account_now
from masthead.model.debits.bank_days import check_day, next_bank_day
from masthead.model.debits.bank_text import can_be_written
from masthead.model.debits.rules import (
    CURRENCY,
    MAX_DEBITS,
    Collection,
    DebitStatus,
    DueDebit,
    sequence_types,
)
from masthead.model.debits.settings import require_debits
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.ids import new_id
from masthead.model.translations import format_day, format_number, gettext as _
from masthead.model.types.money import money_text
from masthead.services.billing.own_credit import use_own_credit
from masthead.services.debits.mark import record
from masthead.services.debits.pain008 import Creditor, write_pain008
from masthead.services.transactions import in_long_transaction, with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import settings as billing_store
from masthead.store.billing.numbers import take_number
from masthead.store.debits import (
    collections as store,
    mandates as mandate_store,
    records as debit_store,
    settings as settings_store,
)
from masthead.store.engine.interface import Transaction

_SERIES = "direct debits"  # no series of invoices has a blank


@in_long_transaction
async def create_collections(
    tx: Transaction,
    account_id: int,
    *,
    day: date | None = None,
    debit_ids: Some[str] | None = None,
    by: Actor,
) -> list[Collection]:
    """Make collections of what is due on a day: one by SEPA Core, and one between companies (B2B).

    day: by default the next bank day. debit_ids: only these; None for all that can be collected.
    Each debit is in one collection: if somebody else was faster, it is left out of this one, and
    named debits are refused. Raises: Invalid.
    """
    account, on, debits = await _find(tx, account_id, day, debit_ids)
    kinds = [[each for each in debits if each.mandate.is_b2b is kind] for kind in (False, True)]
    return [await _collect(tx, account, on, each, by=by) for each in kinds if each]


@in_long_transaction
async def create_collection(
    tx: Transaction,
    account_id: int,
    *,
    day: date | None = None,
    is_b2b: bool = False,
    by: Actor,
) -> Collection:
    """Make one of these collections: of what is due by SEPA Core, or else between companies.

    Raises: Invalid.
    """
    account, on, found = await _find(tx, account_id, day, None)
    debits = [each for each in found if each.mandate.is_b2b is is_b2b]
    if not debits:
        raise _nothing_due(on)
    return await _collect(tx, account, on, debits, by=by)


async def _find(
    tx: Transaction, account_id: int, day: date | None, debit_ids: Some[str] | None
) -> tuple[Account, date, list[DueDebit]]:
    """The account, which is locked, the day, and what can be collected on it. Raises: Invalid."""
    account = await accounts.lock_account(tx, account_id)
    on = day or next_bank_day(account.daily_date)
    check_day(on, account.daily_date)
    return account, on, await _choose(tx, account, on, debit_ids)


async def _collect(
    tx: Transaction, account: Account, on: date, debits: Sequence[DueDebit], *, by: Actor
) -> Collection:
    """Make a collection of debits that are all of one kind. The account is locked."""
    account_id = account.id
    settings = require_settings(await billing_store.find_settings(tx, account_id))
    own = require_debits(await settings_store.find_settings(tx, account_id))
    if not can_be_written(settings.seller.name):
        raise Invalid(
            _(
                "A bank cannot read the name of your company, `{name}`. Type it in Latin letters "
                "in the settings of invoices."
            ).format(name=settings.seller.name)
        )
    used = None
    if own.marks_first:
        ids = {each.mandate.id for each in debits}
        used = await debit_store.list_used_mandates(tx, account_id, ids)
    types = sequence_types(debits, used=used)
    creditor = Creditor(settings.seller, own.creditor_id)
    collection = Collection(
        id=new_id(account_id),
        number=await take_number(tx, account_id, _SERIES),
        collect_date=on,
        currency=CURRENCY,
        debits=len(debits),
        total=sum(each.open_amount for each in debits),
        created_at=account_now(),
        sent_at=None,
        cancelled_at=None,
        is_b2b=debits[0].mandate.is_b2b,
    )
    content = write_pain008(collection, debits, types, creditor)
    await store.insert_collection(tx, account_id, collection, content, by=by)
    rows = [(each.id, types[each.id].value, each.open_amount) for each in debits]
    await debit_store.update_collected(tx, account_id, collection.id, rows)
    await mandate_store.update_used(tx, account_id, {each.mandate.id for each in debits}, on)
    await _log(tx, account, EntryType.COLLECTION_CREATE, collection, by=by)
    await record(
        tx,
        account,
        EntryType.INVOICE_DEBIT_COLLECT,
        [each.invoice_id for each in debits],
        {"collection": collection.number, "day": str(on)},
        by=by,
    )
    return collection


def _nothing_due(day: date) -> Invalid:
    return Invalid(
        _("Nothing is due to be collected up to {day}.").format(day=format_day(day)),
        code="nothing_due",
    )


async def _choose(
    tx: Transaction, account: Account, day: date, debit_ids: Some[str] | None
) -> list[DueDebit]:
    """The debits of a collection. Raises: Invalid if there are none, or one cannot be collected."""
    if debit_ids is not None and not debit_ids:
        raise Invalid(_("Nothing is chosen. Tick what is to be collected."), code="nothing_due")
    found = await debit_store.list_waiting(
        tx,
        account.id,
        last_day=None if debit_ids else day,
        ids=debit_ids or (),
        limit=MAX_DEBITS + 1,
    )
    if debit_ids is not None:
        _require_all(found, set(debit_ids), day)
    else:
        found = [each for each in found if not each.problem_on(day)]
    if not found:
        raise _nothing_due(day)
    if len(found) > MAX_DEBITS:
        raise Invalid(
            _("A collection has at most {most} direct debits. Choose fewer of them.").format(
                most=format_number(MAX_DEBITS)
            ),
            code="too_many",
        )
    return found


def _require_all(found: Sequence[DueDebit], asked: set[str], day: date) -> None:
    """Raises: Invalid unless all that were chosen can be collected on a day."""
    if asked - {each.id for each in found}:
        raise Invalid(
            _(
                "Some of these are in another collection in the meantime, or were paid otherwise. "
                "Nothing was collected. Check the list, and try again."
            ),
            code=CHANGED_MEANWHILE,
        )
    for each in found:
        if problem := each.problem_on(day):
            raise Invalid(f"{each.number}: {problem}", code="cannot_collect", value=each.number)
        if each.collect_date > day:
            raise Invalid(
                _(
                    "{number} cannot be collected before {day}: that is the day which its payer "
                    "was told."
                ).format(number=each.number, day=format_day(each.collect_date)),
                code="too_early",
                field="day",
                value=day,
            )


@in_long_transaction
async def cancel_collection(tx: Transaction, account_id: int, id: str, *, by: Actor) -> None:
    """Cancel a collection whose file did not go to the bank: its debits wait again.

    Raises: NotFound, Invalid.
    """
    account = await accounts.lock_account(tx, account_id)
    collection = await store.get_collection(tx, account_id, id)
    _require_open(collection)
    debits = await debit_store.list_of_collection(tx, account_id, id)
    if any(each.status is not DebitStatus.COLLECTED for each in debits):
        raise Invalid(
            _("Some of these direct debits are booked, so the bank has the file."),
            code=CHANGED_MEANWHILE,
        )
    await store.update_cancelled(tx, account_id, id)
    await debit_store.update_cancelled(tx, account_id, [each.id for each in debits])
    rows = [(each.invoice_id, each.mandate_id, each.collect_date) for each in debits]
    await debit_store.insert_debits(tx, account_id, rows, by=by)
    ids = [each.invoice_id for each in debits]
    await use_own_credit(tx, account, ids, day=account.daily_date, by=by)
    await _log(tx, account, EntryType.COLLECTION_CANCEL, collection, by=by)


@with_locked_account
async def mark_sent(tx: Transaction, account: Account, id: str, *, by: Actor) -> None:
    """Say that the file went to the bank: the collection cannot be cancelled any more.

    Raises: NotFound, Invalid.
    """
    collection = await store.get_collection(tx, account.id, id)
    _require_open(collection)
    await store.update_sent(tx, account.id, id)
    await _log(tx, account, EntryType.COLLECTION_SEND, collection, by=by)


def _require_open(collection: Collection) -> None:
    """Raises: Invalid if a collection is cancelled, or went to the bank."""
    if collection.cancelled_at is not None:
        raise Invalid(
            _("This collection is cancelled already. Nothing was changed."), code=CHANGED_MEANWHILE
        )
    if collection.sent_at is not None:
        raise Invalid(
            _("This collection went to the bank already. Nothing was changed."),
            code=CHANGED_MEANWHILE,
        )


@with_locked_account
async def download_file(
    tx: Transaction, account: Account, id: str, *, by: Actor
) -> tuple[Collection, bytes]:
    """A collection with its file, byte for byte as it was made. Raises: NotFound."""
    collection = await store.get_collection(tx, account.id, id)
    await _log(tx, account, EntryType.COLLECTION_DOWNLOAD, collection, by=by)
    return collection, await store.get_file(tx, account.id, id)


async def _log(
    tx: Transaction, account: Account, type: EntryType, collection: Collection, *, by: Actor
) -> None:
    after = {
        "number": collection.number,
        "day": str(collection.collect_date),
        "total": money_text(collection.total, collection.currency),
        "currency": collection.currency,
        "debits": collection.debits,
    }
    await trail.record(tx, account.id, by, [NewEntry(type, collection.id, None, after)])
