"""Direct debits: mandates of payers, what is collected, and the files for the bank.

The version before neither collects nor takes back: to it, these invoices are open.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE billed_order ADD COLUMN is_debited boolean",
    """
    CREATE TABLE debit_settings (
        account_id bigint NOT NULL,
        creditor_id text NOT NULL,
        notice_days bigint NOT NULL,
        updated_at timestamptz NOT NULL,
        CONSTRAINT debit_settings_pk PRIMARY KEY (account_id),
        CONSTRAINT debit_settings_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE mandate (
        account_id bigint NOT NULL,
        id text NOT NULL,
        payer_id text NOT NULL,
        reference text NOT NULL,
        iban text NOT NULL,
        bic text NOT NULL,
        holder text NOT NULL,
        is_recurring boolean NOT NULL,
        signed_date date NOT NULL,
        last_used_date date,
        revoked_date date,
        revoke_reason text NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        CONSTRAINT mandate_pk PRIMARY KEY (account_id, id),
        CONSTRAINT mandate_payer FOREIGN KEY (account_id, payer_id)
            REFERENCES payer (account_id, subscriber_id)
    )
    """,
    "CREATE UNIQUE INDEX mandate_by_reference ON mandate (account_id, upper(reference))",
    "CREATE INDEX mandate_by_payer ON mandate (account_id, payer_id, id)",
    """
    CREATE TABLE mandate_file (
        account_id bigint NOT NULL,
        mandate_id text NOT NULL,
        media_type text NOT NULL,
        content bytea NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT mandate_file_pk PRIMARY KEY (account_id, mandate_id),
        CONSTRAINT mandate_file_mandate FOREIGN KEY (account_id, mandate_id)
            REFERENCES mandate (account_id, id)
    )
    """,
    """
    CREATE TABLE collection (
        account_id bigint NOT NULL,
        id text NOT NULL,
        number bigint NOT NULL,
        collect_date date NOT NULL,
        currency text NOT NULL,
        debits bigint NOT NULL,
        total bigint NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        sent_at timestamptz,
        cancelled_at timestamptz,
        CONSTRAINT collection_pk PRIMARY KEY (account_id, id),
        CONSTRAINT collection_number UNIQUE (account_id, number),
        CONSTRAINT collection_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE collection_file (
        account_id bigint NOT NULL,
        collection_id text NOT NULL,
        content bytea NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT collection_file_pk PRIMARY KEY (account_id, collection_id),
        CONSTRAINT collection_file_collection FOREIGN KEY (account_id, collection_id)
            REFERENCES collection (account_id, id)
    )
    """,
    """
    CREATE TABLE debit (
        account_id bigint NOT NULL,
        id text NOT NULL,
        invoice_id text NOT NULL,
        mandate_id text NOT NULL,
        collect_date date NOT NULL,
        status text NOT NULL,
        collection_id text,
        sequence_type text NOT NULL,
        amount bigint,
        payment_id text,
        line_id text,
        return_reason text NOT NULL,
        returned_date date,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        CONSTRAINT debit_pk PRIMARY KEY (account_id, id),
        CONSTRAINT debit_invoice FOREIGN KEY (account_id, invoice_id)
            REFERENCES invoice (account_id, id),
        CONSTRAINT debit_mandate FOREIGN KEY (account_id, mandate_id)
            REFERENCES mandate (account_id, id),
        CONSTRAINT debit_collection FOREIGN KEY (account_id, collection_id)
            REFERENCES collection (account_id, id),
        CONSTRAINT debit_payment FOREIGN KEY (account_id, payment_id)
            REFERENCES payment (account_id, id)
    )
    """,
    # An invoice is collected once at a time
    """
    CREATE UNIQUE INDEX debit_in_progress ON debit (account_id, invoice_id)
    WHERE status IN ('waiting', 'collected')
    """,
    "CREATE INDEX debit_by_status ON debit (account_id, status, collect_date, id)",
    "CREATE INDEX debit_by_invoice ON debit (account_id, invoice_id, id)",
    "CREATE INDEX debit_by_mandate ON debit (account_id, mandate_id, id)",
    "CREATE INDEX debit_by_collection ON debit (account_id, collection_id, id)",
    """
    CREATE INDEX debit_by_payment ON debit (account_id, payment_id)
    WHERE payment_id IS NOT NULL
    """,
    """
    CREATE INDEX debit_by_line ON debit (account_id, line_id)
    WHERE line_id IS NOT NULL
    """,
)
