"""Ids and API keys; each contains the account that it belongs to."""

import hashlib
import re
import secrets
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from itertools import count as count_from
from threading import Lock

from msgspec import Struct
from ulid import ULID

BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's, sorted: order of text = order of number
BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

ACCOUNT_WIDTH = 5
MAX_ACCOUNT = 2**21 - 1  # account · 2^32 + n stays below 2^53, exact in every JSON parser
COPIES_PER_ACCOUNT = 2**32

_MOMENT_WIDTH = 10
BODY_LENGTH = ACCOUNT_WIDTH + 32  # of an API key, without its beginning and its checksum
_PAIRS = [first + second for first in BASE32 for second in BASE32]
_LETTERS = BASE32.encode() * 8  # a letter for each byte, all equally often

LAST_ID = "Z" * 31  # sorts after every id
LAST_NUMBER = 2**63 - 1

ID = re.compile(rf"[{BASE32}]{{31}}")
KEY = re.compile(rf"mh_(?:test_)?([{BASE32}]{{{ACCOUNT_WIDTH}}})[{BASE62}]{{38}}")


# The numbers of the ids of demo data, which are the same each time
_seeded: ContextVar[Iterator[int] | None] = ContextVar("_seeded", default=None)
SEEDED_FROM = 1_577_836_800_000  # 2020: before all other ids, in milliseconds


@contextmanager
def same_ids(first: int = 0) -> Iterator[None]:
    """Let new ids be the same each time, for the records of a sandbox, which are made in order.

    first: the number of the first one; ids of other numbers differ.
    """
    before = _seeded.set(count_from(first))
    try:
        yield
    finally:
        _seeded.reset(before)


def _seeded_number(number: int) -> int:
    """The 128 bits of the id with a number: a millisecond, and 80 bits that look random."""
    noise = hashlib.sha256(f"sandbox {number}".encode()).digest()[:10]
    return (SEEDED_FROM + number) << 80 | int.from_bytes(noise, "big")


class RowKey(Struct, frozen=True):
    """The key of a row, such as an import, of any account."""

    account_id: int
    id: str


def _digits(number: int, alphabet: str, width: int) -> str:
    """A number in fixed-width positional notation."""
    text = ""
    for _ in range(width):
        number, digit = divmod(number, len(alphabet))
        text = alphabet[digit] + text
    return text


def _account_number(text: str) -> int:
    number = 0
    for character in text:
        number = number * 32 + BASE32.index(character)
    return number


# Milliseconds that ids may be ahead of the clock. One that was years ahead for a moment must not
# give all later ids that time
MOST_AHEAD = 1_000


class _Newest:
    """The newest id of this process, so that the next one sorts after it."""

    lock = Lock()
    moment = 0  # in milliseconds
    noise = 0


def _next_number() -> int:
    """The 128 bits of a new id: a millisecond and 80 random bits, or a random step further."""
    with _Newest.lock:
        now = int(time.time() * 1000)
        noise = _Newest.noise + 1 + secrets.randbits(64)
        if not 0 <= _Newest.moment - now <= MOST_AHEAD:
            _Newest.moment, noise = now, secrets.randbits(80)
        elif noise >> 80:
            _Newest.moment, noise = _Newest.moment + 1, secrets.randbits(80)
        _Newest.noise = noise
        return _Newest.moment << 80 | noise


def new_id(account_id: int) -> str:
    """A new id: account (5 characters), millisecond (10), 80 random bits (16).

    Sorts by creation within the account: strictly within one process, unless its clock is set back
    by more than a second; between processes, in a random order within one millisecond.
    """
    if (numbers := _seeded.get()) is not None:
        number = _seeded_number(next(numbers))
    else:
        number = _next_number()
    return _id_of(account_id, number)


def first_id_of(account_id: int, moment: datetime) -> str:
    """A text that sorts before the ids of an account from a moment on, and after earlier ones."""
    number = int(moment.timestamp() * 1000) << 80
    return _id_of(account_id, number)


def new_ids(account_id: int, count: int, *, after: str) -> list[str]:
    """New ids in ascending order, all above `after`, even if the clock was set back.

    For rows that are sorted by id in the order of creation. Takes 0.4 µs each.
    after: an id, or empty.
    """
    if _seeded.get() is not None:
        return [new_id(account_id) for _ in range(count)]
    now = int(time.time() * 1000)
    past = int.from_bytes(ULID.from_str(after[ACCOUNT_WIDTH:]).bytes[:6], "big") if after else 0
    start = _id_of(account_id, max(now, past + 1) << 80)[: ACCOUNT_WIDTH + _MOMENT_WIDTH]
    noise = secrets.token_bytes(16 * count).translate(_LETTERS).decode()  # 5 bits of each byte
    return sorted([start + noise[place : place + 16] for place in range(0, 16 * count, 16)])


def _id_of(account_id: int, number: int) -> str:
    """The id of an account with 128 bits: a millisecond, and 80 more."""
    return account_prefix(account_id) + _base32(number, 26)


def _base32(number: int, width: int) -> str:
    """A number as an even number of characters, each of 5 bits."""
    return "".join([_PAIRS[number >> shift & 1023] for shift in range(5 * width - 10, -1, -10)])


def is_id(text: str) -> bool:
    """Whether the text has the form of an id."""
    return ID.fullmatch(text) is not None


def account_prefix(account_id: int) -> str:
    """The characters that all ids of an account begin with."""
    return _digits(account_id, BASE32, ACCOUNT_WIDTH)


def account_of(id: str) -> int | None:
    """The account of an id, None if the text does not have the form of an id."""
    return _account_number(id[:ACCOUNT_WIDTH]) if is_id(id) else None


def first_copy_id(account_id: int) -> int:
    """The number before the first copy id of the account.

    The rows of the search index are numbered in the same way.
    """
    return account_id * COPIES_PER_ACCOUNT


def copy_ids_of(account_id: int) -> range:
    """The copy ids that can belong to the account."""
    first = first_copy_id(account_id)
    return range(first + 1, first + COPIES_PER_ACCOUNT)


def _checksum(body: str) -> str:
    return _digits(zlib.crc32(body.encode()), BASE62, 6)


def new_key(account_id: int, seed: bytes | None = None, *, is_sandbox: bool = False) -> str:
    """A new API key: `mh_`, account, 190 random bits, checksum. It is shown only once.

    is_sandbox: then it begins with `mh_test_`.

    seed: at least 32 secret bytes, which always give the same key; random if there is none.
    """
    noise = hashlib.shake_256(seed or secrets.token_bytes(32)).digest(64)
    random = _digits(int.from_bytes(noise, "big"), BASE62, 32)
    body = _digits(account_id, BASE32, ACCOUNT_WIDTH) + random
    return f"mh_{'test_' if is_sandbox else ''}{body}{_checksum(body)}"


def key_prefix(key: str) -> str:
    """The part of a key that may be shown later, to identify it."""
    return key[: 17 if is_test_key(key) else 12]


def is_test_key(key: str) -> bool:
    """Whether a key says that it is one of a sandbox."""
    return key.startswith("mh_test_")


def key_digest(key: str) -> str:
    """The SHA-256 of a key in hexadecimal digits, which is stored instead of the key."""
    return hashlib.sha256(key.encode()).hexdigest()


def new_token() -> str:
    """A new token for a session or a one-time link: 256 random bits."""
    return secrets.token_urlsafe(32)


def token_digest(token: str) -> str:
    """The SHA-256 of a token in hexadecimal digits, which is stored instead of the token."""
    return hashlib.sha256(token.encode()).hexdigest()


def account_of_key(key: str) -> int | None:
    """The account of a key, None if the form or the checksum is wrong. Needs no query."""
    match = KEY.fullmatch(key)
    body = key[-BODY_LENGTH - 6 : -6]
    if match is None or _checksum(body) != key[-6:]:
        return None
    return _account_number(match[1])
