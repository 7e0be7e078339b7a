"""Compare the names of payers with those that banks write."""

import re
from collections.abc import Iterable

from masthead.model.types.text import fold

# Words that are no names: forms of address, titles and legal forms
_LEFT_OUT = frozenset(
    "herr frau mr mrs ms dr prof und and et en or oder von van der de den the gmbh ag kg ohg gbr "
    "ug mbh co ev eg ek ltd limited inc llc plc bv nv sarl sa sas srl spa ab as oy kgaa "
    "haftungsbeschrankt".split()
)
_TWO_LETTERS = re.compile(r"([aou])e")


def name_words(name: str) -> frozenset[str]:
    """The words of a name that tell people apart; `Müller` and `Mueller` are the same."""
    words = re.findall(r"[^\W\d_]+", _TWO_LETTERS.sub(r"\1", fold(name[:200]).replace("ß", "ss")))
    return frozenset(each for each in words if len(each) > 1 and each not in _LEFT_OUT)


def is_same_name(names: Iterable[frozenset[str]], words: frozenset[str]) -> bool:
    """Whether one of some names has the same words, or one has all two or more of the other.

    Banks write the surname first, cut long names off, and add who else owns the account.
    names: the words of those that a bank wrote: who paid, and on whose behalf.
    """
    return any(_is_same(each, words) for each in names)


def _is_same(words: frozenset[str], others: frozenset[str]) -> bool:
    if not words or not others:
        return False
    fewer, more = sorted((words, others), key=len)
    return words == others or (len(fewer) > 1 and fewer <= more)


def is_similar_name(names: Iterable[frozenset[str]], words: frozenset[str]) -> bool:
    """Whether one of some names shares a word with four letters or more, such as the surname."""
    return any(len(word) > 3 for each in names for word in each & words)
