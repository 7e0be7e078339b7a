"""The name on an envelope, with the title, and the salutation in the recipient's language.

The salutation is printed only before a last name that stands alone: `Frau Schmidt`, `Mr Miller`.
"""

from masthead.model.types.enums import Salutation

_ENGLISH = ("Ms", "Mr")
_WORDS = {
    **dict.fromkeys("AT CH DE LI LU".split(), ("Frau", "Herr")),
    **dict.fromkeys("BE FR MC".split(), ("Mme", "M.")),
    **dict.fromkeys("IT SM".split(), ("Sig.ra", "Sig.")),
    **dict.fromkeys("ES MX AR CL CO PE".split(), ("Sra.", "Sr.")),
    **dict.fromkeys("BR PT".split(), ("Sra.", "Sr.")),
    **dict.fromkeys("US CA".split(), ("Ms.", "Mr.")),
    "NL": ("Mevr.", "Dhr."),
    "PL": ("Pani", "Pan"),
}


def salutation_word(salutation: str, country: str) -> str:
    """A salutation in the language of a country, in English if it is not known here."""
    ms, mr = _WORDS.get(country, _ENGLISH)
    return ms if salutation == Salutation.MS else mr
