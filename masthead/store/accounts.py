"""Accounts, and the row of each account that every write locks first."""

from collections.abc import Mapping
from datetime import date, datetime
from zoneinfo import ZoneInfo

from msgspec import Struct

from masthead.model.clock import now, use_sandbox_day
from masthead.model.emails import STORED_WELCOME_TEXT, WELCOME
from masthead.model.ids import first_copy_id
from masthead.model.reports.forecasts import Spare
from masthead.model.types.filters import FIRST_MOMENT
from masthead.model.types.recipient_languages import recipient_locale
from masthead.model.types.regional_formats import DEFAULT
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, insert_row
from masthead.store.identity import server_secrets
from masthead.store.moments import take_moment
from masthead.store.update_statement import update_columns

LAST_DELETED = "last-deleted-account"  # beside the secrets of the server: an id


class Account(Struct, frozen=True):
    """A publishing account. daily_date: the date of its last daily pass, which is its today.

    writes: their number. changed_at: the moment of the last one; after those of all earlier ones.
    country: ISO code of the publisher's country, None if it is not set. locale: of its dates,
    numbers and emails. postal_address: of the publisher, on printed letters; may be empty.
    time_zone: of its days, of moments on pages and in emails, and in which those of imported files
    become days.
    is_sandbox: whether it is for trying out: its clock is its own, and its emails are kept.
    country_languages: the languages of recipients by country, as `recipient_languages` stores them.
    """

    id: int
    name: str
    subdomain: str
    currency: str
    is_active: bool
    daily_date: date
    requires_second_factor: bool
    country: str | None
    locale: str
    postal_address: str
    time_zone: str
    writes: int
    changed_at: datetime
    is_sandbox: bool
    country_languages: str

    @property
    def zone(self) -> ZoneInfo:
        """Its time zone."""
        return ZoneInfo(self.time_zone)

    def date_of(self, moment: datetime) -> date:
        """The day in its time zone to which a moment belongs."""
        return moment.astimezone(self.zone).date()

    @property
    def sandbox_day(self) -> date | None:
        """The day of its own clock; None for an account that has real time."""
        return self.daily_date if self.is_sandbox else None

    def locale_for(self, language: str | None, country: str | None) -> str:
        """The locale of what a person gets. language: their own, None for none.

        country: of their address.
        """
        return recipient_locale(self.locale, self.country_languages, language, country)


_ACCOUNT = """
    SELECT
        a.id,
        a.name,
        a.subdomain,
        a.currency,
        a.is_active,
        s.daily_date,
        a.requires_second_factor,
        a.country,
        a.locale,
        a.postal_address,
        a.time_zone,
        s.writes,
        s.changed_at,
        a.is_sandbox,
        a.country_languages
    FROM account a
    JOIN account_state s ON s.account_id = a.id
"""


async def lock_account(tx: Transaction, account_id: int) -> Account:
    """The account, locked: no other transaction can write to it until this one ends.

    Rules that read before they write depend on this lock: each copy exists once, an order id is
    unused, and totals are right. Its `changed_at` is the moment of this write. In the transaction,
    `account_now` is the time of the account. Queries: two.
    """
    tx.require_turn(account_id)
    await take_moment(tx, account_id, writes=1)
    [found] = await fetch_all(
        tx, _ACCOUNT + " WHERE a.id = :account_id", {"account_id": account_id}, into=Account
    )
    use_sandbox_day(found.sandbox_day, found.zone)
    return found


async def get_revision(db: Connection, account_id: int) -> tuple[int, date]:
    """What rises with each write to the account, and with each of its days. Queries: one."""
    row = await db.fetch_one(
        "SELECT writes, daily_date FROM account_state WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    assert row is not None
    return int(row["writes"]), row["daily_date"]


async def get_write_count(db: Connection, account_id: int) -> int:
    """The number of writes to the account, which is the revision of the last one."""
    row = await db.fetch_one(
        "SELECT writes FROM account_state WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    assert row is not None
    return int(row["writes"])


async def reserve_ids(
    tx: Transaction, account_id: int, *, periods: int, copies: int
) -> tuple[int, int]:
    """Reserve ids for new periods and copies; returns the id before the first one of each."""
    row = await tx.fetch_one(
        """
        UPDATE account_state
        SET last_period = last_period + :periods, last_copy = last_copy + :copies
        WHERE account_id = :account_id
        RETURNING last_period, last_copy
        """,
        {"account_id": account_id, "periods": periods, "copies": copies},
    )
    assert row is not None
    last_copy = first_copy_id(account_id) + row["last_copy"]
    return row["last_period"] - periods, last_copy - copies


async def find_account(db: Connection, subdomain: str) -> Account | None:
    """The account with that subdomain. Queries: two; on Citus, they ask no other account's node."""
    row = await db.fetch_one(
        "SELECT id FROM account WHERE subdomain = :subdomain", {"subdomain": subdomain}
    )
    return await get_account(db, row["id"]) if row else None


async def is_subdomain_taken(tx: Transaction, subdomain: str) -> bool:
    """Whether an account has that subdomain.

    It reads only the reference table: Citus refuses to write to one after a statement that reads
    the rows of all accounts in the same transaction.
    """
    row = await tx.fetch_one(
        "SELECT 1 AS found FROM account WHERE subdomain = :subdomain", {"subdomain": subdomain}
    )
    return row is not None


async def get_account(db: Connection, account_id: int) -> Account:
    """The account with an id, which exists. Queries: one."""
    [found] = await fetch_all(
        db, _ACCOUNT + " WHERE a.id = :account_id", {"account_id": account_id}, into=Account
    )
    return found


async def list_accounts(db: Connection) -> list[Account]:
    """All accounts, by id."""
    return await fetch_all(db, _ACCOUNT + " ORDER BY a.id", {}, into=Account)


async def insert_account(
    tx: Transaction,
    *,
    name: str,
    subdomain: str,
    currency: str,
    today: date,
    time_zone: str,
    country: str | None,
    is_sandbox: bool = False,
) -> Account:
    """Add an account with an id that no account had. today: the date of its first daily pass."""
    row = await tx.fetch_one("SELECT coalesce(max(id), 0) AS last FROM account", {})
    assert row is not None
    deleted = await server_secrets.find_secret(tx, LAST_DELETED)
    account_id = max(int(row["last"]), int(deleted or 0)) + 1
    await insert_row(
        tx,
        "account",
        id=account_id,
        name=name,
        subdomain=subdomain,
        currency=currency,
        is_active=True,
        requires_second_factor=False,
        locale=DEFAULT,
        time_zone=time_zone,
        country=country,
        welcome_subject=WELCOME.subject,
        welcome_text=STORED_WELCOME_TEXT,
        created_at=now(),
        is_sandbox=is_sandbox,
    )
    await insert_row(
        tx,
        "account_state",
        account_id=account_id,
        writes=0,
        last_copy=0,
        last_period=0,
        last_entry=0,
        last_event=0,
        daily_date=today,
        changed_at=FIRST_MOMENT,
    )
    return await get_account(tx, account_id)


async def update_account(tx: Transaction, account_id: int, columns: Mapping[str, object]) -> None:
    """Set columns of the account."""
    await tx.execute(
        update_columns("account", columns, where="id = :account_id"),
        {**columns, "account_id": account_id},
    )


async def delete_account(tx: Transaction, account_id: int) -> None:
    """Delete an account without rows in other tables, and remember its id if it is the highest.

    Ids of records begin with that of their account: labels and links of a deleted account must
    not lead to records of another one.
    """
    last = int(await server_secrets.find_secret(tx, LAST_DELETED) or 0)
    await server_secrets.delete_secret(tx, LAST_DELETED)
    await server_secrets.insert_secret(tx, LAST_DELETED, str(max(last, account_id)))
    await tx.execute("DELETE FROM account WHERE id = :account_id", {"account_id": account_id})


async def update_daily_date(tx: Transaction, account_id: int, day: date) -> None:
    """Store the date of the last daily pass."""
    await tx.execute(
        "UPDATE account_state SET daily_date = :day WHERE account_id = :account_id",
        {"account_id": account_id, "day": day},
    )


async def update_owed(
    tx: Transaction, account_id: int, copies: int, owed_date: date | None
) -> None:
    """Store how many copies of released issues are not sent, and since when."""
    await tx.execute(
        """
        UPDATE account_state
        SET owed_copies = :copies, owed_date = :owed_date
        WHERE account_id = :account_id
        """,
        {"account_id": account_id, "copies": copies, "owed_date": owed_date},
    )


async def get_grace_copies(db: Connection, account_id: int) -> int:
    """How many issues a subscription gets after its last paid one. Queries: one."""
    row = await db.fetch_one(
        "SELECT grace_copies FROM account WHERE id = :account_id", {"account_id": account_id}
    )
    assert row is not None
    return int(row["grace_copies"])


async def get_spare(db: Connection, account_id: int) -> Spare:
    """The spare copies that an account prints. Queries: one."""
    row = await db.fetch_one(
        "SELECT spare_percent, spare_copies FROM account WHERE id = :account_id",
        {"account_id": account_id},
    )
    assert row is not None
    return Spare(percent=row["spare_percent"], copies=row["spare_copies"])


async def get_locale(db: Connection, account_id: int) -> str:
    """The locale of the account's dates and numbers."""
    row = await db.fetch_one(
        "SELECT locale FROM account WHERE id = :account_id", {"account_id": account_id}
    )
    assert row is not None
    return str(row["locale"])
