"""Orders by phone and post, refunds, cancellations and revenue statements.

A product says what a subscription costs, by medium and country group. A period names its source,
its product and how it was paid. Every refund has a row with its date, and so has every
cancellation, so that the figures of a past day do not change when something is refunded later.
"""

COLUMNS = (
    "ALTER TABLE account ADD COLUMN postal_address text NOT NULL DEFAULT ''",
    "ALTER TABLE product ADD COLUMN type text NOT NULL DEFAULT 'subscription'",
    "ALTER TABLE product ADD COLUMN length bigint",
    "ALTER TABLE product ADD COLUMN interval_months bigint",
    "ALTER TABLE subscription ADD COLUMN gifter_id text",
    "ALTER TABLE subscription ADD COLUMN bundle_id text",
    "ALTER TABLE period ADD COLUMN source_id text",
    "ALTER TABLE period ADD COLUMN product_id text",
    "ALTER TABLE period ADD COLUMN payment_method text",
)

TABLES = (
    """
    CREATE TABLE product_price (
        account_id bigint NOT NULL,
        product_id text NOT NULL,
        medium text NOT NULL,
        country_group text NOT NULL,
        currency text NOT NULL,
        price bigint NOT NULL,
        CONSTRAINT product_price_pk
            PRIMARY KEY (account_id, product_id, medium, country_group, currency),
        CONSTRAINT product_price_product FOREIGN KEY (account_id, product_id)
            REFERENCES product (account_id, id)
    )
    """,
    """
    CREATE TABLE refund (
        account_id bigint NOT NULL,
        id text NOT NULL,
        subscription_id text NOT NULL,
        period_id bigint NOT NULL,
        refund_date date NOT NULL,
        amount bigint NOT NULL,
        reason text NOT NULL,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        CONSTRAINT refund_pk PRIMARY KEY (account_id, id),
        CONSTRAINT refund_period FOREIGN KEY (account_id, period_id)
            REFERENCES period (account_id, id)
    )
    """,
    """
    CREATE TABLE cancellation (
        account_id bigint NOT NULL,
        id text NOT NULL,
        subscription_id text NOT NULL,
        cancelled_date date NOT NULL,
        reason text NOT NULL,
        notes text,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        status_before text NOT NULL,
        reopened_date date,
        reopened_at timestamptz,
        CONSTRAINT cancellation_pk PRIMARY KEY (account_id, id),
        CONSTRAINT cancellation_subscription FOREIGN KEY (account_id, subscription_id)
            REFERENCES subscription (account_id, id)
    )
    """,
    """
    CREATE TABLE revenue_statement (
        account_id bigint NOT NULL,
        id text NOT NULL,
        statement_date date NOT NULL,
        status text NOT NULL,
        figures text,
        sha256 text,
        orders_sha256 text,
        error text,
        created_at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        ready_at timestamptz,
        CONSTRAINT revenue_statement_pk PRIMARY KEY (account_id, id),
        CONSTRAINT revenue_statement_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE revenue_statement_part (
        account_id bigint NOT NULL,
        statement_id text NOT NULL,
        file text NOT NULL,
        part bigint NOT NULL,
        content bytea NOT NULL,
        CONSTRAINT revenue_statement_part_pk PRIMARY KEY (account_id, statement_id, file, part),
        CONSTRAINT revenue_statement_part_statement FOREIGN KEY (account_id, statement_id)
            REFERENCES revenue_statement (account_id, id)
    )
    """,
)

INDEXES = (
    # with all that takings by month add up, so that only the index is read
    "CREATE INDEX period_by_order_date ON period (account_id, order_date, currency, source_id,"
    " product_id, price, discount_amount, subscription_id)",
    "CREATE INDEX subscription_by_gifter ON subscription (account_id, gifter_id, id)",
    "CREATE INDEX subscription_by_bundle ON subscription (account_id, bundle_id, id)",
    "CREATE INDEX refund_by_period ON refund (account_id, period_id, id)",
    "CREATE INDEX refund_by_date ON refund (account_id, refund_date, id)",
    "CREATE INDEX cancellation_by_subscription ON cancellation (account_id, subscription_id, id)",
    "CREATE INDEX revenue_statement_by_date ON revenue_statement (account_id, statement_date, id)",
    "CREATE INDEX revenue_statement_by_status ON revenue_statement (status, created_at)",
)

# The id is that of the subscription, with the number of the period as its last ten characters
REFUNDS = """
    INSERT INTO refund (
        account_id,
        id,
        subscription_id,
        period_id,
        refund_date,
        amount,
        reason,
        created_at,
        actor_kind,
        actor_id
    )
    SELECT
        p.account_id,
        substr(p.subscription_id, 1, length(p.subscription_id) - 10)
            || substr(CAST(10000000000 + p.id AS text), 2),
        p.subscription_id,
        p.id,
        coalesce(p.order_date, {created_day}),
        p.refunded,
        '',
        p.created_at,
        'command',
        'migrate'
    FROM period p
    WHERE p.refunded > 0
"""
# The id is that of the subscription
CANCELLATIONS = """
    INSERT INTO cancellation (
        account_id,
        id,
        subscription_id,
        cancelled_date,
        reason,
        created_at,
        actor_kind,
        actor_id,
        status_before
    )
    SELECT
        s.account_id,
        s.id,
        s.id,
        {cancelled_day},
        '',
        coalesce(a.happened_at, s.created_at),
        coalesce(a.actor_kind, 'command'),
        coalesce(a.actor_id, 'migrate'),
        CASE
            WHEN a.before LIKE '%"Active - Renewals stopped"%' THEN 'Active - Renewals stopped'
            WHEN a.before LIKE '%"Complete"%' THEN 'Complete'
            WHEN a.before LIKE '%"Past due"%' THEN 'Past due'
            ELSE 'Active'
        END
    FROM subscription s
    LEFT JOIN audit a
        ON a.account_id = s.account_id
        AND a.id = (
            SELECT max(e.id)
            FROM audit e
            WHERE e.account_id = s.account_id
              AND e.subject_type = 'subscription'
              AND e.subject_id = s.id
              AND e.action = 'subscription.cancel'
        )
    WHERE s.status = 'Cancelled'
"""


def _rows(day: str) -> tuple[str, str]:
    """A row for each refund and each cancellation so far. day: of a moment, in UTC."""
    return (
        REFUNDS.format(created_day=day.format(moment="p.created_at")),
        CANCELLATIONS.format(
            cancelled_day=day.format(moment="coalesce(a.happened_at, s.created_at)")
        ),
    )


STATEMENTS = (*COLUMNS, *TABLES, *INDEXES)
SQLITE = _rows("substr({moment}, 1, 10)")
POSTGRES = _rows("CAST({moment} AT TIME ZONE 'UTC' AS date)")
