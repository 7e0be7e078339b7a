"""Changes to subscriptions."""
