"""What can be done with a subscription: create, update, cancel, reopen, renew and refund it."""
