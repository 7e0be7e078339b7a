"""The texts of the welcome email in other languages than that of the account.

The version before ignores them: everybody gets the text in the language of the account.
"""

oldest_user = "0018"

STATEMENTS = ("ALTER TABLE account ADD COLUMN welcome_translations text NOT NULL DEFAULT ''",)
