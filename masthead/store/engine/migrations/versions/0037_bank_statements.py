"""Bank statements, their lines, and how open invoices are found for them.

The version before ignores them: what their lines have paid is in `payment` and `settlement`.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE bank_statement (
        account_id bigint NOT NULL,
        id text NOT NULL,
        name text NOT NULL,
        sha256 text NOT NULL,
        part bigint NOT NULL,
        format text NOT NULL,
        iban text NOT NULL,
        currency text NOT NULL,
        opening bigint,
        closing bigint,
        first_date date,
        last_date date,
        lines bigint NOT NULL,
        kept bigint NOT NULL,
        known bigint NOT NULL,
        pending bigint NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        CONSTRAINT bank_statement_pk PRIMARY KEY (account_id, id),
        CONSTRAINT bank_statement_file UNIQUE (account_id, sha256, part),
        CONSTRAINT bank_statement_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE bank_line (
        account_id bigint NOT NULL,
        id text NOT NULL,
        statement_id text NOT NULL,
        digest text NOT NULL,
        booking_date date NOT NULL,
        value_date date,
        amount bigint NOT NULL,
        currency text NOT NULL,
        name text NOT NULL,
        iban text NOT NULL,
        reference text NOT NULL,
        text text NOT NULL,
        return_reason text NOT NULL,
        original_amount bigint,
        status text NOT NULL,
        payment_id text,
        reason text NOT NULL,
        decided_at timestamptz,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        CONSTRAINT bank_line_pk PRIMARY KEY (account_id, id),
        CONSTRAINT bank_line_digest UNIQUE (account_id, digest),
        CONSTRAINT bank_line_statement FOREIGN KEY (account_id, statement_id)
            REFERENCES bank_statement (account_id, id),
        CONSTRAINT bank_line_payment FOREIGN KEY (account_id, payment_id)
            REFERENCES payment (account_id, id)
    )
    """,
    "CREATE INDEX bank_line_by_status ON bank_line (account_id, status, id)",
    "CREATE INDEX bank_line_by_statement ON bank_line (account_id, statement_id, status, id)",
    """
    CREATE INDEX bank_line_by_payment ON bank_line (account_id, payment_id)
    WHERE payment_id IS NOT NULL
    """,
    """
    CREATE INDEX bank_line_by_iban ON bank_line (account_id, iban, id)
    WHERE payment_id IS NOT NULL
    """,
    """
    CREATE INDEX invoice_by_open_amount ON invoice (account_id, open_amount, id)
    WHERE open_amount > 0
    """,
    "CREATE INDEX invoice_by_payer_name ON invoice (account_id, lower(payer_name))",
)
