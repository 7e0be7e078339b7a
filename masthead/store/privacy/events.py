"""Remove what the events of an account say about a subscriber."""

from masthead.store.engine.interface import Transaction
from masthead.store.privacy.records import DataSubject


async def erase_events(tx: Transaction, account_id: int, subject: DataSubject) -> None:
    """Remove the records from the events about them and the gifts that they gave. Queries: one."""
    await tx.execute(
        """
        UPDATE event
        SET data = NULL
        WHERE account_id = :account_id
          AND data IS NOT NULL
          AND record_id IN (
              SELECT id
              FROM subscriber
              WHERE account_id = :account_id AND id IN (:subscribers...)
              UNION ALL
              SELECT id
              FROM subscription
              WHERE account_id = :account_id
                AND (id IN (:subscriptions...) OR id IN (:gifts...))
              UNION ALL
              SELECT id
              FROM invoice
              WHERE account_id = :account_id AND payer_id IN (:subscribers...)
              UNION ALL
              SELECT id
              FROM payment
              WHERE account_id = :account_id AND payer_id IN (:subscribers...)
              UNION ALL
              SELECT id
              FROM claim
              WHERE account_id = :account_id AND subscriber_id IN (:subscribers...)
              UNION ALL
              SELECT id
              FROM delivery_report
              WHERE account_id = :account_id AND subscription_id IN (:subscriptions...)
              UNION ALL
              SELECT r.id
              FROM refund r
              JOIN period p ON p.account_id = r.account_id AND p.id = r.period_id
              WHERE r.account_id = :account_id AND p.subscription_id IN (:subscriptions...)
          )
        """,
        subject.parameters(account_id),
    )
