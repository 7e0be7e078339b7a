"""The rules for refunds, cancellations and changed terms of a subscription; no database."""
