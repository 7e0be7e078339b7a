"""Mappings that are saved by name for the next import."""

from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _
from masthead.model.types.clean_text import one_line
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.engine.interface import Transaction
from masthead.store.imports import mappings


@with_locked_account
async def save_mapping(tx: Transaction, account: Account, name: str, mapping: str) -> None:
    """Save a mapping by name for the next import. mapping: as TOML. Raises: Invalid."""
    if not (name := one_line(name)):
        raise Invalid(_("Type a name for the mapping."), field="name")
    await mappings.save_mapping(tx, account.id, excerpt(name), mapping)


@with_locked_account
async def delete_mapping(tx: Transaction, account: Account, name: str) -> None:
    """Delete a saved mapping. Imports that used it keep theirs."""
    await mappings.delete_mapping(tx, account.id, name)
