"""One mailbox has one key, however its domain is written."""

import pytest

from masthead.model.types.email_addresses import (
    domain_key,
    email_key,
    loaded_key,
    stored_keys,
    written_key,
)
from tests.support.cases import for_each

BOOKS = "ada@xn--bcher-kva.test"
STREET = "ada@xn--strae-oqa.test"


@for_each(
    "address, key",
    [
        ("ada@bücher.test", BOOKS),  # in Unicode
        ("Ada@BÜCHER.test", BOOKS),  # in capitals
        ("ada@bu\u0308cher.test", BOOKS),  # in two parts
        ("ada@ｂüｃｈｅｒ.test", BOOKS),  # in full width
        ("ada@bücher。test", BOOKS),  # with another full stop
        ("ada@xn--bcher-kva.test", BOOKS),  # in ASCII
        ("ADA@XN--BCHER-KVA.TEST", BOOKS),  # in ASCII capitals
        ("ada@straße.test", STREET),  # with a sharp s
        ("ada@xn--strae-oqa.test", STREET),  # with a sharp s in ASCII
        ("ada@strasse.test", "ada@strasse.test"),  # with two s, which is another domain
        ("Zoë@Bücher.test", "zoë@xn--bcher-kva.test"),  # with a local part in Unicode
        ("ada@xn--zz.test", "ada@xn--zz.test"),  # that is no domain in ASCII
        ("ada@☃.Test", "ada@☃.test"),  # that is no domain at all
        ("Ada", "ada"),  # without a domain
    ],
)
def test_a_domain_is_compared_in_ascii(address: str, key: str) -> None:
    assert email_key(f" {address} ") == key
    assert email_key(key) == key
    assert stored_keys(address)[0] == key
    assert domain_key(address) == key.rpartition("@")[2]


@for_each(
    "address, keys",
    [
        ("Ada@BÜCHER.test", [BOOKS, "ada@bücher.test"]),  # in Unicode
        (BOOKS, [BOOKS, "ada@bücher.test"]),  # in ASCII
        ("ada@straße.test", [STREET, "ada@strasse.test"]),  # with a sharp s
        (STREET, [STREET, "ada@strasse.test"]),  # with a sharp s in ASCII
        ("Ada@Example.test", ["ada@example.test"]),  # with one spelling
        ("ada@☃.Test", ["ada@☃.test"]),  # that is no domain
    ],
)
def test_keys_of_earlier_versions_are_looked_for_too(address: str, keys: list[str]) -> None:
    assert stored_keys(address) == keys
    assert written_key(address) in keys


@pytest.mark.parametrize(
    "pair",
    [
        ("ada@bücher.test", BOOKS),  # two subscribers of an earlier version
        ("ada@straße.test", "ada@strasse.test"),
        ("ada@ｂüｃｈｅｒ.test", "ada@bücher.test"),
    ],
)
def test_two_subscribers_of_an_export_have_two_keys_that_are_found(pair: tuple[str, str]) -> None:
    keys = [loaded_key(each) for each in pair]
    assert keys[0] != keys[1]
    for address, key in zip(pair, keys, strict=True):
        assert key in stored_keys(email_key(address))
