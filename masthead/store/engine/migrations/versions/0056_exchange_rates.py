"""Exchange rates from a day on, for the VAT of invoices in another currency."""

oldest_user = "0018"

STATEMENTS = (
    """
    CREATE TABLE exchange_rate (
        account_id bigint NOT NULL,
        first_day date NOT NULL,
        base_currency text NOT NULL,
        quote_currency text NOT NULL,
        rate text NOT NULL,
        CONSTRAINT exchange_rate_pk
            PRIMARY KEY (account_id, first_day, base_currency, quote_currency),
        CONSTRAINT exchange_rate_account FOREIGN KEY (account_id) REFERENCES account (id)
    )
    """,
)
