"""The right to take orders, for all who had it with the right to see money; departments of payers.

The version before ignores both: with it, users and keys that see money take orders.
"""

oldest_user = "0018"

STATEMENTS = (
    "ALTER TABLE payer ADD COLUMN department text",
    "UPDATE account_user SET rights = 'take_orders,' || rights WHERE rights LIKE '%see_money%'",
    "UPDATE api_key SET rights = 'take_orders,' || rights WHERE rights LIKE '%see_money%'",
)
