"""Finding subscribers who would get two copies, and several subscribers at one address."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from masthead.model.dispatch.preview import CheckableLine
from masthead.model.types.text import fold_all

# Both spellings of a word become one. Only used to compare, so it may also change other words
_SAME = (
    ("strasse", "str"),
    ("straat", "str"),
    ("street", "st"),
    ("avenue", "ave"),
    ("road", "rd"),
    ("ae", "a"),
    ("oe", "o"),
    ("ue", "u"),
)
# With all of ASCII, because a character that is missing here takes 0.1 µs
_GAPS = str.maketrans(
    {chr(code): chr(code) if chr(code).isalnum() else " " for code in range(1, 128)}
    | dict.fromkeys("´’‘“”„«»–—·", " ")
)
_NO_BUNDLES = MappingProxyType[str, str]({})
_NAME_BITS = 32
_NAME_MASK = (1 << _NAME_BITS) - 1


class Match(NamedTuple):
    """An earlier line at the same address. is_duplicate: its subscriber has the same name, too."""

    copy_id: int
    is_duplicate: bool


class SeenAddresses:
    """The addresses of lines so far, as hashes: about 120 bytes for each address."""

    def __init__(self) -> None:
        # By hash of the address: the first copy and a hash of its name in one number; for several
        # subscribers at one address, a tuple of such numbers
        self._subscribers: dict[int, int | tuple[int, ...]] = {}
        self._bundles: set[int] = set()  # hashes of a bundle, its issue and its address

    def add(
        self, lines: Sequence[CheckableLine], bundles: Mapping[str, str] = _NO_BUNDLES
    ) -> list[Match | None]:
        """Remember the lines, and return an earlier one at the same address for each, if any.

        bundles: of subscriptions, by id. Copies that were ordered together go to one address on
        purpose, so that those after the first match no other. A line without street and PO box
        matches no other either. Takes 2 µs for a line if they are many.
        """
        names = comparable_all([_name_of(line) for line in lines])
        addresses = comparable_all(
            f"{line.address1 or ''} {line.address2 or ''} {line.postcode or ''} {line.city or ''}"
            for line in lines
        )
        return [
            self._add(line, name, address, bundles.get(line.subscription_id))
            if line.address1 or line.address2
            else None
            for line, name, address in zip(lines, names, addresses, strict=True)
        ]

    def _add(
        self, line: CheckableLine, name: str, address: str, bundle_id: str | None
    ) -> Match | None:
        name_hash = hash((name, line.issue_number)) & _NAME_MASK
        subscriber = line.copy_id << _NAME_BITS | name_hash
        place = hash((line.country, address))
        if bundle_id is not None:
            bundle = hash((bundle_id, line.issue_number, place))
            if bundle in self._bundles:
                return None
            self._bundles.add(bundle)
        known = self._subscribers.setdefault(place, subscriber)
        if known is subscriber:
            return None
        subscribers = known if isinstance(known, tuple) else (known,)
        for each in subscribers:
            if each & _NAME_MASK == name_hash:
                return Match(each >> _NAME_BITS, is_duplicate=True)
        self._subscribers[place] = (*subscribers, subscriber)
        return Match(subscribers[0] >> _NAME_BITS, is_duplicate=False)


def _name_of(line: CheckableLine) -> str:
    name = f"{line.first_name or ''} {line.last_name or ''}"
    return line.company or "" if name.isspace() else name


def comparable(text: str) -> str:
    """A name or an address for comparison.

    Ignores case, accents, punctuation and blanks, except between numbers. "Hauptstraße 5" is the
    same as "Haupt-Str. 5", and "Müller" the same as "Mueller".
    """
    return comparable_all([text])[0]


def comparable_all(texts: Iterable[str]) -> list[str]:
    """What `comparable` returns for each of many texts, in half of the time."""
    folded = fold_all([text.replace("\0", " ") for text in texts])
    joined = "\0".join(folded)
    for long, short in _SAME:
        joined = joined.replace(long, short)
    parts = joined.translate(_GAPS).split("\0") if folded else []
    return [
        "".join([f"/{word}" if word[0].isdigit() else word for word in part.split()])
        for part in parts
    ]
