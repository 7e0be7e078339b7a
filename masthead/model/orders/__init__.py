"""The rules of orders, which create and renew subscriptions; no database."""
