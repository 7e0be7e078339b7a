"""Addresses as the recipient's country writes them (decision 0036)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from masthead.model.dispatch.fitting import AddressSpace, FittedAddress, fit_lines
from masthead.model.dispatch.postal import rules as postal
from masthead.model.dispatch.postal.address_format import compiled, complete_format
from masthead.model.dispatch.postal.forms_of_address import salutation_word
from masthead.model.dispatch.postal.po_boxes import divide
from masthead.model.dispatch.runs import CountryLayout, Layout
from masthead.model.types.clean_text import one_line
from masthead.model.types.postal_fields import PostalFields
from masthead.model.types.text import casefold, normalize

_CARE_OF = re.compile(
    r"(c ?[/\\] ?o\b|℅|care of\b|p/a\b|per adresse\b|z\. ?hd\b|zu händen\b|attn\b|chez\b|presso\b)",
    re.IGNORECASE,
)
_TWICE = frozenset("CA MX US".split())  # New York, New York; others have a town once


def home_country(country: str | None, lines: Mapping[str, int]) -> str | None:
    """The country that counts as home: the account's, or the one with the most lines.

    country: of the account, None if it is not set. lines: how many there are, by country.
    """
    if country or not lines:
        return country
    return min(lines, key=lambda code: (-lines[code], code))


def build_layout(countries: Iterable[str], home: str | None) -> Layout:
    """The rules for addresses in these countries, for letters from the home country.

    Takes up to 10 ms for a country that the process has not used yet, then microseconds.
    """
    return Layout(
        home=home,
        countries={country: _country_layout(country, home) for country in sorted(set(countries))},
    )


@cache
def _country_layout(country: str, home: str | None) -> CountryLayout:
    rules = postal.postal_rules(country)
    return CountryLayout(
        name=postal.name_in_capitals(country, home),
        group=postal.country_group(country, home),
        format=complete_format(postal.address_format(country, home)),
        upper=rules.upper if country == home else rules.upper_abroad,
        requires=rules.requires,
    )


def address_lines(line: PostalFields, layout: Layout) -> list[str]:
    """The address from the name to the country, without empty lines. Takes 4 µs.

    Each field that has a value is in the lines, except a state where the post uses none, or that
    has the name of its town: Milano, Barcelona, Dubai.
    layout: with the country of the line.
    """
    rules = layout.countries[line.country]
    streets = "\n".join(_street_lines(line, rules.format))
    town, state = tidy(line.city), tidy(line.state)
    if town and casefold(state) == casefold(town) and line.country not in _TWICE:
        state = ""
    lines = compiled(rules.format, rules.upper)(
        [
            formal_name(line),
            _company(line),
            streets,
            town,
            state,
            tidy(line.postcode),
        ]
    )
    if rules.name:
        lines.append(rules.name)
    return lines


def _street_lines(line: PostalFields, format: str) -> list[str]:
    """The address lines: `c/o …` next to the name, which all posts want above the street.

    A format that goes from the country to the person has the name below.
    """
    first, second = tidy(line.address1), tidy(line.address2)
    if second and _CARE_OF.match(second) and format.index("%N") < format.index("%A"):
        first, second = second, first
    return [each for each in (first, second) if each]


def _company(line: PostalFields) -> str:
    """The company, and the department below it."""
    texts = (line.company, getattr(line, "department", None))
    return "\n".join(filter(None, map(tidy, texts)))


def fit_address(line: PostalFields, lines: Sequence[str], space: AddressSpace) -> FittedAddress:
    """The address in a limited space. lines: of the address, from `address_lines`.

    Name, `c/o …`, street, town and country are always in it, or it does not fit. A company beside a
    name, and what comes after a street, may be left out if the space allows to cut.
    """
    optional = [tidy(line.company)] if person_name(line) else []
    first, second = tidy(line.address1), tidy(line.address2)
    is_street = _has_digit(first) and not _CARE_OF.match(first)
    if not _CARE_OF.match(second) and (is_street or (first and not _has_digit(second))):
        optional.append(second)
    return fit_lines(lines, space, {form for text in optional for form in (text, text.upper())})


def _has_digit(text: str | None) -> bool:
    return any(map(str.isdigit, text or ""))


def person_name(line: PostalFields) -> str:
    """First and last name, in this order in all countries; empty if there is none."""
    first, last = tidy(line.first_name), tidy(line.last_name)
    return f"{first} {last}" if first and last else first or last


def formal_name(line: PostalFields) -> str:
    """The name as it is on an envelope: `Dr. Ada Schmidt`; without a first name, `Frau Schmidt`.

    The line may have a salutation and a title.
    """
    name = person_name(line)
    salutation, title = getattr(line, "salutation", None), tidy(getattr(line, "title", None))
    if not name or not (salutation or title):
        return name
    word = ""
    if salutation and not tidy(line.first_name):
        word = salutation_word(salutation, line.country)
    return " ".join(filter(None, (word, title, name)))


def split_po_box(line: PostalFields) -> tuple[list[str], str]:
    """The address lines without a PO box, and the PO box; empty if there is none."""
    streets: list[str] = []
    boxes: list[str] = []
    for field in (line.address1, line.address2):
        street, box = divide(tidy(field), line.country)
        streets += [street] if street else []
        boxes += [box] if box else []
    return streets, ", ".join(boxes)


def tidy(text: str | None) -> str:
    """The text in one line with single spaces and in NFC; empty for None.

    Files from a Mac often write "ü" as two characters, which Windows-1252 does not have.
    """
    if not text:
        return ""
    if not text.isprintable():
        text = one_line(text)
    if not text.isascii():
        text = normalize("NFC", text)
    return " ".join(text.split())
