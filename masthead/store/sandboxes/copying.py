"""Copy the settings of an account into a new sandbox."""

from typing import Any

from masthead.model.ids import ACCOUNT_WIDTH, account_of, account_prefix
from masthead.store.engine.interface import Transaction

_COLUMNS = (
    "locale, max_replacements, max_replacements_issues, postal_address, spare_percent, "
    "welcome_subject, welcome_text, welcome_translations, grace_copies, spare_copies, "
    "country_languages"
)
# In an order in which no row refers to a later table. Not billing: a sandbox needs its own numbers
TABLES = (
    "source",
    "product",
    "product_price",
    "dated_price",
    "price_rise",
    "renewal_stage",
    "vat_rate",
    "exchange_rate",
    "export_profile",
)


async def copy_settings(tx: Transaction, account_id: int, *, copied_id: int) -> None:
    """Copy settings, with ids that differ only in the account. Queries: two for each table."""
    await tx.execute(
        f"""
        UPDATE account
        SET ({_COLUMNS}) = (SELECT {_COLUMNS} FROM account WHERE id = :copied_id)
        WHERE id = :account_id
        """,  # noqa: S608 - constants
        {"copied_id": copied_id, "account_id": account_id},
    )
    for table in TABLES:
        rows = await tx.fetch_all(
            f"SELECT * FROM {table} WHERE account_id = :account_id",  # noqa: S608 - constants
            {"account_id": copied_id},
        )
        if rows:
            moved = [
                {name: _moved(value, copied_id, account_id) for name, value in row.items()}
                for row in rows
            ]
            await tx.insert_rows(table, [{**row, "account_id": account_id} for row in moved])


def _moved(value: Any, source: int, target: int) -> Any:
    """An id of the one account as an id of the other; any other value as it is."""
    if isinstance(value, str) and account_of(value) == source:
        return account_prefix(target) + value[ACCOUNT_WIDTH:]
    return value
