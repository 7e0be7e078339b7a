"""Change the settings of an account for direct debits."""

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.debits.settings import DebitSettings, check_creditor_id, check_notice_days
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import settings as billing_store
from masthead.store.debits import settings as store
from masthead.store.engine.interface import Transaction


@with_locked_account
async def save_settings(
    tx: Transaction,
    account: Account,
    *,
    creditor_id: str,
    notice_days: int,
    marks_first: bool | None = None,
    charges_bank_fee: bool | None = None,
    by: Actor,
) -> None:
    """Store the settings. Collections and invoices stay as they are. Raises: Invalid.

    marks_first, charges_bank_fee: None to keep them.
    """
    asked = DebitSettings(
        creditor_id=check_creditor_id("creditor_id", creditor_id),
        notice_days=check_notice_days(notice_days),
    )
    billing = await billing_store.find_settings(tx, account.id)
    if billing is None or not billing.iban:
        raise Invalid(
            _(
                "Type the IBAN of your bank account in the settings of invoices first: what is "
                "collected goes there."
            ),
            field="creditor_id",
        )
    known = await store.find_settings(tx, account.id)
    kept = known or asked
    settings = structs.replace(
        asked,
        marks_first=kept.marks_first if marks_first is None else marks_first,
        charges_bank_fee=kept.charges_bank_fee if charges_bank_fee is None else charges_bank_fee,
    )
    if known == settings:
        return
    await store.save_settings(tx, account.id, settings)
    before = structs.asdict(known) if known else dict.fromkeys(structs.asdict(settings))
    entry = NewEntry(EntryType.ACCOUNT_UPDATE_DEBITS, account.id, before, structs.asdict(settings))
    await trail.record(tx, account.id, by, [entry])
