"""Pages that change a subscription: edit, renew, cancel, refund, reopen, other terms."""
