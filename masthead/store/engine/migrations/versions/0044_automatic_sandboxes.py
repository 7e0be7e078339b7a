"""A sandbox sends by itself what staff would send: letters, reminders and collections.

The version before sends only the letters of the stages that are sent by rule.
"""

oldest_user = "0018"

STATEMENTS = ("ALTER TABLE sandbox ADD COLUMN is_automatic boolean NOT NULL DEFAULT true",)
