"""The exemption of small businesses and the digital part of bundles, from a day on.

What `billing` says holds before the first row. The version before goes on with that.
"""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE vat_setting (
        account_id bigint NOT NULL,
        first_day date NOT NULL,
        is_small_business boolean NOT NULL,
        digital_percent bigint NOT NULL,
        CONSTRAINT vat_setting_pk PRIMARY KEY (account_id, first_day),
        CONSTRAINT vat_setting_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
)
