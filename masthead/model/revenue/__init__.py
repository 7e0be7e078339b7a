"""Revenue: what of an order's price is earned, deferred, kept or refunded on a day."""
