"""Refunds, cancellations, and what else changes in the life of a subscription."""
