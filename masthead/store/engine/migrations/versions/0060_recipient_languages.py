"""The languages of letters, emails and invoices: of subscribers, by country, and of their texts.

The version before ignores them: it writes everything in the language of the account.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE subscriber ADD COLUMN language text",
    "ALTER TABLE account ADD COLUMN country_languages text NOT NULL DEFAULT ''",
    "ALTER TABLE renewal_stage ADD COLUMN translations text NOT NULL DEFAULT ''",
    "ALTER TABLE renewal_letter ADD COLUMN locale text",
    "ALTER TABLE reminder ADD COLUMN locale text",
)
