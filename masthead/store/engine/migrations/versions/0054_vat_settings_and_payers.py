"""VAT settings from a day on, and on whose behalf a payer in a bank statement pays.

What `billing` says of VAT holds before the first row. The version before goes on with that.
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
    "ALTER TABLE bank_line ADD COLUMN ultimate_name text NOT NULL DEFAULT ''",
)
