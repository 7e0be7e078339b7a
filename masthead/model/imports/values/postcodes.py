"""Postcodes that a spreadsheet may have taken for numbers."""

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
_POSTCODE = re.compile(r"(?:[A-Z]{1,3}-)?(\d[\d -]*)", re.ASCII)


def has_lost_zero(postcode: str, country: str | None) -> bool:
    """Whether a postcode has too few digits for a country where some begin with a zero."""
    lengths = _LENGTHS.get(country or "")
    match = _POSTCODE.fullmatch(postcode) if lengths else None
    if lengths is None or match is None:
        return False
    count = sum(map(str.isdigit, match[1]))
    return count < max(lengths) and count not in lengths
