"""Reminders of overdue invoices, and subscriptions whose copies wait.

The version before puts held copies into mailings, and sends an email without the letter that is
attached: hold and remind nobody while it still runs.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE subscription_hold (
        account_id bigint NOT NULL,
        id text NOT NULL,
        subscription_id text NOT NULL,
        invoice_id text,
        reason text NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        ended_at timestamptz,
        ended_by text,
        CONSTRAINT subscription_hold_pk PRIMARY KEY (account_id, id),
        CONSTRAINT subscription_hold_subscription FOREIGN KEY (account_id, subscription_id)
            REFERENCES subscription (account_id, id)
    )
    """,
    """
    CREATE INDEX subscription_hold_by_subscription ON subscription_hold (
        account_id, subscription_id, id
    )
    """,
    """
    CREATE INDEX subscription_hold_open ON subscription_hold (account_id, subscription_id)
    WHERE ended_at IS NULL
    """,
    """
    CREATE INDEX subscription_hold_by_invoice ON subscription_hold (account_id, invoice_id, id)
    WHERE invoice_id IS NOT NULL
    """,
    """
    CREATE TABLE reminder_setting (
        account_id bigint NOT NULL,
        least_amount bigint NOT NULL,
        hold_stage bigint NOT NULL,
        updated_at timestamptz NOT NULL,
        CONSTRAINT reminder_setting_pk PRIMARY KEY (account_id),
        CONSTRAINT reminder_setting_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE reminder_stage (
        account_id bigint NOT NULL,
        stage bigint NOT NULL,
        name text NOT NULL,
        days bigint NOT NULL,
        fee bigint NOT NULL,
        subject text NOT NULL,
        text text NOT NULL,
        encloses_invoices boolean NOT NULL,
        is_printed boolean NOT NULL,
        updated_at timestamptz NOT NULL,
        CONSTRAINT reminder_stage_pk PRIMARY KEY (account_id, stage),
        CONSTRAINT reminder_stage_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE reminder_round (
        account_id bigint NOT NULL,
        id text NOT NULL,
        stage bigint NOT NULL,
        name text NOT NULL,
        letters bigint NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        stopped_at timestamptz,
        stopped bigint NOT NULL,
        CONSTRAINT reminder_round_pk PRIMARY KEY (account_id, id),
        CONSTRAINT reminder_round_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE reminder (
        account_id bigint NOT NULL,
        id text NOT NULL,
        round_id text NOT NULL,
        payer_id text NOT NULL,
        stage bigint NOT NULL,
        reminded_date date NOT NULL,
        channel text NOT NULL,
        status text NOT NULL,
        reason text,
        currency text NOT NULL,
        total bigint NOT NULL,
        fee_id text,
        encloses_invoices boolean NOT NULL,
        subject text NOT NULL,
        body text NOT NULL,
        address text NOT NULL,
        created_at timestamptz NOT NULL,
        ended_at timestamptz,
        CONSTRAINT reminder_pk PRIMARY KEY (account_id, id),
        CONSTRAINT reminder_of_round FOREIGN KEY (account_id, round_id)
            REFERENCES reminder_round (account_id, id),
        CONSTRAINT reminder_payer FOREIGN KEY (account_id, payer_id)
            REFERENCES payer (account_id, subscriber_id)
    )
    """,
    "CREATE INDEX reminder_by_round ON reminder (account_id, round_id, id)",
    "CREATE INDEX reminder_by_payer ON reminder (account_id, payer_id, id)",
    """
    CREATE INDEX reminder_by_fee ON reminder (account_id, fee_id)
    WHERE fee_id IS NOT NULL
    """,
    """
    CREATE TABLE reminder_item (
        account_id bigint NOT NULL,
        reminder_id text NOT NULL,
        invoice_id text NOT NULL,
        stage bigint NOT NULL,
        due_date date NOT NULL,
        open_amount bigint NOT NULL,
        CONSTRAINT reminder_item_pk PRIMARY KEY (account_id, reminder_id, invoice_id),
        CONSTRAINT reminder_item_reminder FOREIGN KEY (account_id, reminder_id)
            REFERENCES reminder (account_id, id),
        CONSTRAINT reminder_item_invoice FOREIGN KEY (account_id, invoice_id)
            REFERENCES invoice (account_id, id)
    )
    """,
    "CREATE INDEX reminder_item_by_invoice ON reminder_item (account_id, invoice_id, reminder_id)",
    """
    CREATE TABLE reminder_term (
        account_id bigint NOT NULL,
        invoice_id text NOT NULL,
        promised_date date,
        is_stopped boolean NOT NULL,
        is_disputed boolean NOT NULL,
        reason text NOT NULL,
        updated_at timestamptz NOT NULL,
        CONSTRAINT reminder_term_pk PRIMARY KEY (account_id, invoice_id),
        CONSTRAINT reminder_term_invoice FOREIGN KEY (account_id, invoice_id)
            REFERENCES invoice (account_id, id)
    )
    """,
    "ALTER TABLE payer ADD COLUMN reminders_stopped_at timestamptz",
    "ALTER TABLE payer ADD COLUMN reminders_stop_reason text",
    "ALTER TABLE outbox ADD COLUMN reminder_id text",
)
