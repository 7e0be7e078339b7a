"""Facts about a subscriber and an issue, to tell whether they got it and why not."""

from collections.abc import Collection
from datetime import date
from operator import itemgetter

from masthead.model.audit_entries import EntryType
from masthead.model.timeline.facts import WhyClaim, WhyReport, WhySubscriber, WhySubscription
from masthead.model.types.email_addresses import stored_keys
from masthead.model.types.full_names import full_name
from masthead.store.addresses.in_force import COLUMNS, is_elsewhere, join_change
from masthead.store.engine.interface import Connection, Row
from masthead.store.engine.rows import fetch_all, to_struct
from masthead.store.subscribers.conditions import ASKED

MAX_SUBSCRIPTIONS = 500


async def find_subscriber(
    db: Connection, account_id: int, *, id: str, email_key: str
) -> WhySubscriber | None:
    """The subscriber with this id, or with this email address. Queries: one.

    Those of a merged subscriber find the one that they were merged into. Of several with one
    address, the oldest one is found.
    """
    rows = await db.fetch_all(
        f"""
        SELECT u.id, u.email, u.first_name, u.last_name, u.company
        FROM ({ASKED}) AS asked
        JOIN subscriber u ON u.account_id = :account_id AND u.id = asked.id
        """,  # noqa: S608 - the constant above
        {"account_id": account_id, "asked": id, "keys": stored_keys(email_key)},
    )
    if not rows:
        return None
    row = min(rows, key=itemgetter("id"))
    name = full_name(row["first_name"], row["last_name"], row["company"], row["email"])
    return WhySubscriber(id=row["id"], full_name=name, email=row["email"])


async def find_latest_places(
    db: Connection, account_id: int, subscriber_ids: Collection[str]
) -> dict[str, str]:
    """Street and town of each subscriber's newest subscription, where it has one. Queries: one.

    Index: subscription_by_subscriber.
    """
    rows = await db.fetch_all(
        """
        SELECT s.subscriber_id, s.address1, s.postcode, s.city
        FROM subscription s
        WHERE s.account_id = :account_id
          AND s.subscriber_id IN (:ids...)
          AND s.id = (
              SELECT max(n.id)
              FROM subscription n
              WHERE n.account_id = :account_id AND n.subscriber_id = s.subscriber_id
          )
        """,
        {"account_id": account_id, "ids": list(subscriber_ids)},
    )
    places = {}
    for row in rows:
        town = " ".join(filter(None, (row["postcode"], row["city"])))
        places[row["subscriber_id"]] = ", ".join(filter(None, (row["address1"], town)))
    return places


async def list_subscriptions(
    db: Connection,
    account_id: int,
    subscriber_id: str,
    number: int,
    released: date | None,
    *,
    subscription_id: str | None = None,
) -> list[WhySubscription]:
    """The subscriptions of a subscriber with their copies of an issue, those with a copy first.

    At most 500, with the address for this issue. released: the release date of the issue.
    subscription_id: only this one.
    Without lines, claims and reports. Queries: one.
    Index: subscription_by_subscriber, copy_once, period_by_subscription, audit_by_subject.
    """
    rows = await db.fetch_all(
        # IS TRUE and coalesce keep SQLite from reading the periods of all subscriptions. Citus
        # plans it beside outer joins only if each SELECT has the parameter of the account
        f"""
        SELECT
            s.id,
            s.type,
            s.status,
            s.medium,
            s.source_id,
            {COLUMNS},
            s.start_issue AS first_issue,
            s.last_issue,
            (
                SELECT min(p.period_start)
                FROM period p
                WHERE p.account_id = :account_id AND p.subscription_id = s.id
            ) AS period_start,
            (
                SELECT max(coalesce(p.period_end, p.period_start))
                FROM period p
                WHERE p.account_id = :account_id AND p.subscription_id = s.id
            ) AS period_end,
            (
                SELECT count(*)
                FROM period p
                WHERE p.account_id = :account_id
                  AND p.subscription_id = s.id
                  AND (:released BETWEEN p.period_start AND p.period_end) IS TRUE
            ) AS covering,
            (
                SELECT max(e.happened_at)
                FROM audit e
                WHERE e.account_id = :account_id
                  AND e.subject_type = 'subscription'
                  AND e.subject_id = s.id
                  AND (e.action = :cancelled) IS TRUE
            ) AS cancelled_at,
            (
                SELECT k.instead
                FROM skipped_issue k
                WHERE k.account_id = :account_id
                  AND k.subscription_id = s.id
                  AND k.issue_number = :number
            ) AS instead,
            c.id AS copy_id,
            c.status AS copy_status,
            c.date_sent,
            coalesce(a.country, c.country) AS copy_country,
            c.dispatch_id,
            o.created_at AS ordered_at
        FROM subscription s
        {join_change(":number")}
        LEFT JOIN copy c
            ON c.account_id = s.account_id
            AND c.subscription_id = s.id
            AND c.issue_number = :number
        LEFT JOIN period o ON o.account_id = c.account_id AND o.id = c.period_id
        WHERE s.account_id = :account_id
          AND s.subscriber_id = :subscriber
          AND (:is_any OR s.id = :subscription)
        ORDER BY CASE WHEN c.id IS NULL THEN 1 ELSE 0 END, s.id DESC
        LIMIT :limit
        """,  # noqa: S608 - names of columns
        {
            "account_id": account_id,
            "subscriber": subscriber_id,
            "subscription": subscription_id or "",
            "is_any": subscription_id is None,
            "number": number,
            "released": released,
            "cancelled": EntryType.SUBSCRIPTION_CANCEL,
            "limit": MAX_SUBSCRIPTIONS,
        },
    )
    return [_subscription(row) for row in rows]


def _subscription(row: Row) -> WhySubscription:
    """The subscription in a row, with its copy."""
    copy = None
    if row["copy_id"] is not None:
        names = ("id", "status", "country")
        copy = {**row, **{name: row[f"copy_{name}"] for name in names}}
    values = {**row, "is_covered": row["covering"] > 0, "copy": copy}
    return to_struct(values, WhySubscription)


async def list_claims_of_copies(
    db: Connection, account_id: int, copy_ids: Collection[int]
) -> list[WhyClaim]:
    """The claims of some copies that were not withdrawn, oldest first. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT id, copy_id, reason, status, created_at, dispatch_id, date_sent
        FROM claim
        WHERE account_id = :account_id
          AND copy_id IN (:ids... AS bigint)
          AND (status <> 'closed' OR NOT wants_replacement) IS TRUE
        ORDER BY copy_id, id
        """,
        {"account_id": account_id, "ids": list(copy_ids)},
        into=WhyClaim,
    )


async def find_returned(
    db: Connection, account_id: int, copy_ids: Collection[int]
) -> dict[int, date]:
    """The day on which each of some copies was last reported as undeliverable.

    Queries: one; none without copies. Index: delivery_report_by_copy. Copies that were not
    reported are left out.
    """
    if not copy_ids:
        return {}
    rows = await db.fetch_all(
        """
        SELECT copy_id, report_date, created_at
        FROM delivery_report
        WHERE account_id = :account_id
          AND copy_id IN (:ids... AS bigint)
          AND kind = 'undeliverable'
        ORDER BY copy_id, id
        """,
        {"account_id": account_id, "ids": list(copy_ids)},
    )
    return {row["copy_id"]: row["report_date"] or row["created_at"] for row in rows}


async def list_reports(
    db: Connection, account_id: int, subscription_ids: Collection[str], number: int
) -> list[WhyReport]:
    """The delivery reports on the address of some subscriptions for an issue, oldest first.

    And those on its copies. Queries: one.
    """
    return await fetch_all(
        db,
        f"""
        SELECT
            r.id,
            r.kind,
            r.status,
            r.copy_id,
            r.line_id,
            r.subscription_id,
            r.reason,
            r.report_date,
            r.created_at,
            r.resolved_at
        FROM delivery_report r
        WHERE r.account_id = :account_id
          AND r.subscription_id IN (:ids...)
          AND (r.issue_number = :number OR NOT {is_elsewhere(":number")})
        ORDER BY r.subscription_id, r.id
        """,  # noqa: S608 - the condition is a constant
        {"account_id": account_id, "ids": list(subscription_ids), "number": number},
        into=WhyReport,
    )
