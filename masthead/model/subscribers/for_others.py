"""Subscriptions of others for which a subscriber pays: as a giver, or as the payer of invoices."""

from msgspec import Struct


class ForOthers(Struct, frozen=True):
    """For how many subscriptions of others a subscriber pays. live: those that have not ended.

    Several copies for one address count as one.
    """

    live: int = 0
    total: int = 0
