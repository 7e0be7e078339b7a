"""The language of what a person gets: their own, that of their country, or the account's."""

import pytest

from masthead.model.errors import Invalid
from masthead.model.translations import in_language
from masthead.model.types.recipient_languages import (
    language_code,
    name_language,
    read_rule,
    recipient_locale,
    write_rule,
)

GERMAN_AT_HOME = "*=en AT=de CH=de DE=de"


@pytest.mark.parametrize(
    "own, rule, language, country, expected",
    [
        ("en_GB", "", None, "DE", "en_GB"),
        ("en_GB", "", "de", "CH", "de_CH"),
        ("en_GB", "", "de", "FR", "de_DE"),
        ("en_GB", "", "de", None, "de_DE"),
        ("en_US", "", "en", "GB", "en_US"),
        ("en_GB", "AT=de", None, "AT", "de_AT"),
        ("en_GB", "AT=de", None, "DE", "en_GB"),
        ("de_DE", GERMAN_AT_HOME, None, "CH", "de_DE"),
        ("de_DE", GERMAN_AT_HOME, None, "US", "en_US"),
        ("de_DE", GERMAN_AT_HOME, None, "NO", "en_GB"),
        ("de_DE", GERMAN_AT_HOME, None, None, "en_GB"),
        ("de_DE", GERMAN_AT_HOME, "de", "NO", "de_DE"),
        ("fr_FR", "", "en", "US", "fr_FR"),  # its texts are in English
        ("fr_FR", "", "de", "DE", "de_DE"),
        ("en_GB", "", "xx", "DE", "en_GB"),  # of a later masthead
    ],
)
def test_the_locale_of_a_recipient(
    own: str, rule: str, language: str | None, country: str | None, expected: str
) -> None:
    assert recipient_locale(own, rule, language, country) == expected


def test_a_rule_is_stored_as_text() -> None:
    by_country = {"DE": "de", "AT": "de", "*": "en"}
    assert write_rule(by_country) == "*=en AT=de DE=de"
    assert read_rule("*=en AT=de DE=de") == by_country
    assert read_rule("") == {}


def test_only_languages_with_texts_can_be_chosen() -> None:
    assert language_code("language", "de") == "de"
    with pytest.raises(Invalid, match="`language` is `fr`; expected one of de, en"):
        language_code("language", "fr")


def test_languages_have_names_in_the_language_of_the_page() -> None:
    assert name_language("de_AT") == "German"
    with in_language("de_DE"):
        assert [name_language(each) for each in ("en_GB", "de")] == ["Englisch", "Deutsch"]
