"""Whose records they are: ids, names, addresses and emails of a subscriber, also earlier ones."""

from collections.abc import Iterable, Sequence

import msgspec

from masthead.model.errors import Invalid, NotFound
from masthead.model.imports.known_orders import email_said_digests
from masthead.model.privacy.columns import ERASED_NAME
from masthead.model.privacy.digests import PersonDetails, known_email_digests
from masthead.model.privacy.erasures import Record
from masthead.model.types.email_addresses import domain_key, email_key, stored_keys
from masthead.model.types.text import WITHOUT_UMLAUTS, without_accents
from masthead.store.engine.interface import Connection, Row
from masthead.store.privacy import data_subjects, erasures, named_elsewhere, records
from masthead.store.privacy.data_subjects import SubscriberChange
from masthead.store.privacy.records import DataSubject

_OF_BANKS = str.maketrans(WITHOUT_UMLAUTS)
SHORTEST_NAME = 6  # characters of a full name that is looked for in other texts
SHORTEST_WORD = 3  # characters of a last name that is looked for in uploaded files


async def find_subscriber(db: Connection, account_id: int, asked: str) -> str:
    """The id of a subscriber by id or email; of a merged one, that of the kept one.

    An email of an erased subscriber identifies what is left of them.
    Queries: one, and two more if no subscriber has the email. Raises: NotFound.
    """
    try:
        key = email_key(asked)
    except Invalid:  # too long for an email
        key = ""
    try:
        return await data_subjects.find_id(db, account_id, asked.strip(), key)
    except NotFound:
        secret = await erasures.find_secret(db, account_id)
        if secret is None or not key:
            raise
        found = await erasures.find_by_digests(db, account_id, known_email_digests(secret, key))
        if found is None:
            raise
        return found


async def get_data_subject(
    db: Connection, account_id: int, id: str, *, placeholder_domain: str
) -> tuple[DataSubject, Row]:
    """A subscriber with all that identifies their records, and their row. Queries: seven.

    id: of a subscriber that is not merged. Raises: NotFound.
    """
    rows = await data_subjects.list_subscribers(db, account_id, id)
    ids = [row["id"] for row in rows]
    subscriptions, gifts = await data_subjects.list_owned_ids(db, account_id, ids)
    found = {row["email"] for row in rows}
    for entry in await data_subjects.list_corrections(db, account_id, ids):
        found |= _emails_in(entry)
    domain = domain_key(f"@{placeholder_domain}")
    spellings = sorted({each for each in found if domain_key(each) != domain})
    emails = sorted({key for each in spellings for key in stored_keys(each)})
    by_email = await data_subjects.list_gifts_by_email(db, account_id, [*emails, *spellings])
    gifts = sorted({*gifts, *by_email})
    letters = await data_subjects.list_letters(db, account_id, ids, gifts)
    subject = DataSubject(
        subscribers=ids,
        subscriptions=subscriptions,
        gifts=gifts,
        emails=emails,
        spellings=spellings,
        letters=letters,
        sent=await data_subjects.list_sent(db, account_id, ids, [*emails, *spellings], letters),
    )
    return subject, rows[0]


def _emails_in(entry: SubscriberChange) -> set[str]:
    """The addresses of a subscriber before and after a change."""
    known = (entry.before, entry.after)
    return {each["email"] for each in known if each and "@" in (each.get("email") or "")}


async def list_people(db: Connection, account_id: int, subject: DataSubject) -> list[PersonDetails]:
    """The names and addresses that a subscriber has or had. Queries: two."""
    rows: list[Row] = []
    for record in (Record.SUBSCRIPTIONS, Record.ADDRESS_CHANGES):
        rows += await records.list_rows(db, account_id, record, subject)
    fields = [name for name in PersonDetails.__struct_fields__ if name != "email"]
    return sorted(
        {PersonDetails(**{name: row[name] for name in fields}) for row in rows},
        key=msgspec.json.encode,
    )


def names_of(subscribers: Iterable[Row], people: Sequence[PersonDetails]) -> set[tuple[str, str]]:
    """The first and last names that a subscriber has or had, without incomplete ones."""
    pairs = {(row["first_name"], row["last_name"]) for row in subscribers}
    pairs |= {(each.first_name, each.last_name) for each in people}
    return {(first, last) for first, last in pairs if first and last}


async def list_terms(
    db: Connection, account_id: int, subject: DataSubject, names: Iterable[tuple[str, str]]
) -> list[str]:
    """The terms that identify a subscriber in texts: emails, and full names without a namesake.

    Queries: one for each name.
    """
    terms = sorted({*subject.emails, *subject.spellings})
    for first, last in sorted(names):
        full = f"{first} {last}"
        if len(full) >= SHORTEST_NAME and not await named_elsewhere.has_namesake(
            db, account_id, subject, first_name=first, last_name=last
        ):
            for one, two in sorted(_spellings(first, last)):
                terms += [f"{one} {two}", f"{two}, {one}"]
    return terms


def _spellings(first: str, last: str) -> set[tuple[str, str]]:
    """A name as it is typed, and as banks write it: without umlauts and accents."""
    pairs = {(first, last), (first.translate(_OF_BANKS), last.translate(_OF_BANKS))}
    return pairs | {(without_accents(one), without_accents(two)) for one, two in pairs}


def list_said(subject: DataSubject) -> list[str]:
    """The digests of their emails that rows of imports may have."""
    return sorted({digest for each in subject.emails for digest in email_said_digests(each)})


def file_terms(
    subject: DataSubject, rows: Iterable[Row], people: Sequence[PersonDetails]
) -> list[str]:
    """The terms that a file about the subscriber contains: emails and last names.

    In place of a name that is too short to tell files apart, such as Ng, the street is looked for.
    """
    words = {row["last_name"] or row["company"] or row["first_name"] or "" for row in rows}
    for each in people:
        name = each.last_name or each.company or each.first_name or ""
        words.add(name if len(name) >= SHORTEST_WORD else each.address1 or "")
    words -= {ERASED_NAME}  # of an erasure before: it is in the files of others
    found = sorted(word for word in words if len(word) >= SHORTEST_WORD)
    return [*subject.emails, *subject.spellings, *found]
