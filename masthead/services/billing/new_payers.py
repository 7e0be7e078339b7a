"""Payers who are no subscribers yet: a company, or an agency, that pays for others."""

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.payer_entry import PayerEntry
from masthead.model.billing.terms import BillingTerms
from masthead.model.clock import now
from masthead.model.ids import new_ids
from masthead.model.orders.known_subscribers import LikelyPayers, choose_known
from masthead.model.orders.new_subscribers import new_subscriber
from masthead.model.search import searchable_rows
from masthead.model.subscribers.corrections import placeholder_address
from masthead.model.translations import gettext as _
from masthead.model.types.email_addresses import email_key
from masthead.services.billing.payers import change_payer, make_payer
from masthead.services.orders.subscribers import find_namesakes
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.search.text_index import get_newest, insert_texts
from masthead.store.subscribers.records import insert_subscribers

_NO_ORDERS = {"subscription_count": 0, "has_active_subscription": False, "ltv": 0}


async def with_payer(
    tx: Transaction,
    account: Account,
    terms: BillingTerms,
    new_payer: PayerEntry | None,
    *,
    vat_id: str,
    placeholder_domain: str,
    by: Actor,
) -> BillingTerms:
    """The terms with a payer who is new, and with the VAT id. Raises: LikelyPayers, Invalid."""
    payer_id = terms.payer_id
    if new_payer is not None:
        payer_id = await _find_or_insert(
            tx, account, new_payer, placeholder_domain=placeholder_domain, by=by
        )
    return structs.replace(terms, payer_id=payer_id, vat_id=vat_id)


async def _find_or_insert(
    tx: Transaction, account: Account, entry: PayerEntry, *, placeholder_domain: str, by: Actor
) -> str:
    """The id of the subscriber whom an entry names, who is added if there is none.

    Queries: about ten; the account is locked. Raises: as `find_payer`; Invalid.
    """
    known = await find_payer(tx, account.id, entry)
    return known or await insert_payer(tx, account, entry, placeholder_domain, by)


async def find_payer(db: Connection, account_id: int, entry: PayerEntry) -> str | None:
    """The id of the subscriber with the email and the name of an entry; None for a new one.

    Queries: five at most. Raises: LikelyPayers unless the user has said that none of them is meant.
    """
    person = entry.as_person
    owner = choose_known(
        await find_namesakes(db, account_id, person),
        person,
        entry.new_payer,
        question=_(
            "The payer may be a subscriber that you already have. Use that subscriber, or tick "
            "that it is a new one."
        ),
        refuse=LikelyPayers,
    )
    return owner.id if owner else None


async def insert_payer(
    tx: Transaction,
    account: Account,
    entry: PayerEntry,
    domain: str,
    by: Actor,
    *,
    import_number: int | None = None,
) -> str:
    """Add a payer; returns their id. domain: of placeholder addresses. Queries: about six."""
    newest, number = await get_newest(tx, account.id)
    [id] = new_ids(account.id, 1, after=newest)
    giver, placeholder = entry.as_giver, placeholder_address(id, domain)
    row = {
        **new_subscriber(
            giver,
            id=id,
            n=number + 1,
            placeholder=placeholder,
            email_key=giver.email_key or email_key(placeholder),
            moment=now(),
        ),
        **_NO_ORDERS,
        "language": entry.payer_language,
    }
    await insert_subscribers(tx, account.id, [row], moment=account.changed_at)
    await insert_texts(tx, account.id, list(searchable_rows(row, [])))
    known = entry.columns() | {"language": entry.payer_language}
    after = {name: value for name, value in known.items() if value}
    if import_number is not None:
        after["import_number"] = import_number
    await trail.record(tx, account.id, by, [NewEntry(EntryType.SUBSCRIBER_CREATE, id, None, after)])
    return id


@with_locked_account
async def write_chosen_payer(
    tx: Transaction,
    account: Account,
    payer_id: str,
    *,
    new_payer: PayerEntry | None,
    vat_id: str,
    department: str = "",
    placeholder_domain: str,
    by: Actor,
) -> str:
    """The id of the payer whom a user chose or typed, with their VAT id and their department.

    vat_id, department: empty to keep it. Raises: NotFound, Erased, LikelyPayers, Invalid.
    """
    terms = await with_payer(
        tx,
        account,
        BillingTerms(payer_id=payer_id),
        new_payer,
        vat_id=vat_id,
        placeholder_domain=placeholder_domain,
        by=by,
    )
    payer = await make_payer(tx, account.id, terms.payer_id or "")
    if vat_id or department:
        await change_payer(
            tx,
            account.id,
            payer,
            vat_id=vat_id or payer.vat_id,
            bills_together=payer.bills_together,
            department=department or None,
            by=by,
        )
    return payer.subscriber_id
