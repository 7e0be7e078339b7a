"""Copy keys: the 9 characters on a label that identify the copy, its subscriber and its run.

Eight characters hold 40 bits: the number of the line, shuffled by a permutation that depends on
the account. The ninth is a check character: a linear code over the field of 32 elements, with a
different weight for each place. It detects every wrong character and every swap of two characters.
"""

import hashlib
from functools import lru_cache

from masthead.model.errors import Invalid, excerpt
from masthead.model.ids import BASE32

WIDTH = 9  # characters of a key
MAX_LINE = 2**40 - 1

_MAX_INPUT = 64  # characters; longer texts are not keys with blanks or hyphens
_MODULUS = 2**40
_HALF = 20
_PAIRS = [first + second for first in BASE32 for second in BASE32]
_VALUES = {character: value for value, character in enumerate(BASE32)}
_READ_AS = str.maketrans(
    {letter.lower(): letter for letter in BASE32 if letter.isalpha()}
    | dict.fromkeys("Oo", "0")
    | dict.fromkeys("IiLl", "1")
    | dict.fromkeys("-\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}")
)


def _products(value: int) -> list[int]:
    """The products of a value and x, x² … x⁸ in the field of 32 elements (x⁵ = x² + 1)."""
    products = []
    for _ in range(WIDTH - 1):
        value = value << 1 ^ (0b100101 if value & 16 else 0)
        products.append(value)
    return products


def _check_tables() -> list[list[int]]:
    """For each pair of characters, from left to right: what it adds to the check character."""
    products = [_products(value) for value in range(32)]
    return [
        [high[power] ^ low[power - 1] for high in products for low in products]
        for power in (7, 5, 3, 1)
    ]


_CHECK_1, _CHECK_2, _CHECK_3, _CHECK_4 = _check_tables()


@lru_cache(maxsize=1024)
def _factors(account_id: int) -> tuple[int, int, int]:
    """Two odd factors and a mask of 40 bits, derived from the account."""
    digest = hashlib.blake2b(b"copy key %d" % account_id, digest_size=15).digest()
    first, second, mask = (int.from_bytes(digest[at : at + 5], "big") for at in (0, 5, 10))
    return first | 1, second | 1, mask


@lru_cache(maxsize=1024)
def _inverses(account_id: int) -> tuple[int, int, int]:
    """The factors that undo those of `_factors`, and the same mask."""
    first, second, mask = _factors(account_id)
    return pow(first, -1, _MODULUS), pow(second, -1, _MODULUS), mask


def key_of(account_id: int, line_id: int) -> str:
    """The key of a line: 9 characters, unique in the account. Takes 1.5 µs.

    line_id: 0 to MAX_LINE. Raises: ValueError if it is outside.
    """
    if not 0 <= line_id <= MAX_LINE:
        raise ValueError(f"A copy key cannot hold the line number {line_id}.")
    first, second, mask = _factors(account_id)
    number = (line_id ^ mask) * first % _MODULUS
    number ^= number >> _HALF
    number = number * second % _MODULUS
    number ^= number >> _HALF
    return _with_check(number)


def _with_check(number: int) -> str:
    """40 bits as 8 characters, and the check character."""
    one, two, three, four = number >> 30, number >> 20 & 1023, number >> 10 & 1023, number & 1023
    check = _CHECK_1[one] ^ _CHECK_2[two] ^ _CHECK_3[three] ^ _CHECK_4[four]
    return f"{_PAIRS[one]}{_PAIRS[two]}{_PAIRS[three]}{_PAIRS[four]}{BASE32[check]}"


def line_of_key(account_id: int, text: str) -> int:
    """The number of the line that a key identifies; the account may not have it.

    text: as read or typed: in any case, with or without `#`, with blanks and hyphens inside, O for
    0, and I or L for 1. Raises: Invalid `wrong_key_length`, `wrong_key_character` or
    `wrong_check_digit`.
    """
    key = _tidy(text)
    number = 0
    for character in key[:-1]:
        number = number << 5 | _VALUES[character]
    if _with_check(number) != key:
        raise Invalid(
            f"`{key}` has a wrong check digit: a character was probably misread. "
            "Compare it with the label.",
            code="wrong_check_digit",
            field="key",
            value=text,
        )
    first, second, mask = _inverses(account_id)
    number ^= number >> _HALF
    number = number * second % _MODULUS
    number ^= number >> _HALF
    return number * first % _MODULUS ^ mask


def find_key(account_id: int, text: str) -> str:
    """The key that a text is, as `key_of` writes it; empty if it is none."""
    try:
        return key_of(account_id, line_of_key(account_id, text))
    except Invalid:
        return ""


def _tidy(text: str) -> str:
    """The nine characters of a key that was read or typed. Raises: Invalid."""
    if len(text) > _MAX_INPUT:
        raise _wrong_length(text, f"has {len(text)} characters")
    key = "".join(text.split()).translate(_READ_AS).strip("#")
    for character in key:
        if character not in _VALUES:
            raise Invalid(
                f"`{text}` contains `{character}`, which no copy key contains. "
                "A copy key has digits and letters without I, L, O and U.",
                code="wrong_key_character",
                field="key",
                value=text,
            )
    if len(key) != WIDTH:
        raise _wrong_length(text, f"has {len(key)} characters" if key else "is empty")
    return key


def _wrong_length(text: str, problem: str) -> Invalid:
    return Invalid(
        f"`{excerpt(text)}` {problem}; a copy key has {WIDTH}, for example `#K7M2Q4D9X#`.",
        code="wrong_key_length",
        field="key",
        value=excerpt(text),
    )


def printed(key: str) -> str:
    """The key as it is printed on a label: `#K7M2Q4D9X#`."""
    return f"#{key}#"
