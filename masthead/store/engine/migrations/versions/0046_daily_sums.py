"""Sums of documents and payments by day, and how far they were added up.

The background work fills them. Orders that were paid at once have an index of their own.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE summed_until (
        account_id bigint NOT NULL,
        last_invoice text NOT NULL,
        invoices bigint NOT NULL,
        last_payment text NOT NULL,
        payments bigint NOT NULL,
        CONSTRAINT summed_until_pk PRIMARY KEY (account_id),
        CONSTRAINT summed_until_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE TABLE billed_sum (
        account_id bigint NOT NULL,
        issue_date date NOT NULL,
        currency text NOT NULL,
        kind text NOT NULL,
        country text NOT NULL,
        category text NOT NULL,
        rate bigint NOT NULL,
        net bigint NOT NULL,
        vat bigint NOT NULL,
        CONSTRAINT billed_sum_pk
            PRIMARY KEY (account_id, issue_date, currency, kind, country, category, rate),
        CONSTRAINT billed_sum_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE INDEX billed_sum_amounts ON billed_sum (
        account_id, issue_date, currency, kind, country, category, rate, net, vat
    )
    """,
    """
    CREATE TABLE paid_sum (
        account_id bigint NOT NULL,
        payment_date date NOT NULL,
        currency text NOT NULL,
        source_id text NOT NULL,
        product_id text NOT NULL,
        amount bigint NOT NULL,
        CONSTRAINT paid_sum_pk
            PRIMARY KEY (account_id, payment_date, currency, source_id, product_id),
        CONSTRAINT paid_sum_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
    """
    CREATE INDEX payment_undone ON payment (account_id, id)
    WHERE undone_at IS NOT NULL
    """,
    """
    CREATE INDEX period_paid_at_once ON period (
        account_id, order_date, currency, source_id, product_id, price, discount_amount,
        subscription_id, is_billed
    )
    WHERE is_billed IS NOT TRUE
    """,
)
