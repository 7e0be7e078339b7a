"""The audit log: pages of audit entries, newest first, filtered by means of indexes.

Each filter selects ranges of an index, one for each entry type. The newest entries of each range
are read and merged. Days become ids, because ids rise with time.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from masthead.model.ids import LAST_NUMBER
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.store.audit.choices import NamedActor, find_actors, list_actions
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import to_struct


class AuditFilter(Struct, frozen=True, kw_only=True):
    """The filters of a list of entries.

    actor_id: id of a user or API key, or name of a command. except_ids: those to leave out.
    since: the first moment. until: the moment after the last one.
    """

    actor_id: str | None = None
    except_ids: tuple[str, ...] = ()
    action: str | None = None
    subject_type: str | None = None
    subject_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None


class AuditEntry(Struct, frozen=True):
    """An entry of the audit log."""

    id: int
    happened_at: datetime
    actor: NamedActor
    action: str
    subject_type: str
    subject_id: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


# Binary search: the range of ids is halved until one id is left
_LAST_BEFORE = """
    WITH RECURSIVE halved(low, high) AS (
        SELECT CAST(0 AS bigint), last_entry + 1
        FROM account_state
        WHERE account_id = :account_id
        UNION ALL
        SELECT
            CASE
                WHEN coalesce(e.happened_at < :moment, true) THEN (low + high) / 2
                ELSE low
            END,
            CASE
                WHEN coalesce(e.happened_at < :moment, true) THEN high
                ELSE (low + high) / 2
            END
        FROM halved
        LEFT JOIN audit e ON e.account_id = :account_id AND e.id = (low + high) / 2
        WHERE high - low > 1
    )
    SELECT max(low) AS id FROM halved
    """


def _page_sql(ranges: Sequence[str], limit: int) -> str:
    """The newest entries of some ranges."""
    parts = " UNION ALL ".join(
        f"""
        SELECT * FROM (
            SELECT
                e.id,
                e.happened_at,
                e.actor_kind,
                e.actor_id,
                e.action,
                e.subject_type,
                e.subject_id,
                e.before,
                e.after
            FROM audit e
            WHERE e.account_id = :account_id
              {each}
            LIMIT {limit}
        ) AS part
        """  # noqa: S608 - the ranges name columns and parameters of this module
        for each in ranges
    )
    return f"""
        SELECT * FROM ({parts}) AS parts
        ORDER BY id DESC
        LIMIT {limit}
        """  # noqa: S608 - the parts above


async def list_log(
    db: Connection, account_id: int, filter: AuditFilter, page: PageRequest
) -> Page[AuditEntry]:
    """The entries that match a filter, newest first. Queries: two to five, a few milliseconds.

    Index: the primary key, or audit_by_actor, audit_by_action, audit_by_subject. With `except_ids`,
    it also reads the newer entries of these actors.
    """
    ranges, values = await _ranges(db, account_id, filter)
    if not ranges:
        return cut_page([], page)
    bounds = await _bounds(db, account_id, filter, page.after_number)
    rows = await db.fetch_all(
        _page_sql(ranges, page.fetch), {**values, **bounds, "account_id": account_id}
    )
    actors = await find_actors(db, account_id, [row["actor_id"] for row in rows])
    entries = [to_struct({**row, "actor": actors[row["actor_id"]]}, AuditEntry) for row in rows]
    return cut_page(entries, page)


async def count_log(db: Connection, account_id: int, filter: AuditFilter, *, limit: int) -> int:
    """How many entries match a filter, at most `limit`, whose newest ones it reads.

    Queries: two to five. Index: as above.
    """
    ranges, values = await _ranges(db, account_id, filter)
    if not ranges:
        return 0
    row = await db.fetch_one(
        f"SELECT count(*) AS found FROM ({_page_sql(ranges, limit)}) AS counted",  # noqa: S608 - see above
        {
            **values,
            **await _bounds(db, account_id, filter, LAST_NUMBER),
            "account_id": account_id,
        },
    )
    assert row is not None
    return int(row["found"])


async def _bounds(
    db: Connection, account_id: int, filter: AuditFilter, before: int
) -> dict[str, int]:
    """The ids between which the entries of the days of a filter are."""
    floor = await _last_before(db, account_id, filter.since) if filter.since else 0
    if filter.until:
        before = min(before, await _last_before(db, account_id, filter.until) + 1)
    return {"floor": floor, "before": before}


def _equal(**columns: str) -> str:
    """The range of entries that have these values, newest first."""
    equal = "".join(f"AND e.{name} = {value} " for name, value in columns.items())
    return f"{equal}AND e.id > :floor AND e.id < :before ORDER BY e.id DESC"


def _between(**columns: str) -> str:
    """The same range, by comparing rows with the index on these columns and the id."""
    names = [f"e.{name}" for name in (*columns, "id")]
    index, order = ", ".join(names), ", ".join(f"{name} DESC" for name in names)
    low, high = (", ".join((*columns.values(), bound)) for bound in (":floor", ":before"))
    return f"AND ({index}) > ({low}) AND ({index}) < ({high}) ORDER BY {order}"


async def _ranges(
    db: Connection, account_id: int, filter: AuditFilter
) -> tuple[list[str], dict[str, object]]:
    """The conditions of the index ranges that hold the entries, with their parameters."""
    plain = AuditFilter(since=filter.since, until=filter.until, except_ids=filter.except_ids)
    # IS TRUE keeps the databases from using an index for this condition
    rest = "AND (e.actor_id NOT IN (:except_ids...)) IS TRUE " if filter.except_ids else ""
    left_out = list(filter.except_ids)
    excepted: dict[str, object] = {"except_ids": left_out} if left_out else {}
    if filter == plain:
        return [rest + _equal()], excepted
    known = await list_actions(db, account_id, actor_id=filter.actor_id)
    if filter.subject_id:
        found, named = _ranges_of_record(filter, known)
        return [rest + each for each in found], named | excepted
    wanted = (
        action
        for action, subject_type in known.items()
        if filter.action in (None, action) and filter.subject_type in (None, subject_type)
    )
    actions = {f"action{n}": action for n, action in enumerate(wanted)}
    actor = {"actor_id": ":actor_id"} if filter.actor_id else {}
    part = _equal if db.dialect == "sqlite" else _between
    ranges = [rest + part(**actor, action=f":{name}") for name in actions]
    return ranges, {"actor_id": filter.actor_id, **actions, **excepted}


def _ranges_of_record(
    filter: AuditFilter, known: Mapping[str, str]
) -> tuple[list[str], dict[str, object]]:
    """The same for one record, which has few entries: the other filters check each of them."""
    types = {each for each in known.values() if filter.subject_type in (None, each)}
    named = {f"type{n}": each for n, each in enumerate(sorted(types))}
    # IS TRUE keeps the databases from using an index for these conditions
    checks = "AND (e.actor_id = :actor_id) IS TRUE " if filter.actor_id else ""
    checks += "AND (e.action = :action) IS TRUE " if filter.action else ""
    ranges = [_equal(subject_type=f":{name}", subject_id=":subject_id") for name in named]
    return [checks + each for each in ranges], {
        **named,
        "actor_id": filter.actor_id,
        "action": filter.action,
        "subject_id": filter.subject_id,
    }


async def _last_before(db: Connection, account_id: int, moment: datetime) -> int:
    """The id of the last entry before a moment, or 0. Reads 20 of a million entries."""
    row = await db.fetch_one(_LAST_BEFORE, {"account_id": account_id, "moment": moment})
    assert row is not None
    return int(row["id"])
