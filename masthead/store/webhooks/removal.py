"""Delete what is no longer needed of messages to webhooks."""

from masthead.store.engine.interface import Transaction


async def delete_old_messages(tx: Transaction, account_id: int) -> None:
    """Delete messages whose events were deleted, except those that wait. Queries: one."""
    await tx.execute(
        """
        DELETE FROM webhook_delivery
        WHERE account_id = :account_id
          AND number > 0
          AND next_attempt_at IS NULL
          AND number < (
              SELECT coalesce(
                  (SELECT min(number) FROM event WHERE account_id = :account_id),
                  (SELECT last_event + 1 FROM account_state WHERE account_id = :account_id)
              )
          )
        """,
        {"account_id": account_id},
    )


async def erase_answers(tx: Transaction, account_id: int) -> None:
    """Delete what receivers have answered: it may contain anything of the messages."""
    await tx.execute(
        """
        UPDATE webhook_delivery
        SET answer = NULL
        WHERE account_id = :account_id AND answer IS NOT NULL
        """,
        {"account_id": account_id},
    )
