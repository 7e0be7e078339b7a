"""Rises of what renewals cost whose product has no price for them.

The version before ignores them: such a renewal costs what the last order cost.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE price_rise (
        account_id bigint NOT NULL,
        product_id text NOT NULL,
        currency text NOT NULL,
        first_day date NOT NULL,
        medium text NOT NULL,
        country_group text NOT NULL,
        amount bigint NOT NULL,
        rate bigint NOT NULL,
        CONSTRAINT price_rise_pk PRIMARY KEY (account_id, product_id, currency, first_day, medium,
            country_group),
        CONSTRAINT price_rise_product FOREIGN KEY (account_id, product_id)
            REFERENCES product (account_id, id)
    )
    """,
)
