"""The letters and signs that all banks of SEPA read."""

from masthead.model.types.text import WITHOUT_UMLAUTS, without_accents

MAX_NAME = 70
# What every bank of SEPA reads, besides letters and digits
_SIGNS = frozenset("/-?:().,'+ ")
_BEFORE = str.maketrans(WITHOUT_UMLAUTS | {"&": "+", "_": "-"})
# Letters that are none of Latin with an accent, in Greek and Cyrillic as passports have them
_LETTERS = dict(
    each.split("=")
    for each in """
        ø=o ł=l æ=ae œ=oe đ=d ð=d þ=th ı=i ħ=h ŋ=n ĸ=k
        α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f
        χ=ch ψ=ps ω=o
        а=a б=b в=v г=g д=d е=e ж=zh з=z и=i к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts
        ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya і=i є=ye ґ=g ђ=dj ј=j љ=lj њ=nj ћ=c ѕ=dz џ=dz
    """.split()
)
_PLAIN = str.maketrans(
    _LETTERS | {each.upper(): latin.capitalize() for each, latin in _LETTERS.items() if each != "ı"}
)


def in_encoding(text: str, encoding: str) -> str:
    """A text in the letters of an encoding; others become Latin letters without accents, or `?`."""
    known = text.encode(encoding, "ignore").decode(encoding)
    if known == text:
        return text
    written = (each if each in known else _in_latin(each) for each in text)
    return "".join(written).encode(encoding, "replace").decode(encoding)


def _in_latin(text: str) -> str:
    return without_accents(text).translate(_PLAIN)


def plain(text: str, most: int) -> str:
    """A text in the letters and signs that all banks of SEPA read."""
    letters = _in_latin(text.translate(_BEFORE))
    kept = [
        each if (each.isascii() and each.isalnum()) or each in _SIGNS else " " for each in letters
    ]
    return " ".join("".join(kept).split())[:most].strip()


def can_be_written(name: str) -> bool:
    """Whether a letter or a digit of a name is left in a file for a bank.

    Of Chinese or Arabic nothing is. No rule gives the Latin letters that the bank knows: the
    signs of a Japanese name are read in several ways. So the holder has to say them.
    """
    return any(map(str.isalnum, plain(name, MAX_NAME)))
