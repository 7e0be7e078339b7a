"""The terms of a search, and their other spellings."""

from masthead.model.search import other_terms


def test_names_are_also_searched_without_apostrophes_and_phone_numbers_by_their_digits() -> None:
    assert other_terms(["o'brien", "ada"]) == [["obrien", "ada"]]
    assert other_terms(["0421/123456"]) == [["421123456"]]
    assert other_terms(["ada"]) == []
