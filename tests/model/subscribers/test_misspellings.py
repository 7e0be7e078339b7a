"""Which words are searched for instead of one with typing errors, and how errors are counted."""

from masthead.model.subscribers.misspellings import (
    closest,
    count_errors,
    likely_errors,
    max_errors,
    other_spellings,
)


def test_errors_are_counted() -> None:
    assert count_errors("schmitt", "schmidt") == 1
    assert count_errors("muler", "muller") == 1
    assert count_errors("ab", "ba") == 1
    assert count_errors("", "ab") == 2
    assert closest("schmitt", "anna\nschmidt-meyer", count_errors) == 1
    assert closest("schmitt", "anna\nschmal", count_errors) is None


def test_a_word_of_eight_letters_may_have_two_errors() -> None:
    assert (max_errors("schmitt"), max_errors("schmidts")) == (1, 2)
    assert closest("schmitt", "schnidd", count_errors) is None
    assert closest("schmidts", "schnidds", count_errors) == 2


def test_of_a_long_word_the_parts_around_two_errors_are_searched() -> None:
    assert likely_errors("abcdefgh") == [
        *(["abcd"], ["bcde"], ["cdef"], ["defg"], ["efgh"]),
        *(["abc", "efg"], ["abc", "fgh"], ["bcd", "fgh"]),
    ]


def test_numbers_and_short_words_have_no_errors() -> None:
    assert likely_errors("12345678") == likely_errors("ann") == likely_errors("x" * 25) == []
    assert likely_errors("anna")
    assert likely_errors("x" * 24)


def test_a_phone_number_is_searched_without_its_codes_if_enough_digits_remain() -> None:
    assert other_spellings("030 12345") == [["3012345"]]
    assert other_spellings("Ann +49 30 12345") == [["ann", "3012345"]]
    assert other_spellings("(0) 123") == []
