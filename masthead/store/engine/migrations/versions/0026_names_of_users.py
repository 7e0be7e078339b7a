"""The name of a user, which pages show instead of the email address."""

oldest_user = "0018"

STATEMENTS = ("ALTER TABLE app_user ADD COLUMN full_name text",)
