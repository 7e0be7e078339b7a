"""The desk: subscribers, subscriptions, issues and reports."""
