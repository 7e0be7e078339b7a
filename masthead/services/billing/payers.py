"""Payers: subscribers as an invoice names them."""

from collections.abc import Collection

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.documents import Payer
from masthead.model.billing.tax_ids import check_vat_id
from masthead.model.dispatch.address_layout import address_lines, build_layout, tidy
from masthead.model.errors import Invalid, NotFound, excerpt
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import gettext as _
from masthead.model.types.email_addresses import email_key
from masthead.model.types.full_names import full_name
from masthead.model.types.postal_fields import PayerAddress
from masthead.services.privacy.guard import require_not_erased
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import payers as store
from masthead.store.billing.payers import StoredPayer
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.subscribers.corrections import get_kept_id, get_subscriber
from masthead.store.subscribers.records import find_by_email


async def make_payer(
    tx: Transaction, account_id: int, id: str, *, number: int | None = None
) -> StoredPayer:
    """A subscriber as a payer; for a merged one, that into which they were merged.

    number: the customer number of one who has none yet; None for the next. Raises: NotFound,
    Erased.
    """
    kept = await get_kept_id(tx, account_id, id)
    await require_not_erased(tx, account_id, [kept])
    return await store.make_payer(tx, account_id, kept, number=number)


async def find_default_payers(
    db: Connection, account_id: int, rows: Collection[StoredSubscription]
) -> dict[str, str | None]:
    """The payers of subscriptions for which none is named, by subscription id.

    The giver of a gift, otherwise the subscriber. Imports name givers who have no id: the giver is
    the subscriber with the same email address, or None if there is none. Queries: one at most.
    """
    keys = {
        row.id: email_key(row.gifter_email)
        for row in rows
        if row.is_gift and row.gifter_id is None and row.gifter_email
    }
    givers = await find_by_email(db, account_id, set(keys.values())) if keys else {}
    found = dict[str, str | None]()
    for row in rows:
        giver = row.gifter_id or givers.get(keys.get(row.id, ""))
        found[row.id] = giver if row.is_gift or giver else row.subscriber_id
    return found


async def find_default_payer(db: Connection, account_id: int, row: StoredSubscription) -> str:
    """The payer of a subscription for which none is named: the subscriber if the giver is unknown.

    Queries: one at most.
    """
    payers = await find_default_payers(db, account_id, [row])
    return payers[row.id] or row.subscriber_id


async def check_payer(
    db: Connection, account_id: int, id: str | None, *, field: str = "payer_id"
) -> None:
    """Raises: Erased; Invalid `unknown_subscriber` if a payer is named who is no subscriber."""
    if id is None:
        return
    try:
        kept = await get_kept_id(db, account_id, id)
    except NotFound:
        raise Invalid(
            _("`{field}` is `{id}`, which is not a subscriber of this account.").format(
                field=field, id=excerpt(id)
            ),
            code="unknown_subscriber",
            field=field,
            value=id,
        ) from None
    await require_not_erased(db, account_id, [kept])


async def write_payer(db: Connection, account_id: int, payer: StoredPayer, home: str) -> Payer:
    """The payer as an invoice names them. home: country of the publisher. Queries: one or two.

    Raises: Invalid `no_address`.
    """
    subscriber = await get_subscriber(db, account_id, payer.subscriber_id)
    address = subscriber.own_address
    if address is None:
        address = await store.find_subscription_address(db, account_id, payer.subscriber_id)
    name = full_name(
        subscriber.first_name,
        subscriber.last_name,
        subscriber.company,
        subscriber.shown_email or "",
    )
    if address is None:
        raise Invalid(
            _(
                "{name} has no postal address, and an invoice must have one. Add it on the page of "
                "the subscriber, under “Correct name or email”."
            ).format(name=name),
            code="no_address",
        )
    address = PayerAddress.to(address, payer.department)
    lines = address_lines(address, build_layout([address.country], home))
    return Payer(
        subscriber_id=payer.subscriber_id,
        number=payer.number,
        name=name,
        department=tidy(payer.department),
        address="\n".join(lines),
        street=tidy(address.address1 or address.address2),
        street2=tidy(address.address2) if address.address1 else "",
        postcode=tidy(address.postcode),
        city=tidy(address.city),
        state=tidy(address.state),
        country=address.country,
        vat_id=payer.vat_id,
        email=subscriber.shown_email or "",
    )


@with_locked_account
async def update_payer(
    tx: Transaction,
    account: Account,
    id: str,
    *,
    vat_id: str,
    bills_together: bool,
    department: str | None = None,
    by: Actor,
) -> None:
    """Set the VAT id of a subscriber, and whether their orders wait for one invoice.

    department: None for no change. Raises: NotFound, Erased, Invalid.
    """
    payer = await make_payer(tx, account.id, id)
    await change_payer(
        tx,
        account.id,
        payer,
        vat_id=vat_id,
        bills_together=bills_together,
        department=department,
        by=by,
    )


async def change_payer(
    tx: Transaction,
    account_id: int,
    payer: StoredPayer,
    *,
    vat_id: str,
    bills_together: bool,
    department: str | None = None,
    import_number: int | None = None,
    by: Actor,
) -> StoredPayer:
    """Do what `update_payer` does, in a transaction that has locked the account; returns the payer.

    import_number: of the import that says so, for the audit trail.
    """
    before = {
        "vat_id": payer.vat_id,
        "bills_together": payer.bills_together,
        "department": payer.department,
    }
    after: dict[str, object] = {
        "vat_id": check_vat_id("vat_id", vat_id) if vat_id else "",
        "bills_together": bills_together,
        "department": payer.department if department is None else department,
    }
    changed = structs.replace(payer, **after)
    if before == after:
        return payer
    await store.update_payer(
        tx,
        account_id,
        payer.subscriber_id,
        vat_id=str(after["vat_id"]),
        bills_together=bills_together,
        department=changed.department,
    )
    if import_number is not None:
        after["import_number"] = import_number
    entry = NewEntry(EntryType.SUBSCRIBER_UPDATE_PAYER, payer.subscriber_id, before, after)
    await trail.record(tx, account_id, by, [entry])
    return changed
