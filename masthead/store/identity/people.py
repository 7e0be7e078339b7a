"""People who can sign in: their email addresses, passwords and preferences."""

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.ids import new_id
from masthead.model.types.email_addresses import by_spelling, email_key, stored_keys
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, insert_row


class Person(Struct, frozen=True):
    """A person who can sign in once they have a password."""

    id: str
    email: str
    full_name: str | None
    password_hash: str | None
    has_shortcuts: bool
    locale: str | None
    has_second_factor: bool


_PERSON = """
    SELECT
        u.id,
        u.email,
        u.full_name,
        u.password_hash,
        u.has_shortcuts,
        u.locale,
        EXISTS (SELECT 1 FROM authenticator_app f WHERE f.user_id = u.id)
            OR EXISTS (SELECT 1 FROM passkey f WHERE f.user_id = u.id) AS has_second_factor
    FROM app_user u
"""


async def find_person(db: Connection, email: str) -> Person | None:
    """The person with that email address, or None. Of two with one address, the spelling counts."""
    keys = stored_keys(email)
    found = await fetch_all(
        db, _PERSON + "WHERE u.email_key IN (:keys...)", {"keys": keys}, into=Person
    )
    return min(found, key=by_spelling(email), default=None)


async def get_person(db: Connection, id: str) -> Person:
    """The person with that id, who must exist."""
    [found] = await fetch_all(db, _PERSON + "WHERE u.id = :id", {"id": id}, into=Person)
    return found


async def lock_person(tx: Transaction, id: str) -> Person:
    """The person, locked: their password and accounts cannot change until the commit."""
    await tx.execute("UPDATE app_user SET email_key = email_key WHERE id = :id", {"id": id})
    return await get_person(tx, id)


async def match_or_insert_user(tx: Transaction, email: str) -> str:
    """The id of the person with that email address, locked; created if there is none."""
    if person := await find_person(tx, email):
        await lock_person(tx, person.id)
        return person.id
    id = new_id(0)
    await insert_row(
        tx,
        "app_user",
        id=id,
        email=email,
        email_key=email_key(email),
        created_at=now(),
        has_shortcuts=True,
    )
    return id


async def update_name(tx: Transaction, id: str, full_name: str | None) -> None:
    """Store the name of a person; None to show the email address."""
    await tx.execute(
        "UPDATE app_user SET full_name = :full_name WHERE id = :id",
        {"id": id, "full_name": full_name},
    )


async def update_password(tx: Transaction, id: str, password_hash: str | None) -> None:
    """Store the hash of a person's new password; without one they cannot sign in."""
    await tx.execute(
        "UPDATE app_user SET password_hash = :password_hash WHERE id = :id",
        {"id": id, "password_hash": password_hash},
    )


async def update_shortcuts(tx: Transaction, id: str, *, has_shortcuts: bool) -> None:
    """Store whether a person wants single-key shortcuts."""
    await tx.execute(
        "UPDATE app_user SET has_shortcuts = :has_shortcuts WHERE id = :id",
        {"id": id, "has_shortcuts": has_shortcuts},
    )


async def update_locale(tx: Transaction, id: str, locale: str | None) -> None:
    """Store the language and formats of a person; None for those of each account."""
    await tx.execute(
        "UPDATE app_user SET locale = :locale WHERE id = :id", {"id": id, "locale": locale}
    )
