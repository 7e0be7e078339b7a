"""Finds the subscriber of an order: while their name is typed, and before a second one is added."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import structs

from masthead.model.ids import LAST_ID
from masthead.model.orders.known_subscribers import (
    KnownSubscriber,
    Likeness,
    NamedPerson,
    family_terms,
    name_key,
    name_terms,
    postcode_key,
    street_key,
    street_terms,
)
from masthead.model.types.phone_numbers import phone_keys
from masthead.store import accounts
from masthead.store.billing import paid_for
from masthead.store.engine.interface import Connection
from masthead.store.orders import known_subscribers as store
from masthead.store.orders.known_subscribers import ComparedPerson
from masthead.store.search import text_index
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscribers.past_due import list_past_due

SUGGESTED = 8
COMPARED = 50  # subscribers with the same words in their names, newest first


async def list_subscribers(
    db: Connection, account_id: int, ids: Collection[str]
) -> list[KnownSubscriber]:
    """The subscribers with these ids, newest first, without merged ones. Queries: three at most."""
    known = await store.list_known(db, account_id, ids) if ids else []
    found = [each.id for each in known]
    others = await paid_for.count_for_others(db, account_id, found)
    past_due = await list_past_due(db, account_id, found)
    return [
        structs.replace(
            each,
            for_others=others.get(each.id, each.for_others),
            is_past_due=each.id in past_due,
        )
        for each in known
    ]


async def find_subscriber(db: Connection, account_id: int, id: str) -> KnownSubscriber | None:
    """The subscriber with this id, or the one into whom they were merged; None if there is none."""
    kept = await subscriber_store.find_kept(db, account_id, [id])
    found = await list_subscribers(db, account_id, list(kept.values()))
    return found[0] if found else None


async def find_duplicates(
    db: Connection, account_id: int, person: NamedPerson
) -> list[KnownSubscriber]:
    """The subscribers who are likely this person, each with the reasons, newest first.

    Same email, same family name (or company) and phone, or same name with the same postcode or
    street. Queries: ten at most.
    """
    reasons = await _with_email(db, account_id, person)
    ids = await _find_ids(db, account_id, name_terms(person))
    ids += await _find_ids(db, account_id, street_terms(person))
    if phone_keys(person.phone):
        ids += await _find_ids(db, account_id, family_terms(person))
    home = (await accounts.get_account(db, account_id)).country if person.phone else None
    for row in await store.list_compared(db, account_id, ids) if ids else []:
        for likeness in _compare(row, person, home):
            if likeness not in reasons[row.subscriber_id]:
                reasons[row.subscriber_id].append(likeness)
    return await _with_reasons(db, account_id, reasons)


async def find_namesakes(
    db: Connection, account_id: int, person: NamedPerson
) -> list[KnownSubscriber]:
    """The subscribers who are likely the giver of a gift, whose address is not known.

    Same email or same name. Queries: five at most.
    """
    reasons = await _with_email(db, account_id, person)
    ids = await _find_ids(db, account_id, person.name_key.split())
    for each in await list_subscribers(db, account_id, ids):
        if person.name_key in (name_key(each.first_name, each.last_name), name_key(each.company)):
            reasons[each.id].append(Likeness.NAME)
    return await _with_reasons(db, account_id, reasons)


Reasons = dict[str, list[Likeness]]  # by the id of the subscriber


async def _with_email(db: Connection, account_id: int, person: NamedPerson) -> Reasons:
    """The subscriber with the email of the person, if there is one."""
    key = person.email_key
    known = await subscriber_store.find_by_email(db, account_id, [key]) if key else {}
    return defaultdict(list, {id: [Likeness.EMAIL] for id in known.values()})


async def _with_reasons(
    db: Connection, account_id: int, reasons: Mapping[str, Sequence[Likeness]]
) -> list[KnownSubscriber]:
    known = await list_subscribers(db, account_id, list(reasons))
    return [structs.replace(each, likeness=tuple(reasons[each.id])) for each in known[:SUGGESTED]]


async def _find_ids(db: Connection, account_id: int, terms: Sequence[str]) -> list[str]:
    """The newest subscribers in whose texts these terms are."""
    if not terms:
        return []
    return await text_index.find_ids(
        db, account_id, text_index.SUBSCRIBERS, terms, after=LAST_ID, limit=COMPARED
    )


def _compare(row: ComparedPerson, person: NamedPerson, home: str | None) -> Iterator[Likeness]:
    """What the person has in common with a subscription. home: the country of the publisher."""
    typed = phone_keys(person.phone, person.country, home)
    if typed & phone_keys(row.phone, row.country, home):
        yield Likeness.PHONE
    if person.name_key not in _name_keys(row):
        return
    if postcode_key(row.postcode) == postcode_key(person.postcode) != "":
        yield Likeness.NAME
    elif street_key(person.address1) in _streets(row) - {""}:
        yield Likeness.STREET


def _streets(row: ComparedPerson) -> set[str]:
    """The street of a subscription, in either line of the address."""
    return {street_key(row.address1), street_key(row.address2)}


def _name_keys(row: ComparedPerson) -> tuple[str, ...]:
    """The names in a subscription."""
    return (
        name_key(row.first_name, row.last_name),
        name_key(row.own_first_name, row.own_last_name),
        name_key(row.company),
        name_key(row.own_company),
    )
