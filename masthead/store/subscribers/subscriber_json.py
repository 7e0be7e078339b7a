"""Subscribers as JSON, which the database writes: between two rows, other threads may run."""

import re
from collections.abc import Mapping

from masthead.model.pagination import JsonRows
from masthead.model.types.money import CURRENCIES
from masthead.store.engine.interface import Connection, Dialect, Ids, Parameters
from masthead.store.pagination import fetch_lines

# The columns of a subscriber `u` that its JSON needs. scale: how many minor units a unit of the
# account's currency has, such as 100 for `EUR`
COLUMNS = f"""
    u.id,
    u.first_name,
    u.last_name,
    u.company,
    u.email,
    u.latest_country,
    u.latest_order_date,
    u.has_active_subscription,
    u.subscription_count,
    u.ltv,
    u.created_at,
    (SELECT currency FROM account WHERE id = :account_id) AS ltv_currency,
    (
        SELECT CASE currency
            {" ".join(f"WHEN '{code}' THEN {10**n}" for code, n in CURRENCIES.items() if n != 2)}
            ELSE 100
        END
        FROM account
        WHERE id = :account_id
    ) AS scale
"""  # noqa: S608 - codes of currencies
# A subscriber as JSON, like `resources.Subscriber`; `text.full_name` and `money.money_text` in SQL.
# `format` copies each part once, `||` all that is before it. {or_null:…}: a value, or `null`
_ITEM = """
    format(
        '{"id":"%s","first_name":%s,"last_name":%s,"full_name":%s,"email":%s,'
        || '"latest_country":%s,"latest_order_date":%s,"has_active_subscription":%s,'
        || '"subscription_count":%s,"ltv":"%s%s%s","ltv_currency":"%s","date_created":"%s"}',
        u.id,
        {or_null:u.first_name},
        {or_null:u.last_name},
        json_quote(
            CASE
                WHEN u.first_name <> '' AND u.last_name <> ''
                THEN u.first_name || ' ' || u.last_name
                ELSE coalesce(
                    nullif(u.first_name, ''),
                    nullif(u.last_name, ''),
                    nullif(u.company, ''),
                    u.email
                )
            END
        ),
        json_quote(u.email),
        {or_null:u.latest_country},
        {or_null:u.latest_order_date},
        CASE WHEN u.has_active_subscription THEN 'true' ELSE 'false' END,
        u.subscription_count,
        CASE WHEN u.ltv < 0 THEN '-' ELSE '' END,
        abs(u.ltv) / u.scale,
        CASE
            WHEN u.scale = 1 THEN ''
            ELSE '.' || substr(CAST(u.scale + abs(u.ltv) % u.scale AS text), 2)
        END,
        u.ltv_currency,
        {day_created}
    )
"""
_DAY_CREATED: Mapping[Dialect, str] = {
    "sqlite": "substr(u.created_at, 1, 10)",
    "postgres": "CAST(u.created_at AT TIME ZONE 'UTC' AS date)",
}
_FOUND = f"""
    (
        SELECT {COLUMNS}
        FROM subscriber u
        WHERE u.account_id = :account_id AND u.id IN (:ids...)
    )
"""  # noqa: S608 - a constant
_OR_NULL: Mapping[Dialect, str] = {  # SQLite's function takes NULL, too
    "sqlite": r"json_quote(\1)",
    "postgres": r"coalesce(CAST(json_quote(\1) AS text), 'null')",
}
_ITEMS = {
    dialect: re.sub(r"{or_null:([\w.]+)}", _OR_NULL[dialect], _ITEM.replace("{day_created}", day))
    for dialect, day in _DAY_CREATED.items()
}


async def fetch_json(
    db: Connection,
    account_id: int,
    page: str,
    parameters: Parameters,
    *,
    is_ascending: bool = False,
) -> JsonRows:
    """The subscribers of a page, newest first unless it is ascending. Queries: one.

    page: a table to select from, with `COLUMNS`, such as that of `PaginatedList.page`.
    """
    return await fetch_lines(
        db, account_id, "u", _ITEMS[db.dialect], page, parameters, is_ascending=is_ascending
    )


async def find_json(db: Connection, account_id: int, ids: Ids) -> JsonRows:
    """The subscribers with these ids, newest first; merged ones too. Queries: one."""
    return await fetch_json(db, account_id, _FOUND, {"ids": ids})
