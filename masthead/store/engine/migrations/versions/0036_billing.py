"""Invoices, payments, and what payers owe.

The version before neither bills nor shows what is owed: to it, billed orders are paid.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE period ADD COLUMN is_billed boolean",
    """
    CREATE INDEX period_billed ON period (
        account_id, order_date, currency, source_id, product_id, price, discount_amount
    )
    WHERE is_billed
    """,
    """
    CREATE TABLE billing (
        account_id bigint NOT NULL,
        name text NOT NULL,
        street text NOT NULL,
        postcode text NOT NULL,
        city text NOT NULL,
        country text NOT NULL,
        vat_id text NOT NULL,
        tax_number text NOT NULL,
        email text NOT NULL,
        phone text NOT NULL,
        bank text NOT NULL,
        iban text NOT NULL,
        bic text NOT NULL,
        footer text NOT NULL,
        is_small_business boolean NOT NULL,
        prices_include_vat boolean NOT NULL,
        digital_percent bigint NOT NULL,
        due_days bigint NOT NULL,
        series text NOT NULL,
        updated_at timestamptz NOT NULL,
        CONSTRAINT billing_pk PRIMARY KEY (account_id),
        CONSTRAINT billing_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE vat_rate (
        account_id bigint NOT NULL,
        first_day date NOT NULL,
        place text NOT NULL,
        product_id text NOT NULL,
        medium text NOT NULL,
        rate bigint NOT NULL,
        CONSTRAINT vat_rate_pk PRIMARY KEY (account_id, first_day, place, product_id, medium),
        CONSTRAINT vat_rate_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE ledger_account (
        account_id bigint NOT NULL,
        name text NOT NULL,
        number text NOT NULL,
        CONSTRAINT ledger_account_pk PRIMARY KEY (account_id, name),
        CONSTRAINT ledger_account_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE payer (
        account_id bigint NOT NULL,
        subscriber_id text NOT NULL,
        number bigint NOT NULL,
        vat_id text NOT NULL,
        bills_together boolean NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT payer_pk PRIMARY KEY (account_id, subscriber_id),
        CONSTRAINT payer_number UNIQUE (account_id, number),
        CONSTRAINT payer_subscriber FOREIGN KEY (account_id, subscriber_id)
            REFERENCES subscriber (account_id, id)
    )
    """,
    """
    CREATE TABLE number_series (
        account_id bigint NOT NULL,
        series text NOT NULL,
        last_number bigint NOT NULL,
        CONSTRAINT number_series_pk PRIMARY KEY (account_id, series),
        CONSTRAINT number_series_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE invoice (
        account_id bigint NOT NULL,
        id text NOT NULL,
        kind text NOT NULL,
        series text NOT NULL,
        series_number bigint NOT NULL,
        number text NOT NULL,
        payer_id text NOT NULL,
        payer_name text NOT NULL,
        issue_date date NOT NULL,
        due_date date NOT NULL,
        currency text NOT NULL,
        net bigint NOT NULL,
        vat bigint NOT NULL,
        total bigint NOT NULL,
        open_amount bigint NOT NULL,
        corrects_id text,
        document text NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        CONSTRAINT invoice_pk PRIMARY KEY (account_id, id),
        CONSTRAINT invoice_number UNIQUE (account_id, number),
        CONSTRAINT invoice_series UNIQUE (account_id, series, series_number),
        CONSTRAINT invoice_payer FOREIGN KEY (account_id, payer_id)
            REFERENCES payer (account_id, subscriber_id)
    )
    """,
    "CREATE INDEX invoice_by_payer ON invoice (account_id, payer_id, id)",
    "CREATE INDEX invoice_by_corrected ON invoice (account_id, corrects_id)",
    "CREATE INDEX invoice_by_date ON invoice (account_id, issue_date, id)",
    """
    CREATE INDEX invoice_by_due_date ON invoice (
        account_id, due_date, id, currency, payer_id, open_amount
    )
    WHERE open_amount <> 0
    """,
    """
    CREATE TABLE invoice_line (
        account_id bigint NOT NULL,
        invoice_id text NOT NULL,
        line bigint NOT NULL,
        period_id bigint NOT NULL,
        country text NOT NULL,
        category text NOT NULL,
        rate bigint NOT NULL,
        net bigint NOT NULL,
        vat bigint NOT NULL,
        CONSTRAINT invoice_line_pk PRIMARY KEY (account_id, invoice_id, line),
        CONSTRAINT invoice_line_invoice FOREIGN KEY (account_id, invoice_id)
            REFERENCES invoice (account_id, id)
    )
    """,
    "CREATE INDEX invoice_line_by_period ON invoice_line (account_id, period_id)",
    """
    CREATE TABLE billed_order (
        account_id bigint NOT NULL,
        period_id bigint NOT NULL,
        payer_id text NOT NULL,
        order_reference text NOT NULL,
        due_days bigint NOT NULL,
        invoice_id text,
        created_at timestamptz NOT NULL,
        CONSTRAINT billed_order_pk PRIMARY KEY (account_id, period_id),
        CONSTRAINT billed_order_period FOREIGN KEY (account_id, period_id)
            REFERENCES period (account_id, id),
        CONSTRAINT billed_order_payer FOREIGN KEY (account_id, payer_id)
            REFERENCES payer (account_id, subscriber_id)
    )
    """,
    "CREATE INDEX billed_order_by_payer ON billed_order (account_id, payer_id, period_id)",
    "CREATE INDEX billed_order_by_invoice ON billed_order (account_id, invoice_id, period_id)",
    """
    CREATE TABLE payment (
        account_id bigint NOT NULL,
        id text NOT NULL,
        payer_id text,
        payment_date date NOT NULL,
        amount bigint NOT NULL,
        currency text NOT NULL,
        method text NOT NULL,
        reference text NOT NULL,
        source_id text,
        product_id text,
        unused_amount bigint NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        undone_at timestamptz,
        CONSTRAINT payment_pk PRIMARY KEY (account_id, id),
        CONSTRAINT payment_payer FOREIGN KEY (account_id, payer_id)
            REFERENCES payer (account_id, subscriber_id)
    )
    """,
    "CREATE INDEX payment_by_payer ON payment (account_id, payer_id, id)",
    """
    CREATE INDEX payment_by_date ON payment (
        account_id, payment_date, currency, source_id, product_id, amount, undone_at
    )
    """,
    """
    CREATE INDEX payment_unused ON payment (account_id, payer_id, id)
    WHERE unused_amount <> 0
    """,
    """
    CREATE TABLE settlement (
        account_id bigint NOT NULL,
        id text NOT NULL,
        invoice_id text,
        payback_id text,
        payment_id text,
        credit_note_id text,
        amount bigint NOT NULL,
        settled_date date NOT NULL,
        reason text NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        CONSTRAINT settlement_pk PRIMARY KEY (account_id, id),
        CONSTRAINT settlement_invoice FOREIGN KEY (account_id, invoice_id)
            REFERENCES invoice (account_id, id),
        CONSTRAINT settlement_payment FOREIGN KEY (account_id, payment_id)
            REFERENCES payment (account_id, id)
    )
    """,
    "CREATE INDEX settlement_by_invoice ON settlement (account_id, invoice_id, id)",
    "CREATE INDEX settlement_by_payback ON settlement (account_id, payback_id, id)",
    "CREATE INDEX settlement_by_payment ON settlement (account_id, payment_id, id)",
    """
    CREATE INDEX settlement_written_off ON settlement (account_id, settled_date)
    WHERE payment_id IS NULL AND credit_note_id IS NULL
    """,
    "CREATE INDEX settlement_by_credit_note ON settlement (account_id, credit_note_id, id)",
)
