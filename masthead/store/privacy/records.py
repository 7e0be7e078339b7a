"""The records about a subscriber: which rows of which tables they are."""

from collections.abc import Mapping

from msgspec import Struct

from masthead.model.privacy.erasures import Record
from masthead.model.privacy.redaction import lower_forms
from masthead.store.engine.interface import Connection, Row


class Owner(Struct, frozen=True, kw_only=True):
    """A subscriber with everything that identifies their records.

    subscribers: the ids of the subscriber and of those merged into them, the kept one first.
    subscriptions: the ids of theirs; gifts: of those that they gave. emails: all addresses that
    they have or had, for comparison; spellings: as they were written.
    """

    subscribers: list[str]
    subscriptions: list[str]
    gifts: list[str]
    emails: list[str]
    spellings: list[str] = []

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
            "emails": sorted(lower_forms([*self.emails, *self.spellings])),
        }


# A letter about a gift goes to the giver
OF_LETTER = """
    SELECT l.id
    FROM renewal_letter l WHERE l.account_id = :account_id
      AND (l.subscriber_id IN (:subscribers...) OR l.subscription_id IN (:gifts...))
"""
_OF_EITHER = "(subscriber_id IN (:subscribers...) OR subscription_id IN (:subscriptions...))"
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
OF_EMAIL = f"""(
    subscriber_id IN (:subscribers...)
    OR lower(recipient) IN (:emails...)
    OR letter_id IN ({OF_LETTER})
)"""
OF_AUDIT = f"""(
    (subject_type = 'subscriber' AND subject_id IN (:subscribers...))
    OR (subject_type = 'subscription' AND subject_id IN (:subscriptions...))
    OR (
        subject_type = 'claim'
        AND subject_id IN (
            SELECT k.id
            FROM claim k
            WHERE k.account_id = :account_id AND k.subscription_id IN (:subscriptions...)
        )
    )
    OR (
        subject_type = 'delivery_report'
        AND subject_id IN (
            SELECT r.id
            FROM delivery_report r
            WHERE r.account_id = :account_id AND r.subscription_id IN (:subscriptions...)
        )
    )
    OR (
        subject_type IN ('invoice', 'payment')
        AND subject_id IN (
            SELECT i.id
            FROM invoice i
            WHERE i.account_id = :account_id AND i.payer_id IN (:subscribers...)
            UNION ALL
            {_OF_PAYMENT}
        )
    )
    OR (
        subject_type = 'copy'
        AND subject_id IN (
            SELECT CAST(c.id AS text)
            FROM copy c
            WHERE c.account_id = :account_id AND c.subscriber_id IN (:subscribers...)
        )
    )
    OR (
        subject_type = 'email'
        AND subject_id IN (
            SELECT o.id
            FROM outbox o
            WHERE o.account_id = :account_id AND {OF_EMAIL}
        )
    )
)"""  # noqa: S608 - the statements above

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
    Record.LETTERS: ("renewal_letter", f"id IN ({OF_LETTER})"),
    Record.EMAILS: ("outbox", OF_EMAIL),
    Record.CLAIMS: ("claim", "subscriber_id IN (:subscribers...)"),
    Record.REQUESTS: ("subscriber_request", "subscriber_id IN (:subscribers...)"),
    Record.DELIVERY_REPORTS: ("delivery_report", "subscription_id IN (:subscriptions...)"),
    Record.DISPATCH_LINES: ("dispatch_line", OF_LINE),
    Record.IMPORT_ROWS: ("import_row", _OF_EITHER),
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


async def list_rows(db: Connection, account_id: int, record: Record, owner: Owner) -> list[Row]:
    """All columns of the records of a kind, oldest first. Queries: one."""
    table, condition = OWNED[record]
    order = _ORDER.get(table, "id")
    return await db.fetch_all(
        f"SELECT * FROM {table} WHERE account_id = :account_id AND {condition} ORDER BY {order}",  # noqa: S608 - the constants above
        owner.parameters(account_id),
    )


async def count_rows(db: Connection, account_id: int, owner: Owner) -> dict[Record, int]:
    """The number of records of each kind, without kinds that have none. Queries: one each."""
    counts = {}
    for record, (table, condition) in OWNED.items():
        [row] = await db.fetch_all(
            f"SELECT count(*) AS count FROM {table} WHERE account_id = :account_id AND {condition}",  # noqa: S608 - the constants above
            owner.parameters(account_id),
        )
        if row["count"]:
            counts[record] = row["count"]
    return counts


async def list_running(db: Connection, account_id: int, owner: Owner) -> list[str]:
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
        owner.parameters(account_id),
    )
    return [row["id"] for row in rows]
