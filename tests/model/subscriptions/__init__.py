"""The rules for refunds, renewals and changed terms."""
