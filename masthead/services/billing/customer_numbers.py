"""Customer numbers that an import gives to who paid: the giver of a gift, or the subscriber."""

from collections.abc import Mapping

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.email_addresses import email_key
from masthead.store.accounts import Account
from masthead.store.billing import payers
from masthead.store.engine.interface import Transaction
from masthead.store.subscribers.records import find_by_email
from masthead.store.subscriptions import records as subscriptions


async def keep_numbers(
    tx: Transaction, account: Account, numbers: Mapping[int, tuple[str, int]]
) -> dict[int, Invalid]:
    """Store customer numbers; returns why others are not stored, by place.

    numbers: the subscription and the number of each place. Those who have a number keep it, and
    nobody gets that of somebody else. A giver of a gift without a record is found by email.
    Queries: four, and three for each new number.
    """
    if not numbers:
        return {}
    rows = await subscriptions.find_rows(
        tx, account.id, sorted({id for id, _n in numbers.values()})
    )
    emails = {id: email_key(row.gifter_email) for id, row in rows.items() if row.gifter_email}
    givers = await find_by_email(tx, account.id, set(emails.values())) if emails else {}
    owners = {
        id: row.gifter_id or (givers.get(emails.get(id, "")) if row.is_gift else row.subscriber_id)
        for id, row in rows.items()
    }
    holders = await payers.find_by_numbers(
        tx, account.id, {number for _id, number in numbers.values()}
    )
    found = await payers.find_payers(tx, account.id, {*filter(None, owners.values()), *holders})
    known = {id: each.number for id, each in found.items()}
    taken = set(known.values())
    refused = {}
    for place, (id, number) in numbers.items():
        owner = owners[id]
        if owner is None:
            text = _("The giver is not a subscriber, so their customer number is not stored.")
            refused[place] = Invalid(text, field="payer_number", value=number)
        elif owner not in known and number not in taken:
            await payers.make_payer(tx, account.id, owner, number=number)
            known[owner] = number
            taken.add(number)
        elif owner not in known:
            text = _("This customer number belongs to someone else, so it is not stored.")
            refused[place] = Invalid(text, field="payer_number", value=number)
        elif known[owner] != number:
            text = _("Who paid has another customer number, so this one is not stored.")
            refused[place] = Invalid(text, field="payer_number", value=number)
    return refused
