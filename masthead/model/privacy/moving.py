"""Erasures in a file beside the backups of a database."""

from datetime import datetime

from msgspec import Struct


class MovedErasure(Struct, frozen=True, kw_only=True):
    """An erasure with its digests."""

    id: str
    subscriber_id: str
    created_at: datetime
    actor_kind: str
    actor_id: str
    digests: list[str]


class AccountErasures(Struct, frozen=True, kw_only=True):
    """The erasures of an account, and the secret of their digests."""

    account: str
    account_id: int
    secret: str
    erasures: list[MovedErasure]


class ErasuresFile(Struct, frozen=True, kw_only=True):
    """All erasures of a database. Whoever has the file can test whether an address was erased."""

    version: int = 1
    accounts: list[AccountErasures]
