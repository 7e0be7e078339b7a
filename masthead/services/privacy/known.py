"""Recognise erased people in orders that are imported again."""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import structs

from masthead.model.billing.payer_entry import entry_of
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.orders.order import Order
from masthead.model.privacy.columns import ERASED_NAME
from masthead.model.privacy.digests import PersonDetails, digests_of
from masthead.model.types.email_addresses import email_key
from masthead.model.types.text import MAX_TEXT
from masthead.store.engine.interface import Connection
from masthead.store.privacy import erasures as store
from masthead.store.subscribers import records as subscriber_store


async def find_erased(
    db: Connection, account_id: int, people: Sequence[PersonDetails]
) -> list[date | None]:
    """For each person, the day on which they were erased, or None.

    Somebody who ordered again after the erasure is a subscriber like others: None.
    Queries: one if the account has no erasures; two more for any number of people, otherwise.
    """
    secret = await store.find_secret(db, account_id)
    if secret is None:
        return [None] * len(people)
    digests = [digests_of(secret, person) for person in people]
    asked = sorted({one for each in digests for one in each})
    known = await store.find_moments(db, account_id, asked)
    if not known:
        return [None] * len(people)
    moments = [max((known[one] for one in each if one in known), default=None) for each in digests]
    keys = {
        email_key(person.email)
        for person, moment in zip(people, moments, strict=True)
        if person.email and moment
    }
    back = await subscriber_store.find_by_email(db, account_id, keys)
    return [
        moment.date() if moment and not (person.email and email_key(person.email) in back) else None
        for person, moment in zip(people, moments, strict=True)
    ]


async def split_erased(
    db: Connection, account_id: int, orders: Mapping[int, Order]
) -> tuple[dict[int, Order], dict[int, date]]:
    """The orders to import, and the days on which people of the others were erased.

    Those are the subscribers, and payers whom the orders name.
    A gift from somebody who was erased loses their name and email. Queries: as `find_erased`.
    """
    if await store.find_secret(db, account_id) is None:
        return dict(orders), {}
    places = list(orders)
    people = await find_erased(db, account_id, [_person(orders[place]) for place in places])
    payers = await find_erased(db, account_id, [_payer(orders[place]) for place in places])
    people = [person or payer for person, payer in zip(people, payers, strict=True)]
    givers = await find_erased(db, account_id, [_giver(orders[place]) for place in places])
    days = {place: day for place, day in zip(places, people, strict=True) if day is not None}
    unnamed = {place for place, day in zip(places, givers, strict=True) if day is not None}
    kept = {
        place: _without_giver(order) if place in unnamed else order
        for place, order in orders.items()
        if place not in days
    }
    return kept, days


def _person(order: Order) -> PersonDetails:
    return PersonDetails(
        email=order.email,
        first_name=order.first_name,
        last_name=order.last_name,
        company=order.company,
        address1=order.address1,
        postcode=order.postcode,
    )


def _giver(order: Order) -> PersonDetails:
    """The giver, as far as an order names one by an email."""
    return PersonDetails(email=order.giver.email if order.giver else order.gifter_email)


def _payer(order: Order) -> PersonDetails:
    """Who gets the invoice, if an order names them."""
    if order.billing is None or not order.billing.names_payer:
        return PersonDetails()
    entry = entry_of(order.billing).columns()
    return PersonDetails(**{name: entry[name] for name in _DETAILS})


def _without_giver(order: Order) -> Order:
    return structs.replace(order, gifter_name=ERASED_NAME, gifter_email=None, giver=None)


_DETAILS = PersonDetails.__struct_fields__


def _is_short(row: PreparedRow, name: str) -> bool:
    """Whether a row has a text that could be stored, by which people can be compared."""
    return 0 < len(row.fields.get(name) or "") <= MAX_TEXT


async def find_erased_refused(
    db: Connection, account_id: int, rows: Sequence[PreparedRow]
) -> dict[int, date]:
    """The refused rows about erased people, whose cells are not stored, with the days. By place."""
    refused = {place: row for place, row in enumerate(rows) if row.order is None and row.reasons}
    if not refused:
        return {}
    people = [
        PersonDetails(**{name: row.fields[name] for name in _DETAILS if _is_short(row, name)})
        for row in refused.values()
    ]
    days = await find_erased(db, account_id, people)
    return {place: day for place, day in zip(refused, days, strict=True) if day is not None}
