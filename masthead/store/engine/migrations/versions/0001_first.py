"""The first schema: the same SQL for SQLite, PostgreSQL and Citus.

`account_id` leads every key, so that the tables can be distributed by it; `account`, `app_user` and
`account_user` belong to no single account and become reference tables there. Constraints are named;
no triggers, sequences or expression indexes. The name of a column tells its type (see
`store.engine.database`).
"""

TABLES = (
    """
    CREATE TABLE account (
        id bigint NOT NULL,
        name text NOT NULL,
        subdomain text NOT NULL,
        currency text NOT NULL,
        is_active boolean NOT NULL,
        welcome_subject text NOT NULL,
        welcome_text text NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT account_pk PRIMARY KEY (id),
        CONSTRAINT account_subdomain UNIQUE (subdomain)
    )
    """,
    """
    CREATE TABLE app_user (
        id text NOT NULL,
        email text NOT NULL,
        email_key text NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT app_user_pk PRIMARY KEY (id),
        CONSTRAINT app_user_email UNIQUE (email_key)
    )
    """,
    """
    CREATE TABLE account_user (
        account_id bigint NOT NULL,
        user_id text NOT NULL,
        role text NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT account_user_pk PRIMARY KEY (account_id, user_id),
        CONSTRAINT account_user_account FOREIGN KEY (account_id) REFERENCES account (id),
        CONSTRAINT account_user_user FOREIGN KEY (user_id) REFERENCES app_user (id)
    )
    """,
    """
    CREATE TABLE account_state (
        account_id bigint NOT NULL,
        writes bigint NOT NULL,
        last_copy bigint NOT NULL,
        last_period bigint NOT NULL,
        last_entry bigint NOT NULL,
        daily_date date NOT NULL,
        CONSTRAINT account_state_pk PRIMARY KEY (account_id),
        CONSTRAINT account_state_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE api_key (
        account_id bigint NOT NULL,
        id text NOT NULL,
        user_id text NOT NULL,
        name text NOT NULL,
        scope text NOT NULL,
        prefix text NOT NULL,
        digest text NOT NULL,
        created_at timestamptz NOT NULL,
        last_used_at timestamptz,
        expires_at timestamptz,
        revoked_at timestamptz,
        CONSTRAINT api_key_pk PRIMARY KEY (account_id, id),
        CONSTRAINT api_key_digest UNIQUE (account_id, digest),
        CONSTRAINT api_key_account FOREIGN KEY (account_id) REFERENCES account (id),
        CONSTRAINT api_key_user FOREIGN KEY (user_id) REFERENCES app_user (id)
    )
    """,
    """
    CREATE TABLE source (
        account_id bigint NOT NULL,
        id text NOT NULL,
        name text NOT NULL,
        type text NOT NULL,
        is_active boolean NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT source_pk PRIMARY KEY (account_id, id),
        CONSTRAINT source_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE product (
        account_id bigint NOT NULL,
        id text NOT NULL,
        name text NOT NULL,
        benefits text NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT product_pk PRIMARY KEY (account_id, id),
        CONSTRAINT product_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE issue (
        account_id bigint NOT NULL,
        id text NOT NULL,
        number bigint NOT NULL,
        name text NOT NULL,
        release_date_actual date,
        release_date_fuzzy text,
        date_as_start_issue date,
        recurring_charge_date date,
        newsstand_ean text,
        created_at timestamptz NOT NULL,
        CONSTRAINT issue_pk PRIMARY KEY (account_id, id),
        CONSTRAINT issue_number UNIQUE (account_id, number),
        CONSTRAINT issue_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE subscriber (
        account_id bigint NOT NULL,
        id text NOT NULL,
        email text NOT NULL,
        email_key text NOT NULL,
        is_placeholder boolean NOT NULL,
        first_name text,
        last_name text,
        company text,
        subscription_count bigint NOT NULL,
        has_active_subscription boolean NOT NULL,
        latest_order_date date,
        latest_country text,
        ltv bigint NOT NULL,
        search_text text NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT subscriber_pk PRIMARY KEY (account_id, id),
        CONSTRAINT subscriber_email UNIQUE (account_id, email_key),
        CONSTRAINT subscriber_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE subscription (
        account_id bigint NOT NULL,
        id text NOT NULL,
        subscriber_id text NOT NULL,
        source_id text NOT NULL,
        product_id text NOT NULL,
        type text NOT NULL,
        status text NOT NULL,
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
        phone text,
        notes text,
        is_recurring boolean NOT NULL,
        is_comp boolean NOT NULL,
        is_gift boolean NOT NULL,
        gifter_name text,
        gifter_email text,
        start_issue bigint,
        last_issue bigint,
        total_length bigint NOT NULL,
        search_text text NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT subscription_pk PRIMARY KEY (account_id, id),
        CONSTRAINT subscription_subscriber FOREIGN KEY (account_id, subscriber_id)
            REFERENCES subscriber (account_id, id),
        CONSTRAINT subscription_source FOREIGN KEY (account_id, source_id)
            REFERENCES source (account_id, id),
        CONSTRAINT subscription_product FOREIGN KEY (account_id, product_id)
            REFERENCES product (account_id, id)
    )
    """,
    """
    CREATE TABLE period (
        account_id bigint NOT NULL,
        id bigint NOT NULL,
        subscription_id text NOT NULL,
        order_id text NOT NULL,
        order_date date,
        is_complete boolean NOT NULL,
        first_issue bigint,
        last_issue bigint,
        length bigint,
        interval_months bigint,
        period_start date,
        period_end date,
        price bigint NOT NULL,
        discount_amount bigint NOT NULL,
        refunded bigint NOT NULL,
        currency text NOT NULL,
        promo_code text,
        transaction_id text,
        created_at timestamptz NOT NULL,
        CONSTRAINT period_pk PRIMARY KEY (account_id, id),
        CONSTRAINT period_order UNIQUE (account_id, order_id),
        CONSTRAINT period_subscription FOREIGN KEY (account_id, subscription_id)
            REFERENCES subscription (account_id, id)
    )
    """,
    """
    CREATE TABLE copy (
        account_id bigint NOT NULL,
        id bigint NOT NULL,
        subscription_id text NOT NULL,
        period_id bigint NOT NULL,
        subscriber_id text NOT NULL,
        issue_id text NOT NULL,
        issue_number bigint NOT NULL,
        status text NOT NULL,
        date_sent date,
        country text NOT NULL,
        CONSTRAINT copy_pk PRIMARY KEY (account_id, id),
        CONSTRAINT copy_once UNIQUE (account_id, subscription_id, issue_number),
        CONSTRAINT copy_subscription FOREIGN KEY (account_id, subscription_id)
            REFERENCES subscription (account_id, id),
        CONSTRAINT copy_period FOREIGN KEY (account_id, period_id)
            REFERENCES period (account_id, id),
        CONSTRAINT copy_subscriber FOREIGN KEY (account_id, subscriber_id)
            REFERENCES subscriber (account_id, id),
        CONSTRAINT copy_issue FOREIGN KEY (account_id, issue_id)
            REFERENCES issue (account_id, id)
    )
    """,
    """
    CREATE TABLE audit (
        account_id bigint NOT NULL,
        id bigint NOT NULL,
        happened_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        action text NOT NULL,
        subject_type text NOT NULL,
        subject_id text NOT NULL,
        before text,
        after text,
        CONSTRAINT audit_pk PRIMARY KEY (account_id, id),
        CONSTRAINT audit_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE outbox (
        account_id bigint NOT NULL,
        id text NOT NULL,
        message_id text NOT NULL,
        recipient text NOT NULL,
        subject text NOT NULL,
        body text NOT NULL,
        status text NOT NULL,
        attempts bigint NOT NULL,
        last_error text,
        created_at timestamptz NOT NULL,
        next_attempt_at timestamptz NOT NULL,
        sent_at timestamptz,
        CONSTRAINT outbox_pk PRIMARY KEY (account_id, id),
        CONSTRAINT outbox_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE lease (
        name text NOT NULL,
        holder text NOT NULL,
        until_at timestamptz NOT NULL,
        CONSTRAINT lease_pk PRIMARY KEY (name)
    )
    """,
)

INDEXES = (
    "CREATE INDEX subscription_by_subscriber ON subscription (account_id, subscriber_id, id)",
    "CREATE INDEX subscription_by_country ON subscription (account_id, country, id)",
    "CREATE INDEX subscription_by_source ON subscription (account_id, source_id, id)",
    "CREATE INDEX period_by_subscription ON period (account_id, subscription_id, id)",
    "CREATE INDEX copy_by_issue ON copy (account_id, issue_id, id)",
    "CREATE INDEX copy_by_subscriber ON copy (account_id, subscriber_id, id)",
    "CREATE INDEX copy_by_status ON copy (account_id, status, id)",
    "CREATE INDEX audit_by_subject ON audit (account_id, subject_type, subject_id, id)",
    "CREATE INDEX outbox_by_status ON outbox (status, next_attempt_at)",
)
STATEMENTS = (*TABLES, *INDEXES)
