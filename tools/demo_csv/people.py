"""Invented subscribers with a matching name, postal address and email address."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

# what Unicode doesn't take apart into a letter and its accent
_LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "æ": "ae", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i", "ə": "e"}
)


@dataclass
class Person:
    """A person or an institution; `cells` are the name, email and address columns of the CSV."""

    cells: dict[str, str]
    currency: str
    near: bool

    @property
    def full_name(self) -> str:
        """The name as it is written on a label."""
        return f"{self.cells['first_name']} {self.cells['last_name']}"


def ascii_name(text: str) -> str:
    """A name in the form used in an email address."""
    plain = unicodedata.normalize("NFKD", text.lower().translate(_LETTERS))
    return "".join(letter for letter in plain if letter.isascii() and letter.isalnum())


class People:
    """Draws people from the vocabulary; some of them come back."""

    def __init__(self, random: Random, words: Mapping[str, Any]) -> None:
        """Take the words of vocabulary.toml."""
        self._random = random
        self._countries: list[dict[str, Any]] = words["country"]
        self._weights = [country["weight"] for country in self._countries]
        self._domains: list[str] = words["words"]["domains"]
        self._known: list[Person] = []
        self._addresses: set[str] = set()

    def subscriber(self, *, no_email: float = 0.0) -> Person:
        """A new person, or with a chance of 1 in 8 one who has ordered before.

        no_email: the share of new people whose email address isn't known.
        """
        if self._known and self._random.random() < 0.125:
            return self._again(self._random.choice(self._known))
        country = self._random.choices(self._countries, self._weights)[0]
        first, last, latin, native = self._name(country)
        cells = {"first_name": first, "last_name": last} | self._address(country, native=native)
        if self._random.random() < no_email:
            return _person(country, cells)
        person = _person(country, cells, self._email(self._local_part(*latin)))
        self._known.append(person)
        return person

    def institution(self) -> Person:
        """A library, a shop or a society: a company, mostly without a person's name."""
        countries = [country for country in self._countries if "companies" in country]
        country = self._random.choice(countries)
        company = self._random.choice(country["companies"])
        cells = {"company": company} | self._address(country, native=False)
        if self._random.random() < 0.2:
            cells["first_name"], cells["last_name"], _, _ = self._name(country)
        return _person(country, cells, self._email(ascii_name(company)[:24] or "office"))

    def _again(self, person: Person) -> Person:
        """The same person, maybe with the email address in other case."""
        spelling = self._random.choice((str, str.title, str.upper, str.lower))
        return replace(person, cells=person.cells | {"email": spelling(person.cells["email"])})

    def _name(self, country: Mapping[str, Any]) -> tuple[str, str, tuple[str, str], bool]:
        """First and last name, both in Latin letters, and whether the name is in its own script."""
        woman = self._random.random() < 0.5
        first = self._random.choice(country["given"].split(" | ")[woman].split(", "))
        last = self._random.choice(country["family"].split(", ")).split("/")
        own_first, latin_first = _spellings(first)
        own_last, latin_last = _spellings(last[-1 if woman else 0])
        latin = latin_first, latin_last
        native = (own_first, own_last) != latin and self._random.random() < 0.6
        return *((own_first, own_last) if native else latin), latin, native

    def _address(self, country: Mapping[str, Any], *, native: bool) -> dict[str, str]:
        script = "native_" if native and self._random.random() < 0.6 else ""
        city, state, postcode = self._random.choice(country[f"{script}places"]).split("|")
        street = self._random.choice(country[f"{script}streets"])
        cells = {
            "address1": street.replace("{n}", str(self._random.randint(1, 96))),
            "city": city,
            "state": state,
            "postcode": postcode,
            "country": country["code"],
        }
        if "second" in country and self._random.random() < 0.2:
            cells["address2"] = self._random.choice(country["second"])
        if "phone" in country and self._random.random() < 0.3:
            first, *others = country["phone"].split("{d}")
            digits = (f"{self._random.randrange(10)}{part}" for part in others)
            cells["phone"] = first + "".join(digits)
        return cells

    def _local_part(self, first: str, last: str) -> str:
        """A mailbox name derived from the person's name."""
        first, last = ascii_name(first), ascii_name(last)
        plain, short = f"{first}.{last}", f"{first[0]}.{last}"
        others = (f"{first}{last}", f"{last}.{first}", f"{first}_{last}", f"{first}+lantern")
        return self._random.choice((plain, short, *others))

    def _email(self, local: str) -> str:
        """A unique address of a reserved domain."""
        domain = self._random.choice(self._domains)
        email = f"{local}@{domain}"
        while email in self._addresses:
            email = f"{local}{self._random.randrange(1950, 2010)}@{domain}"
        self._addresses.add(email)
        return email


def _person(country: Mapping[str, Any], cells: dict[str, str], email: str = "") -> Person:
    """A person who lives there and pays in the local currency."""
    currency, near = country.get("currency", "EUR"), country.get("near", False)
    return Person(cells | {"email": email}, currency, near)


def _spellings(name: str) -> tuple[str, str]:
    """A name in its own script and in Latin script."""
    own, _, latin = name.partition("=")
    return own, latin or own
