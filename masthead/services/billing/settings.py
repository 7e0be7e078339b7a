"""Change the settings of an account for its invoices, and its rates of VAT."""

from collections.abc import Mapping
from datetime import date, timedelta

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.ledger_accounts import check_numbers
from masthead.model.billing.settings import (
    BillingInput,
    BillingSettings,
    check_rate,
    check_settings,
)
from masthead.model.billing.terms import require_settings
from masthead.model.billing.vat import VAT_COLUMNS, VatRate, VatSetting
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.fields import date_from_1900
from masthead.services.transactions import with_locked_account
from masthead.store import products
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import invoices, ledger_accounts, settings as store
from masthead.store.engine.interface import Transaction

RATE_IN_USE = "rate_in_use"  # a code that only pages show
_HIDDEN = {"iban", "vat_settings"}  # not in the audit trail
_KEPT = ("letterhead", "vat_settings", *VAT_COLUMNS)  # their changes have rows of their own


@with_locked_account
async def save_settings(
    tx: Transaction, account: Account, asked: BillingInput, *, by: Actor
) -> None:
    """Store the settings. Invoices that were issued stay as they are. Raises: Invalid.

    If they change what decides about VAT, that holds from today on: see `save_vat_setting`.
    """
    settings = check_settings(asked)
    known = await store.find_settings(tx, account.id)
    if known:
        held = known.vat_on(account.daily_date)
        given = {name: getattr(asked, name) for name in VAT_COLUMNS}
        setting = structs.replace(held, **{k: v for k, v in given.items() if v is not None})
        if setting != held:
            today = structs.replace(setting, first_day=account.daily_date)
            await _change_vat(tx, account, known, today, by=by)
        kept = {name: getattr(known, name) for name in _KEPT}
        settings = structs.replace(settings, **kept)
    old = structs.asdict(known) if known else {}
    new = structs.asdict(settings)
    changed = [name for name in new if new[name] != old.get(name)]
    if not changed:
        return
    await store.save_settings(tx, account.id, settings)
    shown = [name for name in changed if name not in _HIDDEN]
    entry = NewEntry(
        EntryType.ACCOUNT_UPDATE_BILLING,
        account.id,
        {name: old.get(name) for name in shown},
        {name: new[name] for name in shown},
    )
    await trail.record(tx, account.id, by, [entry])


@with_locked_account
async def save_vat_setting(
    tx: Transaction, account: Account, setting: VatSetting, *, by: Actor
) -> None:
    """Change what decides about VAT from a day on; days before keep theirs. Raises: Invalid."""
    date_from_1900("first_day", setting.first_day)
    known = require_settings(await store.find_settings(tx, account.id))
    await _change_vat(tx, account, known, setting, by=by)


@with_locked_account
async def delete_vat_setting(
    tx: Transaction, account: Account, first_day: date, *, by: Actor
) -> None:
    """Let what held before a day go on. Raises: Invalid if there are invoices since the day."""
    known = require_settings(await store.find_settings(tx, account.id))
    found = known.vat_on(first_day)
    if found.first_day != first_day:
        return
    await _require_no_invoices(tx, account, first_day)
    await store.delete_vat_setting(tx, account.id, first_day)
    before = structs.replace(known.vat_on(first_day - timedelta(days=1)), first_day=first_day)
    await _record_vat(tx, account, found, before, by=by)


async def _change_vat(
    tx: Transaction, account: Account, known: BillingSettings, setting: VatSetting, *, by: Actor
) -> None:
    """Store what decides about VAT from a day on, and write it into the audit trail."""
    await store.save_vat_setting(tx, account.id, setting)
    await _record_vat(tx, account, known.vat_on(setting.first_day), setting, by=by)


async def _record_vat(
    tx: Transaction, account: Account, old: VatSetting, new: VatSetting, *, by: Actor
) -> None:
    """Write into the audit trail what decides about VAT from a day on."""
    before = structs.asdict(old)
    del before["first_day"]
    entry = NewEntry(EntryType.ACCOUNT_UPDATE_VAT, account.id, before, structs.asdict(new))
    await trail.record(tx, account.id, by, [entry])


async def _require_no_invoices(tx: Transaction, account: Account, first_day: date) -> None:
    """Raises: Invalid if an invoice may have what holds from a day on."""
    if await invoices.has_since(tx, account.id, first_day):
        raise Invalid(
            _(
                "Invoices were issued since {day}, so this stays in the list. Save what holds from "
                "today or a later day on instead."
            ).format(day=first_day),
            code=RATE_IN_USE,
            value=first_day,
        )


@with_locked_account
async def save_rate(tx: Transaction, account: Account, rate: VatRate, *, by: Actor) -> None:
    """Add a rate, or replace the one for the same sales from the same day. Raises: Invalid."""
    listed = await products.list_products(tx, account.id)
    date_from_1900("first_day", rate.first_day)
    check_rate(rate, products={each.id: each.name for each in listed})
    known = await store.list_rates(tx, account.id)
    old = next((each.rate for each in known if _same(each, rate)), None)
    await store.save_rate(tx, account.id, rate)
    entry = NewEntry(EntryType.ACCOUNT_UPDATE_VAT, account.id, {"rate": old}, structs.asdict(rate))
    await trail.record(tx, account.id, by, [entry])


@with_locked_account
async def delete_rate(tx: Transaction, account: Account, rate: VatRate, *, by: Actor) -> None:
    """Delete a rate that no invoice can have. Raises: Invalid."""
    await _require_no_invoices(tx, account, rate.first_day)
    if await store.delete_rate(tx, account.id, rate):
        entry = NewEntry(
            EntryType.ACCOUNT_UPDATE_VAT, account.id, structs.asdict(rate), {"rate": None}
        )
        await trail.record(tx, account.id, by, [entry])


def _same(one: VatRate, other: VatRate) -> bool:
    """Whether two rates are for the same sales from the same day."""
    return structs.replace(one, rate=0) == structs.replace(other, rate=0)


@with_locked_account
async def save_numbers(
    tx: Transaction, account: Account, numbers: Mapping[str, str], *, by: Actor
) -> None:
    """Store the numbers of the accounts of the journal, in place of all others. Raises: Invalid."""
    checked = check_numbers(numbers)
    before = await ledger_accounts.list_numbers(tx, account.id)
    names = [name for name in sorted({*before, *checked}) if before.get(name) != checked.get(name)]
    if not names:
        return
    await ledger_accounts.replace_numbers(tx, account.id, checked)
    entry = NewEntry(
        EntryType.ACCOUNT_UPDATE_BILLING,
        account.id,
        {name: before.get(name) for name in names},
        {name: checked.get(name) for name in names},
    )
    await trail.record(tx, account.id, by, [entry])
