"""The prices of products from a day on.

The version before uses the prices in `product_price`, which hold until the first of these days.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE dated_price (
        account_id bigint NOT NULL,
        product_id text NOT NULL,
        currency text NOT NULL,
        first_day date NOT NULL,
        medium text NOT NULL,
        country_group text NOT NULL,
        price bigint,
        CONSTRAINT dated_price_pk PRIMARY KEY (account_id, product_id, currency, first_day, medium,
            country_group),
        CONSTRAINT dated_price_product FOREIGN KEY (account_id, product_id)
            REFERENCES product (account_id, id)
    )
    """,
)
