"""Sending out an issue: dispatch runs, their lines and files, claims and delivery reports.

A copy or a claim belongs to at most one live run, so its row names that run. Lines have no foreign
keys to copies and claims: they keep what was frozen, and `masthead check` checks them.
"""

COLUMNS = (
    "ALTER TABLE account ADD COLUMN country text",
    "ALTER TABLE account ADD COLUMN max_replacements bigint NOT NULL DEFAULT 2",
    "ALTER TABLE account ADD COLUMN max_replacements_issues bigint NOT NULL DEFAULT 6",
    "ALTER TABLE account_state ADD COLUMN last_line bigint NOT NULL DEFAULT 0",
    "ALTER TABLE copy ADD COLUMN dispatch_id text",
)

TABLES = (
    """
    CREATE TABLE dispatch (
        account_id bigint NOT NULL,
        id text NOT NULL,
        issue_id text NOT NULL,
        issue_number bigint NOT NULL,
        number bigint NOT NULL,
        status text NOT NULL,
        selection text NOT NULL,
        layout text NOT NULL,
        first_line bigint NOT NULL,
        lines bigint NOT NULL,
        copies bigint NOT NULL,
        replacements bigint NOT NULL,
        fingerprint text NOT NULL,
        date_sent date,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        marked_at timestamptz,
        undone_at timestamptz,
        discarded_at timestamptz,
        CONSTRAINT dispatch_pk PRIMARY KEY (account_id, id),
        CONSTRAINT dispatch_number UNIQUE (account_id, issue_number, number),
        CONSTRAINT dispatch_issue FOREIGN KEY (account_id, issue_id)
            REFERENCES issue (account_id, id)
    )
    """,
    """
    CREATE TABLE dispatch_line (
        account_id bigint NOT NULL,
        id bigint NOT NULL,
        dispatch_id text NOT NULL,
        copy_id bigint NOT NULL,
        claim_id text NOT NULL,
        subscription_id text NOT NULL,
        subscriber_id text NOT NULL,
        issue_number bigint NOT NULL,
        medium text NOT NULL,
        first_name text,
        last_name text,
        company text,
        address1 text,
        address2 text,
        city text,
        state text,
        postcode text,
        country text NOT NULL,
        status text NOT NULL,
        left_reason text,
        left_at timestamptz,
        shipped_date date,
        CONSTRAINT dispatch_line_pk PRIMARY KEY (account_id, id),
        CONSTRAINT dispatch_line_dispatch FOREIGN KEY (account_id, dispatch_id)
            REFERENCES dispatch (account_id, id)
    )
    """,
    """
    CREATE TABLE export_profile (
        account_id bigint NOT NULL,
        id text NOT NULL,
        name text NOT NULL,
        settings text NOT NULL,
        is_active boolean NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        CONSTRAINT export_profile_pk PRIMARY KEY (account_id, id),
        CONSTRAINT export_profile_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE dispatch_file (
        account_id bigint NOT NULL,
        id text NOT NULL,
        dispatch_id text NOT NULL,
        format text NOT NULL,
        profile_id text NOT NULL,
        profile_name text NOT NULL,
        settings text NOT NULL,
        name text NOT NULL,
        status text NOT NULL,
        attempts bigint NOT NULL,
        progress bigint NOT NULL,
        lines bigint NOT NULL,
        bytes bigint NOT NULL,
        totals text,
        sha256 text,
        error text,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        ready_at timestamptz,
        CONSTRAINT dispatch_file_pk PRIMARY KEY (account_id, id),
        CONSTRAINT dispatch_file_dispatch FOREIGN KEY (account_id, dispatch_id)
            REFERENCES dispatch (account_id, id)
    )
    """,
    """
    CREATE TABLE dispatch_file_part (
        account_id bigint NOT NULL,
        file_id text NOT NULL,
        part bigint NOT NULL,
        content bytea NOT NULL,
        CONSTRAINT dispatch_file_part_pk PRIMARY KEY (account_id, file_id, part),
        CONSTRAINT dispatch_file_part_file FOREIGN KEY (account_id, file_id)
            REFERENCES dispatch_file (account_id, id)
    )
    """,
    """
    CREATE TABLE claim (
        account_id bigint NOT NULL,
        id text NOT NULL,
        copy_id bigint NOT NULL,
        subscription_id text NOT NULL,
        subscriber_id text NOT NULL,
        issue_number bigint NOT NULL,
        country text NOT NULL,
        reason text NOT NULL,
        notes text,
        wants_replacement boolean NOT NULL,
        status text NOT NULL,
        dispatch_id text,
        date_sent date,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        closed_at timestamptz,
        CONSTRAINT claim_pk PRIMARY KEY (account_id, id),
        CONSTRAINT claim_copy FOREIGN KEY (account_id, copy_id) REFERENCES copy (account_id, id)
    )
    """,
    """
    CREATE TABLE delivery_report (
        account_id bigint NOT NULL,
        id text NOT NULL,
        kind text NOT NULL,
        status text NOT NULL,
        line_id bigint,
        copy_id bigint NOT NULL,
        subscription_id text NOT NULL,
        subscriber_id text NOT NULL,
        issue_number bigint NOT NULL,
        reason text,
        report_date date,
        old_address text NOT NULL,
        new_address text,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        resolved_at timestamptz,
        CONSTRAINT delivery_report_pk PRIMARY KEY (account_id, id),
        CONSTRAINT delivery_report_subscription FOREIGN KEY (account_id, subscription_id)
            REFERENCES subscription (account_id, id)
    )
    """,
    """
    CREATE TABLE carrier_file (
        account_id bigint NOT NULL,
        id text NOT NULL,
        kind text NOT NULL,
        name text NOT NULL,
        bytes bigint NOT NULL,
        summary text,
        created_at timestamptz NOT NULL,
        imported_at timestamptz,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        CONSTRAINT carrier_file_pk PRIMARY KEY (account_id, id),
        CONSTRAINT carrier_file_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE carrier_file_part (
        account_id bigint NOT NULL,
        file_id text NOT NULL,
        kind text NOT NULL,
        part bigint NOT NULL,
        content bytea NOT NULL,
        CONSTRAINT carrier_file_part_pk PRIMARY KEY (account_id, file_id, kind, part),
        CONSTRAINT carrier_file_part_file FOREIGN KEY (account_id, file_id)
            REFERENCES carrier_file (account_id, id)
    )
    """,
)

INDEXES = (
    "CREATE INDEX copy_by_dispatch ON copy (account_id, dispatch_id, id)",
    "CREATE INDEX dispatch_line_by_dispatch ON dispatch_line (account_id, dispatch_id, id)",
    "CREATE INDEX dispatch_line_by_copy ON dispatch_line (account_id, copy_id, id)",
    "CREATE INDEX dispatch_file_by_dispatch ON dispatch_file (account_id, dispatch_id, id)",
    "CREATE INDEX dispatch_file_by_status ON dispatch_file (status, created_at)",
    "CREATE INDEX claim_by_issue ON claim (account_id, issue_number, status, id)",
    "CREATE INDEX claim_by_copy ON claim (account_id, copy_id, id)",
    "CREATE INDEX claim_by_status ON claim (account_id, status, id)",
    "CREATE INDEX claim_by_subscriber ON claim (account_id, subscriber_id, id)",
    "CREATE INDEX claim_by_dispatch ON claim (account_id, dispatch_id, id)",
    "CREATE INDEX delivery_report_by_subscription"
    " ON delivery_report (account_id, subscription_id, status, kind)",
    "CREATE INDEX delivery_report_by_status ON delivery_report (account_id, status, kind, id)",
    "CREATE INDEX delivery_report_by_copy ON delivery_report (account_id, copy_id, id)",
)
STATEMENTS = (*COLUMNS, *TABLES, *INDEXES)
