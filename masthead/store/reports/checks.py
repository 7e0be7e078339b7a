"""The invariants of the data, as queries that find the rows that break them."""

from masthead.model.lifecycle import LIVE
from masthead.store.copies import OWED
from masthead.store.engine.interface import Connection, Row
from masthead.store.subscribers import FIGURES

# Each yields the `id` of rows that break what its name says
INVARIANTS = {
    "an order id is used once": (
        "SELECT order_id AS id FROM period WHERE account_id = :account_id"
        " GROUP BY order_id HAVING count(*) > 1"
    ),
    "an issue number is used once": (
        "SELECT CAST(number AS text) AS id FROM issue WHERE account_id = :account_id"
        " GROUP BY number HAVING count(*) > 1"
    ),
    "a subscription's subscriber, source and product are its account's": (
        "SELECT s.id FROM subscription s"
        " LEFT JOIN subscriber u ON u.account_id = s.account_id AND u.id = s.subscriber_id"
        " LEFT JOIN source o ON o.account_id = s.account_id AND o.id = s.source_id"
        " LEFT JOIN product p ON p.account_id = s.account_id AND p.id = s.product_id"
        " WHERE s.account_id = :account_id"
        " AND (u.id IS NULL OR o.id IS NULL OR p.id IS NULL)"
    ),
    "a period's subscription is its account's": (
        "SELECT p.id FROM period p"
        " LEFT JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id"
        " WHERE p.account_id = :account_id AND s.id IS NULL"
    ),
    "a subscription has a period": (
        "SELECT s.id FROM subscription s WHERE s.account_id = :account_id AND NOT EXISTS"
        " (SELECT 1 FROM period p WHERE p.account_id = s.account_id AND p.subscription_id = s.id)"
    ),
    "a copy agrees with its subscription, period and issue": (
        "SELECT c.id FROM copy c"
        " LEFT JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id"
        " LEFT JOIN period p ON p.account_id = c.account_id AND p.id = c.period_id"
        " LEFT JOIN issue i ON i.account_id = c.account_id AND i.id = c.issue_id"
        " WHERE c.account_id = :account_id AND (s.id IS NULL OR p.id IS NULL OR i.id IS NULL"
        " OR c.subscriber_id <> s.subscriber_id OR c.country <> s.country"
        " OR p.subscription_id <> c.subscription_id OR i.number <> c.issue_number)"
    ),
    "a copy exists once": (
        "SELECT min(id) AS id FROM copy WHERE account_id = :account_id"
        " GROUP BY subscription_id, issue_number HAVING count(*) > 1"
    ),
    "a copy is of an issue that its period includes": (
        "SELECT c.id FROM copy c JOIN period p ON p.account_id = c.account_id"
        " AND p.id = c.period_id WHERE c.account_id = :account_id"
        " AND (c.issue_number < p.first_issue OR c.issue_number > p.last_issue)"
    ),
    "no copy is missing": "SELECT p.subscription_id AS id " + OWED,
    "only a sent copy has a date": (
        "SELECT id FROM copy"
        " WHERE account_id = :account_id AND date_sent IS NOT NULL AND status <> 'Sent'"
    ),
    "nothing under a cancelled subscription waits to be sent": (
        "SELECT c.id FROM copy c JOIN subscription s ON s.account_id = c.account_id"
        " AND s.id = c.subscription_id WHERE c.account_id = :account_id"
        " AND s.status = 'Cancelled' AND c.status = 'Not sent'"
    ),
    "nothing under another subscription is cancelled": (
        "SELECT c.id FROM copy c JOIN subscription s ON s.account_id = c.account_id"
        " AND s.id = c.subscription_id WHERE c.account_id = :account_id"
        " AND s.status <> 'Cancelled' AND c.status = 'Cancelled'"
    ),
    "a period's length is that of its numbers": (
        "SELECT id FROM period WHERE account_id = :account_id"
        " AND length <> last_issue - first_issue + 1"
    ),
    "the total length of a subscription is that of its periods": (
        "SELECT s.id FROM subscription s WHERE s.account_id = :account_id"
        " AND s.type = 'subscription' AND s.total_length <>"
        " (SELECT sum(p.length) FROM period p WHERE p.account_id = s.account_id"
        " AND p.subscription_id = s.id)"
    ),
    "the total length of a membership is the number of its copies": (
        "SELECT s.id FROM subscription s WHERE s.account_id = :account_id"
        " AND s.type = 'membership' AND s.total_length <>"
        " (SELECT count(*) FROM copy c WHERE c.account_id = s.account_id"
        " AND c.subscription_id = s.id)"
    ),
    "a subscription without a ready document is to be rendered": (
        "SELECT s.id FROM subscription s WHERE s.account_id = :account_id"
        " AND NOT EXISTS (SELECT 1 FROM subscription_document d"
        " WHERE d.account_id = s.account_id AND d.id = s.id)"
        " AND NOT EXISTS (SELECT 1 FROM subscription_change c"
        " WHERE c.account_id = s.account_id AND c.id = s.id)"
    ),
    "what is to be rendered is a subscription of its account": (
        "SELECT c.id FROM subscription_change c WHERE c.account_id = :account_id"
        " AND NOT EXISTS (SELECT 1 FROM subscription s"
        " WHERE s.account_id = c.account_id AND s.id = c.id)"
    ),
    "no document and no change is newer than the account's last write": (
        "SELECT d.id FROM subscription_document d"
        " JOIN account_state a ON a.account_id = d.account_id"
        " WHERE d.account_id = :account_id AND d.revision > a.writes"
        " UNION SELECT c.id FROM subscription_change c"
        " JOIN account_state a ON a.account_id = c.account_id"
        " WHERE c.account_id = :account_id AND c.revision > a.writes"
    ),
    "a number is below the account's counter": (
        "SELECT account_id AS id FROM account_state WHERE account_id = :account_id"
        " AND (last_period < (SELECT coalesce(max(id), 0) FROM period p"
        " WHERE p.account_id = account_state.account_id)"
        " OR account_id * 4294967296 + last_copy < (SELECT coalesce(max(id), 0) FROM copy c"
        " WHERE c.account_id = account_state.account_id)"
        " OR last_entry < (SELECT coalesce(max(id), 0) FROM audit a"
        " WHERE a.account_id = account_state.account_id))"
    ),
}

# The order of a search: by number, which is to be that of a list: by id
for _table in ("subscriber", "subscription"):
    INVARIANTS[f"the numbers of {_table}s rise with their ids"] = (
        "SELECT id FROM (SELECT id, n, lag(n) OVER (ORDER BY id) AS before"  # noqa: S608
        f" FROM {_table} WHERE account_id = :account_id) AS numbered WHERE n <= before"
    )
INVARIANTS["a row of the search is that of its subscriber and its subscription"] = (
    "SELECT CAST(t.n AS text) AS id FROM searchable t"
    " LEFT JOIN subscriber u ON u.account_id = t.account_id AND u.id = t.subscriber_id"
    " LEFT JOIN subscription s ON s.account_id = t.account_id AND s.id = t.subscription_id"
    " WHERE t.account_id = :account_id AND (coalesce(t.subscriber_id, t.subscription_id) IS NULL"
    " OR (t.subscriber_id IS NOT NULL AND coalesce(u.n, 0) <> t.n)"
    " OR (t.subscription_id IS NOT NULL AND coalesce(s.n, 0) <> t.n))"
)

_FIGURES = ", ".join(FIGURES)
_RECOUNT = ", ".join(f"{count} AS {column}" for column, count in FIGURES.items())
_PAGE = " FROM subscriber WHERE account_id = :account_id AND id > :after ORDER BY id LIMIT :limit"


async def list_faults(db: Connection, account_id: int, invariant: str) -> list[str]:
    """The ids of the rows that break an invariant."""
    rows = await db.fetch_all(INVARIANTS[invariant], {"account_id": account_id})
    return [str(row["id"]) for row in rows]


async def list_figures(db: Connection, account_id: int, *, after: str, limit: int) -> list[Row]:
    """Subscribers in the order of their ids: address and figures as they are stored."""
    return await db.fetch_all(
        "SELECT id, email, email_key, " + _FIGURES + _PAGE,
        {"account_id": account_id, "after": after, "limit": limit},
    )


async def list_recounted(
    db: Connection, account_id: int, *, after: str, limit: int, currency: str
) -> list[Row]:
    """The same subscribers with their figures recounted. currency: of the account."""
    return await db.fetch_all(
        "SELECT id, " + _RECOUNT + _PAGE,
        {
            "account_id": account_id,
            "after": after,
            "limit": limit,
            "live": sorted(LIVE),
            "currency": currency,
        },
    )


async def list_subscriber_ids(
    db: Connection, account_id: int, *, after: str, limit: int
) -> list[str]:
    """Subscribers in the order of their ids."""
    rows = await db.fetch_all(
        "SELECT id" + _PAGE, {"account_id": account_id, "after": after, "limit": limit}
    )
    return [row["id"] for row in rows]


async def list_subscription_ids(
    db: Connection, account_id: int, *, after: str, limit: int
) -> list[str]:
    """Subscriptions in the order of their ids."""
    rows = await db.fetch_all(
        "SELECT id FROM subscription WHERE account_id = :account_id AND id > :after"
        " ORDER BY id LIMIT :limit",
        {"account_id": account_id, "after": after, "limit": limit},
    )
    return [row["id"] for row in rows]
