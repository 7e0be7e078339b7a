"""The export profiles that an account has made; the built-in ones are not stored."""

from collections.abc import Mapping

import msgspec

from masthead.model.clock import now
from masthead.model.dispatch.profiles import ExportProfile, ProfileSettings
from masthead.model.ids import new_id
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, get_one, insert_row
from masthead.store.update_statement import update_row

_PROFILE = """
    SELECT id, name, settings, is_active
    FROM export_profile
    WHERE account_id = :account_id
"""


def settings_text(settings: ProfileSettings) -> str:
    """Settings as they are stored: JSON."""
    return msgspec.json.encode(settings).decode()


async def list_profiles(db: Connection, account_id: int) -> list[ExportProfile]:
    """The account's own profiles, oldest first. Queries: one."""
    return await fetch_all(
        db, _PROFILE + "ORDER BY id", {"account_id": account_id}, into=ExportProfile
    )


async def get_profile(db: Connection, account_id: int, id: str) -> ExportProfile:
    """One of the account's own profiles. Queries: one. Raises: NotFound."""
    return await get_one(
        db, account_id, id, _PROFILE + "AND id = :id", into=ExportProfile, noun="export profile"
    )


async def insert_profile(
    tx: Transaction, account_id: int, *, name: str, settings: ProfileSettings
) -> str:
    """Add a profile; returns its id. Queries: one."""
    id, moment = new_id(account_id), now()
    await insert_row(
        tx,
        "export_profile",
        account_id=account_id,
        id=id,
        name=name,
        settings=settings_text(settings),
        is_active=True,
        created_at=moment,
        updated_at=moment,
    )
    return id


async def update_profile(
    tx: Transaction, account_id: int, id: str, columns: Mapping[str, object]
) -> None:
    """Set columns of a profile: name, settings, is_active. Queries: one."""
    values = {**columns, "updated_at": now()}
    if isinstance(settings := values.get("settings"), ProfileSettings):
        values["settings"] = settings_text(settings)
    await update_row(tx, account_id, "export_profile", id, **values)
