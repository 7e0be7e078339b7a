"""Change the settings of an account for its invoices, and its rates of VAT."""

from collections.abc import Mapping

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_events import AuditEvent, EventType
from masthead.model.billing.charts import check_numbers
from masthead.model.billing.settings import BillingInput, check_rate, check_settings
from masthead.model.billing.vat import VatRate
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.transactions import with_locked_account
from masthead.store import products
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import invoices, ledger_accounts, settings as store
from masthead.store.engine.interface import Transaction

RATE_IN_USE = "rate_in_use"  # a code that only pages show
_HIDDEN = {"iban"}  # not in the audit trail


@with_locked_account
async def save_settings(
    tx: Transaction, account: Account, asked: BillingInput, *, by: Actor
) -> None:
    """Store the settings. Invoices that were issued stay as they are. Raises: Invalid."""
    checked = check_settings(asked)
    known = await store.find_settings(tx, account.id)
    settings = structs.replace(checked, letterhead=known.letterhead if known else 0)
    old = structs.asdict(known) if known else {}
    new = structs.asdict(settings)
    changed = [name for name in new if new[name] != old.get(name)]
    if not changed:
        return
    await store.save_settings(tx, account.id, settings)
    shown = [name for name in changed if name not in _HIDDEN]
    event = AuditEvent(
        EventType.ACCOUNT_UPDATE_BILLING,
        account.id,
        {name: old.get(name) for name in shown},
        {name: new[name] for name in shown},
    )
    await trail.record(tx, account.id, by, [event])


@with_locked_account
async def save_rate(tx: Transaction, account: Account, rate: VatRate, *, by: Actor) -> None:
    """Add a rate, or replace the one for the same sales from the same day. Raises: Invalid."""
    listed = await products.list_products(tx, account.id)
    check_rate(rate, products={each.id: each.name for each in listed})
    known = await store.list_rates(tx, account.id)
    old = next((each.rate for each in known if _same(each, rate)), None)
    await store.save_rate(tx, account.id, rate)
    event = AuditEvent(
        EventType.ACCOUNT_UPDATE_VAT, account.id, {"rate": old}, structs.asdict(rate)
    )
    await trail.record(tx, account.id, by, [event])


@with_locked_account
async def delete_rate(tx: Transaction, account: Account, rate: VatRate, *, by: Actor) -> None:
    """Delete a rate that no invoice can have. Raises: Invalid."""
    if await invoices.has_since(tx, account.id, rate.first_day):
        raise Invalid(
            _(
                "Invoices were issued since {day}, so this rate stays in the list. Save "
                "another rate from today or a later day on instead."
            ).format(day=rate.first_day),
            code=RATE_IN_USE,
            value=rate.first_day,
        )
    if await store.delete_rate(tx, account.id, rate):
        event = AuditEvent(
            EventType.ACCOUNT_UPDATE_VAT, account.id, structs.asdict(rate), {"rate": None}
        )
        await trail.record(tx, account.id, by, [event])


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
    event = AuditEvent(
        EventType.ACCOUNT_UPDATE_BILLING,
        account.id,
        {name: before.get(name) for name in names},
        {name: checked.get(name) for name in names},
    )
    await trail.record(tx, account.id, by, [event])
