"""What users choose for themselves: their name, language and keyboard shortcuts."""

from masthead.model.types.clean_text import one_line
from masthead.model.types.regional_formats import locale_code
from masthead.model.types.text import short_text
from masthead.store.engine.interface import Database
from masthead.store.identity import people


async def set_shortcuts(db: Database, user_id: str, *, has_shortcuts: bool) -> None:
    """Store whether a user wants keyboard shortcuts."""
    await db.write(lambda tx: people.update_shortcuts(tx, user_id, has_shortcuts=has_shortcuts))


async def set_locale(db: Database, user_id: str, locale: str) -> None:
    """Store the language and formats that a user chose; empty for those of each account.

    Raises: Invalid.
    """
    chosen = locale_code("locale", locale.strip()) if locale.strip() else None
    await db.write(lambda tx: people.update_locale(tx, user_id, chosen))


async def set_name(db: Database, user_id: str, name: str) -> None:
    """Store the name of a user; empty to show the email address. Raises: Invalid."""
    text = short_text("full_name", one_line(name)) or None
    await db.write(lambda tx: people.update_name(tx, user_id, text))
