"""The records about a subscriber: which rows of which tables they are."""

from collections.abc import Mapping
from datetime import date

from msgspec import Struct

from masthead.model.privacy.erasures import Record
from masthead.store.engine.interface import Connection, Row
from masthead.store.engine.rows import fetch_all


class DataSubject(Struct, frozen=True, kw_only=True):
    """A subscriber as privacy law sees them: with everything that identifies their records.

    subscribers: the ids of the subscriber and of those merged into them, the kept one first.
    subscriptions: the ids of theirs; gifts: of those that they gave. letters, sent: the ids of
    letters to them, and of emails. emails: all addresses that they have or had, for comparison;
    spellings: as they were written.
    """

    subscribers: list[str]
    subscriptions: list[str]
    gifts: list[str]
    emails: list[str]
    spellings: list[str] = []
    letters: list[str] = []
    sent: list[str] = []

    @property
    def id(self) -> str:
        """The id of the subscriber."""
        return self.subscribers[0]

    def parameters(self, account_id: int) -> dict[str, object]:
        """The parameters of the conditions in `OWNED`."""
        return {
            "account_id": account_id,
            "subscribers": self.subscribers,
            "subscriptions": self.subscriptions,
            "gifts": self.gifts,
            "letters": self.letters,
            "sent": self.sent,
        }


OF_LETTER = "id IN (:letters...)"
OF_EMAIL = "id IN (:sent...)"
# By two indexes: PostgreSQL reads the whole table for a condition with OR, and so does SQLite if
# several columns are compared with a UNION
_OF_ROW = """(batch_id, line, part) IN (
    SELECT batch_id, line, part
    FROM (
        SELECT r.batch_id, r.line, r.part
        FROM import_row r
        WHERE r.account_id = :account_id AND r.subscriber_id IN (:subscribers...)
        UNION ALL
        SELECT r.batch_id, r.line, r.part
        FROM import_row r
        WHERE r.account_id = :account_id AND r.subscription_id IN (:subscriptions...)
    ) AS theirs
)"""
_OF_MERGE = "(kept_id IN (:subscribers...) OR merged_id IN (:subscribers...))"
_OF_PERIOD = """
    SELECT p.id
    FROM period p WHERE p.account_id = :account_id AND p.subscription_id IN (:subscriptions...)
"""
_OF_PAYMENT = """
    SELECT y.id FROM payment y WHERE y.account_id = :account_id AND y.payer_id IN (:subscribers...)
"""
_OF_INVOICE = """
    SELECT v.id FROM invoice v WHERE v.account_id = :account_id AND v.payer_id IN (:subscribers...)
"""
OF_COPY = """
    SELECT id FROM copy WHERE account_id = :account_id AND subscriber_id IN (:subscribers...)
"""
# A line names a copy or a grace copy
OF_SENT_COPY = f"""{OF_COPY}
    UNION ALL
    SELECT g.id
    FROM grace_copy g
    WHERE g.account_id = :account_id AND g.subscription_id IN (:subscriptions...)
"""  # noqa: S608 - the statement above
OF_LINE = f"copy_id IN ({OF_SENT_COPY})"
# The subjects of audit entries, and which of them are theirs
AUDIT_SUBJECTS = {
    "subscriber": ":subscribers...",
    "subscription": ":subscriptions...",
    "email": ":sent...",
    "claim": """
        SELECT k.id
        FROM claim k
        WHERE k.account_id = :account_id AND k.subscription_id IN (:subscriptions...)
    """,
    "delivery_report": """
        SELECT r.id
        FROM delivery_report r
        WHERE r.account_id = :account_id AND r.subscription_id IN (:subscriptions...)
    """,
    "invoice": _OF_INVOICE,
    "payment": _OF_PAYMENT,
    "copy": """
        SELECT CAST(c.id AS text)
        FROM copy c
        WHERE c.account_id = :account_id AND c.subscriber_id IN (:subscribers...)
    """,
}
_ENTRIES = " UNION ALL ".join(
    f"""
    SELECT e.id
    FROM audit e
    WHERE e.account_id = :account_id AND e.subject_type = '{subject}' AND e.subject_id IN ({theirs})
    """  # noqa: S608 - the constants above
    for subject, theirs in AUDIT_SUBJECTS.items()
)
OF_AUDIT = f"id IN ({_ENTRIES})"

# The table of each kind of records, and which of its rows are about the subscriber
OWNED: Mapping[Record, tuple[str, str]] = {
    Record.SUBSCRIBERS: ("subscriber", "id IN (:subscribers...)"),
    Record.SUBSCRIPTIONS: ("subscription", "id IN (:subscriptions...)"),
    Record.ORDERS: ("period", "subscription_id IN (:subscriptions...)"),
    Record.COPIES: ("copy", "subscriber_id IN (:subscribers...)"),
    Record.REFUNDS: ("refund", f"period_id IN ({_OF_PERIOD})"),
    Record.CANCELLATIONS: ("cancellation", "subscription_id IN (:subscriptions...)"),
    Record.NOTES: ("subscriber_note", "subscriber_id IN (:subscribers...)"),
    Record.ADDRESS_CHANGES: ("address_change", "subscriber_id IN (:subscribers...)"),
    Record.MERGES: ("subscriber_merge", _OF_MERGE),
    Record.LETTERS: ("renewal_letter", OF_LETTER),
    Record.EMAILS: ("outbox", OF_EMAIL),
    Record.CLAIMS: ("claim", "subscriber_id IN (:subscribers...)"),
    Record.REQUESTS: ("subscriber_request", "subscriber_id IN (:subscribers...)"),
    Record.DELIVERY_REPORTS: ("delivery_report", "subscription_id IN (:subscriptions...)"),
    Record.DISPATCH_LINES: ("dispatch_line", OF_LINE),
    Record.IMPORT_ROWS: ("import_row", _OF_ROW),
    Record.PAYERS: ("payer", "subscriber_id IN (:subscribers...)"),
    Record.INVOICES: ("invoice", "payer_id IN (:subscribers...)"),
    Record.PAYMENTS: ("payment", "payer_id IN (:subscribers...)"),
    Record.BANK_LINES: ("bank_line", f"payment_id IN ({_OF_PAYMENT})"),
    Record.MANDATES: ("mandate", "payer_id IN (:subscribers...)"),
    Record.REMINDERS: ("reminder", "payer_id IN (:subscribers...)"),
    Record.REMINDER_TERMS: ("reminder_term", f"invoice_id IN ({_OF_INVOICE})"),
    Record.HOLDS: ("subscription_hold", "subscription_id IN (:subscriptions...)"),
    Record.AUDIT_ENTRIES: ("audit", OF_AUDIT),
    Record.GIFTS: ("subscription", "id IN (:gifts...)"),
}
_ORDER = {
    "import_row": "batch_id, line, part",
    "payer": "subscriber_id",
    "reminder_term": "invoice_id",
}  # other tables have an id


async def list_rows(
    db: Connection, account_id: int, record: Record, person: DataSubject
) -> list[Row]:
    """All columns of the records of a kind, oldest first. Queries: one."""
    table, condition = OWNED[record]
    order = _ORDER.get(table, "id")
    return await db.fetch_all(
        f"SELECT * FROM {table} WHERE account_id = :account_id AND {condition} ORDER BY {order}",  # noqa: S608 - the constants above
        person.parameters(account_id),
    )


class GiftOrder(Struct, frozen=True, kw_only=True):
    """An order of a gift. id: of its period. The amounts are in minor units."""

    id: int
    subscription_id: str
    order_id: str
    order_date: date | None
    price: int
    discount_amount: int
    refunded: int
    currency: str
    payment_method: str | None
    transaction_id: str | None


async def list_gift_orders(db: Connection, account_id: int, person: DataSubject) -> list[GiftOrder]:
    """The orders of the gifts that they gave, oldest first. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT
            id,
            subscription_id,
            order_id,
            order_date,
            price,
            discount_amount,
            refunded,
            currency,
            payment_method,
            transaction_id
        FROM period
        WHERE account_id = :account_id AND subscription_id IN (:gifts...)
        ORDER BY id
        """,
        person.parameters(account_id),
        into=GiftOrder,
    )


_COUNT_ROWS = " UNION ALL ".join(
    f"""
    SELECT '{record}' AS record, count(*) AS count
    FROM {table}
    WHERE account_id = :account_id AND {condition}
    """  # noqa: S608 - the constants above
    for record, (table, condition) in OWNED.items()
)


async def count_rows(db: Connection, account_id: int, person: DataSubject) -> dict[Record, int]:
    """The number of records of each kind, without kinds that have none. Queries: one."""
    rows = await db.fetch_all(_COUNT_ROWS, person.parameters(account_id))
    counts = {row["record"]: row["count"] for row in rows}
    return {record: counts[record] for record in OWNED if counts[record]}


async def list_running(db: Connection, account_id: int, person: DataSubject) -> list[str]:
    """The ids of the subscriptions that are not over: live ones, and those with unsent copies.

    Queries: one.
    """
    rows = await db.fetch_all(
        """
        SELECT s.id
        FROM subscription s
        WHERE s.account_id = :account_id
          AND s.id IN (:subscriptions...)
          AND (
              (s.status NOT IN ('Cancelled', 'Complete')) IS TRUE
              OR EXISTS (
                  SELECT 1
                  FROM copy c
                  WHERE c.account_id = :account_id
                    AND c.subscription_id = s.id
                    AND (c.status NOT IN ('Sent', 'Cancelled')) IS TRUE
              )
          )
        ORDER BY s.id
        """,
        person.parameters(account_id),
    )
    return [row["id"] for row in rows]
