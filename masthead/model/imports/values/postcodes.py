"""Postcodes whose zeros at the beginning a spreadsheet has removed."""

import re

# How many digits postcodes have, where some of them begin with a zero
_DIGITS = {
    4: "AM AU DK GE NO NZ PH ZA",
    5: "AS DE DZ ES FI FR GT GU IT KE KR LA LK LT MM MP MX MY PE PL PR SK TR UA US VA VI",
    6: "CN CO EC KZ RO SG",
    7: "JP",
    8: "BR",
}
_LENGTHS = {country: {count} for count, named in _DIGITS.items() for country in named.split()}
for _country in "AS GU MP PR US VI".split():
    _LENGTHS[_country].add(9)  # ZIP+4
_WITH_TWO_ZEROS = frozenset("AM FI IT JP LK NO PL PR US VA VI ZA".split())
_POSTCODE = re.compile(r"((?:[A-Z]{1,3}-)?)(\d[\d -]*)", re.ASCII)


def has_lost_zero(postcode: str, country: str | None) -> bool:
    """Whether a postcode has too few digits for a country where some begin with a zero."""
    lengths = _LENGTHS.get(country or "")
    match = _POSTCODE.fullmatch(postcode) if lengths else None
    if lengths is None or match is None:
        return False
    count = sum(map(str.isdigit, match[2]))
    return count < max(lengths) and count not in lengths


def restore_zeros(postcode: str | None, country: str | None) -> str | None:
    """The postcode with its lost zeros; None if it has lost none, or more than are usual."""
    if not postcode or not has_lost_zero(postcode, country):
        return None
    prefix, digits = _POSTCODE.fullmatch(postcode).groups()  # type: ignore[union-attr]
    count = sum(map(str.isdigit, digits))
    zeros = min(each for each in _LENGTHS[country or ""] if each > count) - count
    most = 2 if country in _WITH_TWO_ZEROS else 1
    return f"{prefix}{'0' * zeros}{digits}" if zeros <= most else None
