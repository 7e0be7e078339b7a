"""The settings of the page for subscribers, and its logo."""

from collections.abc import Mapping

from msgspec import Struct, structs

from masthead.model.clock import now
from masthead.model.self_service.settings import SelfService, read_actions, store_actions
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.update_statement import update_columns


class Logo(Struct, frozen=True):
    """A picture, as it is served."""

    media_type: str
    content: bytes


async def get_settings(db: Connection, account_id: int) -> SelfService:
    """The settings of an account; the page is closed until an owner opens it. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT is_open, actions, introduction, contact, colour, renewal_url, has_codes
        FROM self_service
        WHERE account_id = :account_id
        """,
        {"account_id": account_id},
    )
    if row is None:
        return SelfService()
    return SelfService(**{**row, "actions": read_actions(row["actions"])})


def columns_of(settings: SelfService) -> dict[str, object]:
    """The settings by column."""
    return {**structs.asdict(settings), "actions": store_actions(settings.actions)}


async def update_settings(tx: Transaction, account_id: int, columns: Mapping[str, object]) -> None:
    """Set columns of the settings, which begin with the defaults. Queries: two."""
    defaults = columns_of(SelfService())
    await tx.execute(
        """
        INSERT INTO self_service (
            account_id, is_open, actions, introduction, contact, colour, renewal_url, has_codes,
            page_url, updated_at
        )
        VALUES (
            :account_id, :is_open, :actions, :introduction, :contact, :colour, :renewal_url,
            :has_codes, '', :now
        )
        ON CONFLICT (account_id) DO NOTHING
        """,
        {**defaults, "account_id": account_id, "now": now()},
    )
    given = {**columns, "updated_at": now()}
    await tx.execute(
        update_columns("self_service", given, where="account_id = :account_id"),
        {**given, "account_id": account_id},
    )


async def find_code_url(db: Connection, account_id: int) -> str:
    """The address for the codes on labels and letters; empty if they have none. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT page_url
        FROM self_service
        WHERE account_id = :account_id AND is_open AND has_codes
        """,
        {"account_id": account_id},
    )
    return str(row["page_url"]) if row else ""


async def find_page_url(db: Connection, account_id: int) -> str:
    """The address of the page; empty if it is closed, or was never saved. Queries: one."""
    row = await db.fetch_one(
        "SELECT page_url FROM self_service WHERE account_id = :account_id AND is_open",
        {"account_id": account_id},
    )
    return str(row["page_url"]) if row else ""


async def find_logo(db: Connection, account_id: int) -> Logo | None:
    """The logo of an account, if it has one. Queries: one."""
    row = await db.fetch_one(
        "SELECT logo, logo_type FROM self_service WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    if row is None or row["logo"] is None:
        return None
    return Logo(row["logo_type"], bytes(row["logo"]))


async def has_logo(db: Connection, account_id: int) -> bool:
    """Whether an account has a logo. Queries: one."""
    row = await db.fetch_one(
        "SELECT 1 AS found FROM self_service WHERE account_id = :account_id AND logo IS NOT NULL",
        {"account_id": account_id},
    )
    return row is not None
