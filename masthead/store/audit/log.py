"""The audit trail as a list: newest first, by filters that indexes serve together.

Every filter leaves ranges of an index, one for each action, of which the newest are read and put
together; days become ids, which rise with time.
"""

from collections.abc import Mapping
from datetime import datetime
from operator import itemgetter
from typing import Any

import msgspec
from msgspec import Struct

from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.store.engine.interface import Connection, Row


class LogQuery(Struct, frozen=True, kw_only=True):
    """What entries are asked for.

    who: id of a person or key, or a command. since: the first moment; until: the one after.
    """

    who: str | None = None
    action: str | None = None
    subject_type: str | None = None
    subject_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None


class Doer(Struct, frozen=True):
    """Who did something. name: e-mail of a person, name of a key. prefix: of the key."""

    kind: str
    id: str
    name: str | None
    prefix: str | None


class Told(Struct, frozen=True):
    """An entry, as it is shown."""

    id: int
    happened_at: datetime
    by: Doer
    action: str
    subject_type: str
    subject_id: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


_COLUMNS = "id, happened_at, actor_kind, actor_id, action, subject_type, subject_id, before, after"
_ENTRIES = f"SELECT {_COLUMNS} FROM audit e WHERE e.account_id = :account_id"  # noqa: S608 - our own texts, here and below
_NAMED = (
    " LEFT JOIN app_user u ON u.id = page.actor_id"
    " LEFT JOIN api_key k ON k.account_id = :account_id AND k.id = page.actor_id"
)

# The steps through an index from one value to the next. What is looked for is said by comparing
# rows with the columns of the index, as their order is: PostgreSQL would take another one else, and
# SQLite, which does not, finds the end of such a range only where columns are compared one by one
_ACTIONS = (
    "WITH RECURSIVE known(action) AS (SELECT ({first})"
    " UNION ALL SELECT ({next}) FROM known WHERE known.action IS NOT NULL)"
    " SELECT known.action, (SELECT e.subject_type FROM audit e"
    " WHERE e.account_id = :account_id AND e.action >= known.action"
    " ORDER BY e.action, e.id LIMIT 1) AS subject_type FROM known WHERE known.action IS NOT NULL"
)
_ANY = (
    "SELECT e.action FROM audit e WHERE e.account_id = :account_id AND e.action > {after}"
    " ORDER BY e.action LIMIT 1"
)
_OF_DOER = {
    "sqlite": "SELECT e.action FROM audit e WHERE e.account_id = :account_id"
    " AND e.actor_id = :who AND e.action > {after} ORDER BY e.action LIMIT 1",
    "postgres": "SELECT CASE WHEN e.actor_id = :who THEN e.action END FROM audit e"
    " WHERE e.account_id = :account_id AND (e.actor_id, e.action) > (:who, {after})"
    " ORDER BY e.actor_id, e.action LIMIT 1",
}
_DOER = (
    "SELECT e.actor_id FROM audit e WHERE e.account_id = :account_id AND e.actor_id > {after}"
    " ORDER BY e.actor_id LIMIT 1"
)
_DOERS = (
    "WITH RECURSIVE known(actor_id) AS (SELECT ({first})"
    " UNION ALL SELECT ({next}) FROM known WHERE known.actor_id IS NOT NULL)"
    " SELECT page.actor_id, u.email, k.name, k.prefix FROM known AS page{named}"
    " WHERE page.actor_id IS NOT NULL"
)

# The last id before a moment: what may hold it is halved until one is left
_EARLY = "coalesce(e.happened_at < :moment, true)"
_BEFORE = (
    "WITH RECURSIVE halved(low, high) AS (SELECT CAST(0 AS bigint), last_entry + 1"  # noqa: S608
    " FROM account_state WHERE account_id = :account_id"
    f" UNION ALL SELECT CASE WHEN {_EARLY} THEN (low + high) / 2 ELSE low END,"
    f" CASE WHEN {_EARLY} THEN high ELSE (low + high) / 2 END FROM halved"
    " LEFT JOIN audit e ON e.account_id = :account_id AND e.id = (low + high) / 2"
    " WHERE high - low > 1) SELECT max(low) AS id FROM halved"
)


async def list_log(
    db: Connection, account_id: int, query: LogQuery, page: PageRequest
) -> Page[Told]:
    """Entries that the filters leave, newest first. Queries: one to four, of a millisecond or two.

    Index: the primary key, or audit_by_actor, audit_by_action, audit_by_subject.
    """
    ranges, values = await _ranges(db, account_id, query)
    floor, top = 0, page.before_number
    if query.since:
        floor = await _last_before(db, account_id, query.since)
    if query.until:
        top = min(top, await _last_before(db, account_id, query.until) + 1)
    if not ranges:
        return cut_page([], page, "id", _told_from_row)
    parts = " UNION ALL ".join(
        f"SELECT * FROM ({_ENTRIES}{each} LIMIT {page.fetch}) AS part"  # noqa: S608
        for each in ranges
    )
    rows = await db.fetch_all(
        f"SELECT page.*, u.email, k.name, k.prefix FROM (SELECT * FROM ({parts}) AS parts"  # noqa: S608
        f" ORDER BY id DESC LIMIT {page.fetch}) AS page{_NAMED}",
        {**values, "account_id": account_id, "floor": floor, "before": top},
    )
    # they come so, but SQL promises no order beyond a sub-select
    rows = sorted(rows, key=itemgetter("id"), reverse=True)
    return cut_page(rows, page, "id", _told_from_row)


def _same(**columns: str) -> str:
    """The entries where columns have these values, newest first."""
    same = "".join(f" AND e.{name} = {value}" for name, value in columns.items())
    return f"{same} AND e.id > :floor AND e.id < :before ORDER BY e.id DESC"


def _range(**columns: str) -> str:
    """The same, as the part of an index that begins with these columns."""
    names = [f"e.{name}" for name in (*columns, "id")]
    index, order = ", ".join(names), ", ".join(f"{name} DESC" for name in names)
    low, high = (", ".join((*columns.values(), bound)) for bound in (":floor", ":before"))
    return f" AND ({index}) > ({low}) AND ({index}) < ({high}) ORDER BY {order}"


async def _ranges(
    db: Connection, account_id: int, query: LogQuery
) -> tuple[list[str], dict[str, object]]:
    """The ranges of an index that hold what is asked for, as conditions with their values."""
    if query == LogQuery(since=query.since, until=query.until):
        return [_same()], {}
    kinds = await list_actions(db, account_id, who=query.who)
    values: dict[str, object] = {"who": query.who, "action": query.action}
    if query.subject_id:
        types = {each for each in kinds.values() if query.subject_type in (None, each)}
        named = {f"type{n}": each for n, each in enumerate(sorted(types))}
        # a record has few entries, which the other filters sift; see `listing` for IS TRUE
        sieve = " AND (e.actor_id = :who) IS TRUE" if query.who else ""
        sieve += " AND (e.action = :action) IS TRUE" if query.action else ""
        of_record = [_same(subject_type=f":{name}", subject_id=":subject_id") for name in named]
        return [sieve + each for each in of_record], {
            **values,
            **named,
            "subject_id": query.subject_id,
        }
    wanted = (
        action
        for action, subject_type in kinds.items()
        if query.action in (None, action) and query.subject_type in (None, subject_type)
    )
    named = {f"action{n}": action for n, action in enumerate(wanted)}
    actor = {"actor_id": ":who"} if query.who else {}
    part = _same if db.dialect == "sqlite" else _range
    return [part(**actor, action=f":{name}") for name in named], {**values, **named}


async def _last_before(db: Connection, account_id: int, moment: datetime) -> int:
    """The id of the last entry before a moment, 0 if there is none. Looks at 20 in a million."""
    row = await db.fetch_one(_BEFORE, {"account_id": account_id, "moment": moment})
    assert row is not None
    return int(row["id"])


async def list_actions(
    db: Connection, account_id: int, *, who: str | None = None
) -> dict[str, str]:
    """The actions that somebody, or anybody, has done, each with the kind of its records."""
    step = _OF_DOER[db.dialect] if who else _ANY
    sql = _ACTIONS.format(first=step.format(after="''"), next=step.format(after="known.action"))
    rows = await db.fetch_all(sql, {"account_id": account_id, "who": who})
    return {row["action"]: row["subject_type"] for row in rows}


async def list_doers(db: Connection, account_id: int) -> list[Doer]:
    """Everybody who has done something."""
    first, next = _DOER.format(after="''"), _DOER.format(after="known.actor_id")
    sql = _DOERS.format(first=first, next=next, named=_NAMED)
    return [_doer(row) for row in await db.fetch_all(sql, {"account_id": account_id})]


def _doer(row: Row) -> Doer:
    """Who did it: a person, a key, or the command of that name."""
    kind = "user" if row["email"] else "key" if row["prefix"] else "command"
    return Doer(kind, row["actor_id"], row["email"] or row["name"], row["prefix"])


def _told_from_row(row: Row) -> Told:
    return Told(
        id=row["id"],
        happened_at=row["happened_at"],
        by=_doer(row),
        action=row["action"],
        subject_type=row["subject_type"],
        subject_id=row["subject_id"],
        before=_read(row["before"]),
        after=_read(row["after"]),
    )


def _read(text: str | None) -> dict[str, Any] | None:
    return None if text is None else msgspec.json.decode(text)
