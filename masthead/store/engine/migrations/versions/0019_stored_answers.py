"""The stored answers of requests with an `Idempotency-Key`. decision 0055.

The primary key is unique for an account, so that of two requests with one key only one commits.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE stored_answer (
        account_id bigint NOT NULL,
        key_digest text NOT NULL,
        request_digest text NOT NULL,
        status bigint NOT NULL,
        body text,
        made_at timestamptz NOT NULL,
        CONSTRAINT stored_answer_pk PRIMARY KEY (account_id, key_digest),
        CONSTRAINT stored_answer_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    "CREATE INDEX stored_answer_by_age ON stored_answer (account_id, made_at)",
)
