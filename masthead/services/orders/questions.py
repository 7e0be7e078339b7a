"""What only the user can answer about an order: is it for a known person, and added as well?"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from masthead.model.billing.payer_entry import PayerEntry
from masthead.model.errors import Invalid
from masthead.model.orders.known_subscribers import (
    KnownSubscriber,
    LikelyDuplicates,
    NamedPerson,
    choose_known,
)
from masthead.model.orders.overlaps import require_answer
from masthead.model.translations import gettext as _
from masthead.services.billing.new_payers import find_payer
from masthead.services.orders.overlaps import list_overlaps
from masthead.services.orders.subscribers import find_duplicates, find_namesakes, find_subscriber
from masthead.store.engine.interface import Connection


async def list_questions(
    db: Connection, account_id: int, given: Mapping[str, Any], *, new_payer: PayerEntry | None
) -> list[Invalid]:
    """The questions that the user has not answered yet.

    given: the valid fields of an `OrderEntry`; others may be missing. new_payer: who is typed as
    the payer. Queries: about 20 at most.
    """
    found = list[Invalid]()
    subscriber_id = None
    if given.get("is_gift"):
        try:
            await find_giver(db, account_id, given)
        except Invalid as reason:
            found.append(reason)
    try:
        subscriber_id = await find_owner(db, account_id, given)
    except LikelyDuplicates as reason:
        found.append(reason)
    try:
        overlaps = await list_overlaps(db, account_id, given, subscriber_id)
        require_answer(overlaps, given.get("overlaps"))
    except Invalid as reason:
        found.append(reason)
    try:
        if new_payer is not None:
            await find_payer(db, account_id, new_payer)
    except LikelyDuplicates as reason:
        found.append(reason)
    return found


async def find_owner(db: Connection, account_id: int, given: Mapping[str, Any]) -> str | None:
    """The subscriber who is chosen, or who has the email that was typed; None for a new one.

    Raises: LikelyDuplicates if the subscriber may be known, and the user has not said so.
    """
    if chosen := given.get("subscriber_id"):
        return str(chosen)
    person = NamedPerson(**{name: given.get(name) for name in NamedPerson.__struct_fields__})
    owner = choose_known(
        await find_duplicates(db, account_id, person),
        person,
        given.get("new_subscriber"),
        question=_(
            "This may be a subscriber that you already have. Use that subscriber, or tick that "
            "it is a new one."
        ),
        refuse=partial(LikelyDuplicates, is_giver=False),
    )
    return owner.id if owner else None


async def find_giver(
    db: Connection, account_id: int, given: Mapping[str, Any]
) -> KnownSubscriber | None:
    """The giver of a gift who is chosen, or who has the email that was typed; None for a new one.

    Raises: Invalid if the record does not exist; LikelyDuplicates.
    """
    if chosen := given.get("gifter_id"):
        known = await find_subscriber(db, account_id, chosen)
        if known is None:
            message = _("This giver is no longer in the list of subscribers. Find the giver again.")
            raise Invalid(message, field="gifter_id", value=chosen)
        return known
    names = ("first_name", "last_name", "company", "email")
    person = NamedPerson(**{name: given.get(f"gifter_{name}") for name in names})
    return choose_known(
        await find_namesakes(db, account_id, person),
        person,
        given.get("new_giver"),
        question=_(
            "The giver may be a subscriber that you already have. Use that subscriber, or tick "
            "that it is a new one."
        ),
        refuse=partial(LikelyDuplicates, is_giver=True),
    )
