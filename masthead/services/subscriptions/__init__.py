"""Operations on a subscription: create, update, cancel, reopen, renew and refund it."""
