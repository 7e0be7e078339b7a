"""An index that finds what was settled since a day, to know what was open on it."""

oldest_user = "0018"

STATEMENTS = ("CREATE INDEX settlement_by_date ON settlement (account_id, settled_date)",)
