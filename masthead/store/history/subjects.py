"""The records that the history of a subscriber, a subscription or an issue is about."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from masthead.model.audit_entries import EntryType
from masthead.model.history.entries import Record
from masthead.store.engine.interface import Connection

MAX_CLAIMS = 1000  # of an issue, newest first
# Of these types, histories of subscribers and subscriptions have only some entry types
ACTIONS: dict[str, list[str]] = {
    "dispatch": [
        EntryType.DISPATCH_MARK.value,
        EntryType.DISPATCH_UNDO.value,
    ],
    "invoice": [EntryType.INVOICE_REMIND.value],
}


class Subject(Struct, frozen=True):
    """The subject of an entry: a subscriber, a subscription or an issue."""

    about: Record
    issue_number: int | None = None
    run: int | None = None


Subjects = dict[Record, list[Subject]]


async def list_of_subscriptions(
    db: Connection, account_id: int, subscription_ids: Sequence[str]
) -> Subjects:
    """The records of subscriptions: their copies, runs, claims and delivery problems.

    Queries: four. Index: copy_by_subscription, dispatch_line_by_copy, claim_by_copy,
    delivery_report_by_subscription.
    """
    found: Subjects = {
        ("subscription", id): [Subject(("subscription", id))] for id in subscription_ids
    }
    if not subscription_ids:
        return found
    copies = await db.fetch_all(
        """
        SELECT id, subscription_id, issue_number
        FROM copy
        WHERE account_id = :account_id AND subscription_id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
    )
    for row in copies:
        subject = Subject(("subscription", row["subscription_id"]), row["issue_number"])
        found["copy", str(row["id"])] = [subject]
    copy_ids = [row["id"] for row in copies]
    if copy_ids:
        await _add_runs(db, account_id, copy_ids, found)
        await _add_claims(db, account_id, copy_ids, found)
    reports = await db.fetch_all(
        """
        SELECT id, subscription_id, issue_number
        FROM delivery_report
        WHERE account_id = :account_id AND subscription_id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
    )
    for row in reports:
        subject = Subject(("subscription", row["subscription_id"]), row["issue_number"])
        found["delivery_report", row["id"]] = [subject]
    return found


async def _add_runs(
    db: Connection, account_id: int, copy_ids: Collection[int], found: Subjects
) -> None:
    """Add the runs of copies and replacements, unless they left before; once for each of them."""
    rows = await db.fetch_all(
        """
        SELECT DISTINCT l.subscription_id, l.issue_number, d.id, d.number
        FROM dispatch_line l
        CROSS JOIN dispatch d
        WHERE l.account_id = :account_id
          AND l.copy_id IN (:ids... AS bigint)
          AND (l.status IN ('sent', 'held') OR l.left_reason = 'changed')
          AND d.account_id = l.account_id
          AND d.id = l.dispatch_id
        """,
        {"account_id": account_id, "ids": list(copy_ids)},
    )
    for row in rows:
        subject = Subject(
            ("subscription", row["subscription_id"]), row["issue_number"], row["number"]
        )
        found.setdefault(("dispatch", row["id"]), []).append(subject)


async def _add_claims(
    db: Connection, account_id: int, copy_ids: Collection[int], found: Subjects
) -> None:
    rows = await db.fetch_all(
        """
        SELECT id, subscription_id, issue_number
        FROM claim
        WHERE account_id = :account_id AND copy_id IN (:ids... AS bigint)
        """,
        {"account_id": account_id, "ids": list(copy_ids)},
    )
    for row in rows:
        subject = Subject(("subscription", row["subscription_id"]), row["issue_number"])
        found["claim", row["id"]] = [subject]


async def list_of_subscriber(db: Connection, account_id: int, subscriber_id: str) -> Subjects:
    """The subscriber, and the subscribers that were merged into it. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT id
        FROM subscriber
        WHERE account_id = :account_id AND merged_into = :id
        """,
        {"account_id": account_id, "id": subscriber_id},
    )
    ids = [subscriber_id, *(row["id"] for row in rows)]
    return {("subscriber", id): [Subject(("subscriber", id))] for id in ids}


async def list_reminded(db: Connection, account_id: int, subscriber_id: str) -> Subjects:
    """The invoices in reminders to a subscriber, or those merged into it. Queries: one.

    Index: reminder_by_payer.
    """
    rows = await db.fetch_all(
        """
        SELECT DISTINCT t.invoice_id
        FROM reminder r
        CROSS JOIN reminder_item t
        WHERE r.account_id = :account_id
          AND r.payer_id IN (
              SELECT u.id
              FROM subscriber u
              WHERE u.account_id = :account_id AND (u.id = :id OR u.merged_into = :id)
          )
          AND t.account_id = r.account_id
          AND t.reminder_id = r.id
        """,
        {"account_id": account_id, "id": subscriber_id},
    )
    records = [("invoice", str(row["invoice_id"])) for row in rows]
    return {record: [Subject(record)] for record in records}


async def list_of_issue(db: Connection, account_id: int, issue_id: str, number: int) -> Subjects:
    """The issue, its runs and its newest claims, without its copies. Queries: two.

    Index: dispatch_number, claim_by_issue.
    """
    about = ("issue", issue_id)
    found: Subjects = {about: [Subject(about)]}
    runs = await db.fetch_all(
        "SELECT id, number FROM dispatch WHERE account_id = :account_id AND issue_number = :number",
        {"account_id": account_id, "number": number},
    )
    for row in runs:
        found["dispatch", row["id"]] = [Subject(about, number, row["number"])]
    claims = await db.fetch_all(
        # For the id alone, SQLite reads all claims in the order of the primary key
        """
        SELECT id
        FROM claim
        WHERE account_id = :account_id AND issue_number = :number
        ORDER BY id || '' DESC
        LIMIT :most
        """,
        {"account_id": account_id, "number": number, "most": MAX_CLAIMS},
    )
    for row in claims:
        found["claim", row["id"]] = [Subject(about, number)]
    return found
