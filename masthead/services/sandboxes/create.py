"""Create and reset sandboxes, with made-up data or with the settings of another account."""

from datetime import date

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import use_sandbox_day
from masthead.model.errors import Invalid
from masthead.model.ids import same_ids
from masthead.model.sandboxes import (
    FIRST_DAY,
    MAX_SANDBOXES,
    MAX_SANDBOXES_OF_OWNER,
    NotSandbox,
    SandboxData,
)
from masthead.model.translations import format_number, gettext as _
from masthead.model.types.email_addresses import email_address
from masthead.model.types.fields import required_text
from masthead.model.types.money import currency_code
from masthead.services.accounts import add_owner, require_free, require_subdomain
from masthead.services.sandboxes.demo_data import Offered, insert_demo_data, insert_offered
from masthead.services.transactions import in_long_transaction
from masthead.store import accounts, products
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Database, Transaction
from masthead.store.identity import people
from masthead.store.sandboxes import clocks, copying, reset

_RECORDS = 1_000  # the number of the first id of the records, after those of the settings


async def create_sandbox(
    db: Database,
    *,
    name: str,
    subdomain: str,
    currency: str,
    owner: str,
    copied: Account | None,
    first_day: date = FIRST_DAY,
    placeholder_domain: str,
    by: Actor,
) -> Account:
    """Create a sandbox with its owner, and the made-up publication.

    copied: an account whose settings it gets instead: products, prices, sources, letters, VAT and
    export profiles, and its currency. Raises: Invalid, also if there are too many sandboxes.
    """
    name, owner = required_text("name", name.strip()), email_address("owner", owner.strip())
    currency = copied.currency if copied else currency_code("currency", currency.strip())
    require_subdomain(subdomain)
    person = await people.find_person(db, owner)
    await _require_room(db, person.id if person else "")
    data = SandboxData.SETTINGS if copied else SandboxData.DEMO

    async def work(tx: Transaction) -> Account:
        await require_free(tx, subdomain)
        account = await accounts.insert_account(
            tx,
            name=name,
            subdomain=subdomain,
            currency=currency,
            today=first_day,
            time_zone=copied.time_zone if copied else "UTC",
            country=copied.country if copied else "DE",
            is_sandbox=True,
        )
        use_sandbox_day(first_day, account.zone)
        with same_ids():
            if copied:
                await copying.copy_settings(tx, account.id, copied_id=copied.id)
            else:
                await products.insert_imported_product(tx, account.id)
            offered = await insert_offered(tx, account)
        await clocks.insert_sandbox(
            tx, account.id, data=data, first_date=first_day, source_id=offered.shop
        )
        await add_owner(tx, account, owner, by=by)
        return account

    account = await db.write(work)
    await reset_sandbox(db, account.id, placeholder_domain=placeholder_domain, by=by)
    return await accounts.get_account(db, account.id)


async def _require_room(db: Database, owner_id: str) -> None:
    """Raises: Invalid if the server, or the owner, has as many sandboxes as allowed."""
    count, own = await clocks.count_sandboxes(db, [owner_id])
    if own >= MAX_SANDBOXES_OF_OWNER:
        raise Invalid(
            _("You have {count} sandboxes, and no more are possible. Delete one first.").format(
                count=format_number(own)
            )
        )
    if count >= MAX_SANDBOXES:
        raise Invalid(
            _("This server has {count} sandboxes, and no more are possible. Delete one.").format(
                count=format_number(count)
            )
        )


@in_long_transaction
async def reset_sandbox(
    tx: Transaction, account_id: int, *, placeholder_domain: str, by: Actor
) -> date:
    """Delete all records of a sandbox, and begin again; returns its first day.

    Made-up data is the same as before, with the same ids. The settings, users, keys and webhooks
    stay, and so does the audit log. Raises: NotSandbox.
    """
    found = await clocks.find_sandbox(tx, account_id)
    if found is None:
        raise NotSandbox
    before = await accounts.lock_account(tx, account_id)
    await reset.delete_records(tx, account_id)
    await reset.begin_again(tx, account_id, found.first_date)
    account = await accounts.lock_account(tx, account_id)
    if found.data is SandboxData.DEMO:
        offered = await _find_offered(tx, account_id, found.source_id)
        with same_ids(_RECORDS):
            await insert_demo_data(
                tx, account, offered, placeholder_domain=placeholder_domain, by=by
            )
    days = {"daily_date": before.daily_date}, {"daily_date": found.first_date}
    entry = NewEntry(EntryType.ACCOUNT_RESET, account_id, *days)
    await trail.record(tx, account_id, by, [entry])
    return found.first_date


async def _find_offered(tx: Transaction, account_id: int, source_id: str | None) -> Offered:
    """The source and the products that the sandbox was created with: the first ones."""
    _imported, year, quarter, *_others = sorted(
        each.id for each in await products.list_products(tx, account_id)
    )
    assert source_id is not None
    return Offered(source_id, year, quarter)
