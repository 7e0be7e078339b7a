"""A person's name in one cell, split into first and last name."""

import re

# They begin a last name: Ludwig van Beethoven, Simone de Beauvoir, Anna von der Leyen
PARTICLES = frozenset(
    "van von vom zu zum zur de der den des di da do dos das du del della degli le la les el al "
    "bin ibn ben ter ten te af av mac st st. san santa 't op".split()
)
_SUFFIXES = frozenset("jr jr. sr sr. ii iii iv phd ph.d. md m.d. esq esq.".split())
# What follows a name after a comma, without dots and blanks. Degrees, honours and seats
_TITLES = frozenset(
    "jr sr ii iii iv phd dphil esq mba msc bsc llm llb mphil meng mres mfa bfa dds dvm cpa "
    "obe mbe cbe kbe dbe qc kc frs frcp mdep mdb mdl mda mdbb mdhb mdr mep msp emeritus emerita "
    "rer oec mbl".split()
)
# The same, but also initials or first names: only after a whole name, and not written like `Ba`
_SHORT_TITLES = frozenset("ma ba md dr prof mp mla td jd ms bs be jp sj osb ing mag cfa".split())
_OFFICES = re.compile(
    r"\w*(?:bürgermeister|minister|senator|staatssekretär|notar|steuerberater|pfarrer"
    r"|rechtsanwalt|patentanwalt|geschäftsführer|präsident|direktor|inhaber|architekt)(?:in)?"
    r"|(?:rechts|patent)anwältin|landrat|landrätin|arzt|ärztin|vorsitzende[rn]?|abgeordnete[rn]?"
    r"|mitglied|mayor|member|president|chair(?:man|woman|person)?|director|secretary|treasurer"
    r"|solicitor|barrister|attorney|architect|editor|manager|ceo|cto|cfo|dipl|diplom",
    re.IGNORECASE,
)
_COMPANIES = frozenset("inc ltd llc llp plc gmbh corp limited incorporated".split())
_RETIRED = re.compile(r"\s(?:a\. ?D|i\. ?R)\.$")  # außer Dienst, im Ruhestand
_WORD = re.compile(r"\w+")
_BETWEEN = re.compile(r"[\W_]+")


def split_name(name: str) -> tuple[str | None, str | None]:
    """The first and the last name; a single word is a last name.

    `Lovelace, Ada` has the last name first; titles as in `Ada Lovelace, MdEP` stay at the end.
    Particles and suffixes belong to the last name. `Acme Books, Inc.` is one name.
    """
    before, *others = (part.strip() for part in name.split(","))
    if others and _BETWEEN.sub("", others[-1]).lower() in _COMPANIES:
        return None, name.strip()
    titles = list[str]()
    while others and (not others[-1] or _is_title(others[-1], "" if others[1:] else before)):
        titles.insert(0, others.pop())
    first, last = _in_order(before) if not others else (", ".join(others), before or None)
    return first, ", ".join(filter(None, [last, *titles])) or None


def _is_title(text: str, name: str) -> bool:
    """Whether a part after a comma is a title, not a first name.

    name: all that is before it; empty if that has a comma, and thus a first name.
    """
    word = _WORD.search(text)
    if word and _OFFICES.fullmatch(word[0]):
        return True
    joined = _BETWEEN.sub("", _RETIRED.sub("", text)).lower()
    if joined in _TITLES:
        return True
    words = name.split()
    is_whole = not words or (len(words) > 1 and words[0] not in PARTICLES and not name.isupper())
    return is_whole and joined in _SHORT_TITLES and ("." in text or not text.istitle())


def _in_order(name: str) -> tuple[str | None, str | None]:
    """The first and the last name of a name with the first name first."""
    words = name.split()
    if len(words) < 2:
        return None, (words[0] if words else None)
    last = len(words) - 1
    while last > 1 and words[last].lower() in _SUFFIXES:
        last -= 1
    while last > 1 and words[last - 1].lower() in PARTICLES:
        last -= 1
    if last == 1 and words[0] in PARTICLES:  # van Gogh, but not Al Gore
        last = 0
    return " ".join(words[:last]) or None, " ".join(words[last:])
