"""A person's name in one cell, split into first and last name."""

# They begin a last name: Ludwig van Beethoven, Simone de Beauvoir, Anna von der Leyen
_PARTICLES = frozenset(
    "van von vom zu zum zur de der den des di da do dos das du del della degli le la les el al "
    "bin ibn ben ter ten te af av mac st st. san santa 't op".split()
)
_SUFFIXES = frozenset("jr jr. sr sr. ii iii iv phd ph.d. md m.d. esq esq.".split())


def split_name(name: str) -> tuple[str | None, str | None]:
    """The first and the last name; a single word is a last name.

    `Lovelace, Ada` has the last name first. Particles and suffixes belong to the last name.
    """
    before, comma, after = (part.strip() for part in name.partition(","))
    if comma and after and after.lower() not in _SUFFIXES:
        return after, before or None
    words = name.replace(",", " ").split()
    if len(words) < 2:
        return None, (words[0] if words else None)
    last = len(words) - 1
    while last > 1 and words[last].lower() in _SUFFIXES:
        last -= 1
    while last > 1 and words[last - 1].lower() in _PARTICLES:
        last -= 1
    if last == 1 and words[0] in _PARTICLES:  # van Gogh, but not Al Gore
        last = 0
    return " ".join(words[:last]) or None, " ".join(words[last:])
