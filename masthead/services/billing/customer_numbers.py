"""Customer numbers that an import gives to who paid: the giver of a gift, or the subscriber."""

from collections.abc import Mapping

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.billing.payers import find_default_payers
from masthead.store.accounts import Account
from masthead.store.billing import payers
from masthead.store.engine.interface import Transaction
from masthead.store.subscriptions import records as subscriptions


async def keep_numbers(
    tx: Transaction, account: Account, numbers: Mapping[int, tuple[str, int]]
) -> dict[int, Invalid]:
    """Store customer numbers; returns why others are not stored, by place.

    numbers: the subscription and the number of each place. Those who have a number keep it, and
    nobody gets the number of another payer. The payer is that of `find_default_payers`.
    Queries: four, and three for each new number.
    """
    if not numbers:
        return {}
    rows = await subscriptions.find_rows(
        tx, account.id, sorted({id for id, _n in numbers.values()})
    )
    owners = await find_default_payers(tx, account.id, list(rows.values()))
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
