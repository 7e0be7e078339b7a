"""Tests of the order of texts in a language."""

import pytest

from masthead.model.types.collation import collation_key


@pytest.mark.parametrize(
    "language, ordered",
    [
        ("de", ["Ägypten", "Albanien", "Oman", "Österreich", "Pakistan", "Zypern"]),
        ("en", ["Åland Islands", "Albania", "Côte d’Ivoire", "Croatia", "Türkiye", "Uganda"]),
        ("fr", ["Égypte", "Équateur", "Estonie", "Zimbabwe"]),
        ("sv", ["Zimbabwe", "Åland", "Österrike"]),
        ("nb", ["Zimbabwe", "Ægir", "Østerrike", "Åland"]),
        ("da", ["Zimbabwe", "Østrig", "Åland"]),
        ("pl", ["Litwa", "Łotwa", "Malta"]),
        ("is", ["Eþíópía", "Frakkland"]),
    ],
)
def test_texts_stand_where_people_of_the_language_look_for_them(
    language: str, ordered: list[str]
) -> None:
    for given in (ordered, ordered[::-1]):
        assert sorted(given, key=lambda text: collation_key(text, language)) == ordered


def test_a_plain_word_comes_before_the_same_word_with_marks() -> None:
    words = ["cafe\N{COMBINING ACUTE ACCENT}", "cafe"]
    assert sorted(words, key=lambda word: collation_key(word, "en")) == words[::-1]
    assert collation_key("Straße", "de") == collation_key("STRASSE", "de")
