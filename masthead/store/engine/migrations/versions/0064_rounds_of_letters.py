"""The round of a batch of renewal letters, so that one that is written again stays in its round.

The version before leaves it empty; then the batch is a round of its own.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE letter_batch ADD COLUMN round_id text",
    """
    CREATE INDEX letter_batch_by_round ON letter_batch (account_id, round_id)
        WHERE round_id IS NOT NULL
    """,
)
