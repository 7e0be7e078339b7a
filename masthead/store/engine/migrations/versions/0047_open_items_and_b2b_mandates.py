"""An index that finds what was settled since a day, and mandates between companies (SEPA B2B).

The version before collects by all mandates as by SEPA Core.
"""

oldest_user = "0018"

STATEMENTS = (
    "CREATE INDEX settlement_by_date ON settlement (account_id, settled_date)",
    "ALTER TABLE mandate ADD COLUMN is_b2b boolean",
    "ALTER TABLE collection ADD COLUMN is_b2b boolean",
)
