"""Compare the names of payers with those that banks write."""

import re

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


def is_same_name(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two names have the same words, or one has all two or more words of the other.

    Banks write the surname first, cut long names off, and add who else owns the account.
    """
    if not words or not others:
        return False
    fewer, more = sorted((words, others), key=len)
    return words == others or (len(fewer) > 1 and fewer <= more)


def is_similar_name(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two names share a word with four letters or more, such as the surname."""
    return any(len(each) > 3 for each in words & others)
