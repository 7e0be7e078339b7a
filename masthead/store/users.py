"""The users of accounts, with their roles. A person may be a user of many accounts."""

from datetime import datetime

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.identity.memberships import UserAccount
from masthead.model.identity.rights import Rights, rights_of
from masthead.model.types.email_addresses import by_spelling, stored_keys
from masthead.model.types.enums import Role
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, get_one, insert_row


class User(Struct, frozen=True):
    """A person in an account. seen_at: when they last used the pages, if known.

    is_pending: whether they have a sign-in on this server and have not accepted the invitation yet.
    Until they do, their details are hidden: they look like people without a password.
    own_rights: if they are not those of the role.
    """

    id: str
    email: str
    full_name: str | None
    role: Role
    has_password: bool
    has_second_factor: bool
    seen_at: datetime | None
    is_pending: bool
    own_rights: str | None

    @property
    def rights(self) -> Rights:
        """What the user may do in the account."""
        return rights_of(self.role, self.own_rights)

    @property
    def chosen_rights(self) -> Rights | None:
        """The rights if they are not those of the role."""
        return None if self.own_rights is None else self.rights


async def find_locale(db: Connection, account_id: int, user_id: str) -> str | None:
    """The locale that a user of the account chose; None if they use that of the account."""
    row = await db.fetch_one(
        """
        SELECT u.locale
        FROM account_user m
        JOIN app_user u ON u.id = m.user_id
        WHERE m.account_id = :account_id
            AND m.user_id = :user_id
        """,
        {"account_id": account_id, "user_id": user_id},
    )
    return row["locale"] if row else None


async def list_user_accounts(db: Connection, user_id: str) -> list[UserAccount]:
    """The accounts that a person is a user of, by name. On Citus, it asks only the coordinator."""
    return await fetch_all(
        db,
        """
        SELECT
            m.account_id,
            a.subdomain,
            a.name,
            a.currency,
            a.locale,
            a.locale AS account_locale,
            a.time_zone,
            m.role,
            a.is_active,
            a.requires_second_factor,
            m.rights AS own_rights,
            a.is_sandbox
        FROM account_user m
        JOIN account a ON a.id = m.account_id
        WHERE m.user_id = :user_id AND NOT m.is_pending
        ORDER BY a.name, a.id
        """,
        {"user_id": user_id},
        into=UserAccount,
    )


_USER = """
    SELECT
        u.id,
        u.email,
        CASE WHEN NOT m.is_pending THEN u.full_name END AS full_name,
        m.role,
        u.password_hash IS NOT NULL AND NOT m.is_pending AS has_password,
        NOT m.is_pending AND (
            EXISTS (SELECT 1 FROM authenticator_app f WHERE f.user_id = u.id)
            OR EXISTS (SELECT 1 FROM passkey f WHERE f.user_id = u.id)
        ) AS has_second_factor,
        CASE WHEN NOT m.is_pending THEN u.seen_at END AS seen_at,
        m.is_pending,
        m.rights AS own_rights
    FROM account_user m
    JOIN app_user u ON u.id = m.user_id
    WHERE m.account_id = :account_id
"""


async def list_users(db: Connection, account_id: int) -> list[User]:
    """The users of the account, by email address."""
    return await fetch_all(
        db, _USER + "ORDER BY u.email_key", {"account_id": account_id}, into=User
    )


async def find_user(db: Connection, account_id: int, email: str) -> User | None:
    """The user of the account with that email address, or None."""
    found = await fetch_all(
        db,
        _USER + "AND u.email_key IN (:keys...)",
        {"account_id": account_id, "keys": stored_keys(email)},
        into=User,
    )
    return min(found, key=by_spelling(email), default=None)


async def get_user(db: Connection, account_id: int, id: str) -> User:
    """A user of the account. Raises: NotFound."""
    return await get_one(db, account_id, id, _USER + "AND m.user_id = :id", into=User, noun="user")


async def count_owners(db: Connection, account_id: int) -> int:
    """The number of owners of the account."""
    row = await db.fetch_one(
        """
        SELECT count(*) AS count
        FROM account_user
        WHERE account_id = :account_id AND role = 'owner' AND NOT is_pending
        """,
        {"account_id": account_id},
    )
    assert row is not None
    return int(row["count"])


async def insert_account_user(
    tx: Transaction, account_id: int, user_id: str, *, role: Role, is_pending: bool = False
) -> None:
    """Add a user to an account. is_pending: whether they must accept an invitation first."""
    await insert_row(
        tx,
        "account_user",
        account_id=account_id,
        user_id=user_id,
        role=role,
        created_at=now(),
        is_pending=is_pending,
    )


async def update_accepted(tx: Transaction, account_id: int, user_id: str) -> None:
    """Record that a user has accepted the invitation into an account."""
    await tx.execute(
        """
        UPDATE account_user
        SET is_pending = false
        WHERE account_id = :account_id AND user_id = :user_id
        """,
        {"account_id": account_id, "user_id": user_id},
    )


async def update_role(
    tx: Transaction, account_id: int, user_id: str, role: Role, own_rights: str | None
) -> None:
    """Change the role and the rights of a user. own_rights: None for those of the role."""
    await tx.execute(
        """
        UPDATE account_user
        SET role = :role, rights = :rights
        WHERE account_id = :account_id AND user_id = :id
        """,
        {"account_id": account_id, "id": user_id, "role": role, "rights": own_rights},
    )


async def delete_account_user(tx: Transaction, account_id: int, user_id: str) -> None:
    """Remove a user from an account; the person is kept, for the audit trail."""
    await tx.execute(
        "DELETE FROM account_user WHERE account_id = :account_id AND user_id = :id",
        {"account_id": account_id, "id": user_id},
    )
