"""The rights of users and API keys, if they are not those of the role or the scope.

The version before ignores them, and uses the role and the scope.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE account_user ADD COLUMN rights text",
    "ALTER TABLE api_key ADD COLUMN rights text",
)
