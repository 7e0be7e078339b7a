"""Mandates that an import adds to who pays for its orders. decision 0084."""

from collections.abc import Mapping

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.debits.imported import in_columns
from masthead.model.debits.mandates import NewMandate
from masthead.model.debits.settings import require_debits
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.full_names import full_name
from masthead.services.billing.payers import find_default_payers, make_payer
from masthead.services.debits.mandates import write_mandate
from masthead.store.accounts import Account
from masthead.store.billing import orders
from masthead.store.debits import mandates as store, settings as settings_store
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.subscribers.corrections import get_subscriber
from masthead.store.subscriptions import records as subscriptions


class KeptMandates(Struct, frozen=True):
    """The ids of the mandates that were added, and why others were not, by place of their row."""

    made: dict[int, str]
    refused: dict[int, Invalid]


async def list_refused(
    db: Connection, account: Account, asked: Mapping[int, NewMandate]
) -> dict[int, Invalid]:
    """Why mandates of rows cannot be added, by place, before their orders are placed.

    Queries: two at most.
    """
    if not asked:
        return {}
    try:
        require_debits(await settings_store.find_settings(db, account.id))
    except Invalid as reason:
        return dict.fromkeys(asked, reason)
    references = {_as_stored(each)[0] for each in asked.values()} - {""}
    known = await store.find_by_references(db, account.id, references)
    owners = {reference: each.iban for reference, each in known.items()}
    refused = {}
    for place, each in asked.items():
        reference, iban = _as_stored(each)
        if reference and owners.setdefault(reference, iban) != iban:
            text = _(
                "`mandate_reference` is {reference}, which is that of a mandate with another IBAN. "
                "Each mandate has its own; correct it, or leave it empty."
            ).format(reference=each.reference)
            refused[place] = Invalid(text, field="mandate_reference", value=each.reference)
    return refused


async def keep_mandates(
    tx: Transaction,
    account: Account,
    asked: Mapping[int, tuple[str, NewMandate]],
    *,
    import_number: int | None,
    by: Actor,
) -> KeptMandates:
    """Add the mandates of rows to who pays, once each.

    asked: the subscription and the mandate of each place. Who pays is who was billed last, or that
    of `find_default_payers`. Queries: two, and about six for each row.
    """
    kept = KeptMandates({}, {})
    if not asked:
        return kept
    rows = await subscriptions.find_rows(tx, account.id, sorted({id for id, _m in asked.values()}))
    owners = await find_default_payers(tx, account.id, list(rows.values()))
    for place, (id, mandate) in asked.items():
        owner = await orders.find_last_payer(tx, account.id, id) or owners[id]
        if owner is None:
            text = _("The giver is not a subscriber, so their mandate is not stored.")
            kept.refused[place] = Invalid(text, field="iban")
            continue
        try:
            made = await _add(tx, account, owner, mandate, import_number=import_number, by=by)
        except Invalid as refusal:  # raised before anything is written
            kept.refused[place] = in_columns(refusal)
        else:
            if made is not None:
                kept.made[place] = made
    return kept


async def _add(
    tx: Transaction,
    account: Account,
    owner: str,
    asked: NewMandate,
    *,
    import_number: int | None,
    by: Actor,
) -> str | None:
    """Add a mandate; returns its id, or None if the payer has it. Raises: Invalid."""
    reference, iban = _as_stored(asked)
    for known in await store.list_of_payer(tx, account.id, owner):
        if known.iban == iban and reference in ("", known.reference.upper()):
            return None
    if not asked.holder:
        row = await get_subscriber(tx, account.id, owner)
        name = full_name(row.first_name, row.last_name, row.company, "")
        asked = structs.replace(asked, holder=name)
    payer = await make_payer(tx, account.id, owner)
    return await write_mandate(tx, account, payer, asked, import_number=import_number, by=by)


def _as_stored(mandate: NewMandate) -> tuple[str, str]:
    """The reference in capitals, and the IBAN, which was checked, as it is stored."""
    return mandate.reference.strip().upper(), "".join(mandate.iban.split()).upper()
