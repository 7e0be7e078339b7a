"""Sort texts as people expect: "Österreich" stands between "Oman" and "Pakistan".

Letters with a mark sort as the letter itself, and words that differ only in marks sort the plain
one first. Some Nordic languages have letters after Z, which is why the key needs the language. This
is enough for the names of countries; it is not the whole Unicode collation algorithm, whose Python
library has 8 MB of data, no rules of languages and no releases any more.
"""

from unicodedata import category, normalize

_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
# What follows Z, in order; "{" is the character after "z"
_NORWEGIAN = str.maketrans({"æ": "{1", "ä": "{1", "ø": "{2", "ö": "{2", "å": "{3"})
_SWEDISH = str.maketrans({"å": "{1", "ä": "{2", "æ": "{2", "ö": "{3", "ø": "{3"})
_AFTER_Z = {
    "da": _NORWEGIAN,
    "nb": _NORWEGIAN,
    "nn": _NORWEGIAN,
    "no": _NORWEGIAN,
    "sv": _SWEDISH,
    "fi": _SWEDISH,
}


def collation_key(text: str, language: str) -> tuple[str, str]:
    """The key that sorts texts of a language. language: such as `de`."""
    folded = normalize("NFC", text.casefold())
    letters = folded.translate(_AFTER_Z.get(language, {})).translate(_LETTERS)
    plain = "".join(each for each in normalize("NFD", letters) if category(each) != "Mn")
    return plain, folded
