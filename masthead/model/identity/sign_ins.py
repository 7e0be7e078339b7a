"""The user and client of a sign-in, between the password check and the session."""

import hashlib

from msgspec import Struct


class Client(Struct, frozen=True):
    """The client that sends a request.

    address: its network address. browser: a short description, such as `Firefox on Linux`.
    device: the token of the browser's device cookie; empty if it has none.
    """

    address: str = ""
    browser: str = ""
    device: str = ""


class Verified(Struct, frozen=True):
    """A user whose password was right, and who has no session yet.

    stamp: identifies the password that was checked. A session is refused if the password has
    changed since. It is not secret. has_passed: whether a second step was passed, too.
    """

    user_id: str
    email: str
    stamp: str
    has_passed: bool = False


class NewSession(Struct, frozen=True):
    """A session that has just begun. token, device: the values of the two cookies."""

    token: str
    device: str


def password_stamp(password_hash: str | None) -> str:
    """Identifies a password without revealing anything about it."""
    return hashlib.sha256(f"stamp {password_hash}".encode()).hexdigest()
