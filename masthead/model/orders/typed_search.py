"""What was typed to find a subscriber, as the fields of a new one if nobody was found."""

import re

from masthead.model.imports.values.person_names import PARTICLES, split_name

_EMAIL = re.compile(r"[^\s@]+@[^\s@]+")
_POSTCODE = re.compile(r"\d{4,6}|\d{3} \d{2}|\d{4} ?[A-Z]{2}|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}")
_BETWEEN = re.compile(r"[,;\s]+")
# They are written in the name of a company, of an authority or of a school
_FORMS = frozenset(
    "gmbh ag kg ug gbr ohg mbh ev eg se ltd limited llc llp plc inc corp sarl sa sas srl bv nv ab "
    "oy as aps spa & und and stadt gemeinde amt town city council university universität college "
    "institut institute school schule library bibliothek bücherei museum verlag press publishing "
    "media agency agentur hotel praxis verein stiftung foundation club kita church theatre gallery "
    "hospital academy association society ministry office".split()
)
_ENDINGS = re.compile(
    r"([\w-]*)(?:bibliothek|bücherei|buchhandlung|bookshop|verlag|universität|hochschule|schule|museum"
    r"|institut|gesellschaft|stiftung|verein|verband|agentur|amt|gemeinde|kunsthalle|theater"
    r"|gymnasium|akademie|ministerium|archiv|galerie|orchester|klinik|krankenhaus|apotheke|kanzlei"
    r"|rathaus|kasse|kindergarten|zentrum)"
)


def fields_of_search(text: str) -> dict[str, str]:
    """The name, email and postcode that a search has, by the names of a subscriber.

    `Ada Lovelace` is a first and a last name, `Stadtbibliothek Ulm` a company. What follows a
    postcode is the town.
    """
    found = dict[str, str]()
    if email := _EMAIL.search(text):
        found["email"] = email[0]
        text = f"{text[: email.start()]} {text[email.end() :]}"
    if postcode := re.search(rf"(?<!\S)(?:{_POSTCODE.pattern})(?!\S)", text):
        found["postcode"] = postcode[0]
        found["city"] = _tidy(text[postcode.end() :])
        text = text[: postcode.start()]
    name = _tidy(text)
    if is_company(name):
        found["company"] = name
    else:
        first, last = split_name(name)
        found |= {"first_name": _cased(first or ""), "last_name": _cased(last or "")}
    return {field: value for field, value in found.items() if value}


def is_company(name: str) -> bool:
    """Whether a name looks like that of a company, an authority or a school."""
    words = [each.replace(".", "").lower() for each in _BETWEEN.split(name)]
    if len(words) == 1:  # `Schule` is also a last name, `Hochschule` is not
        ending = _ENDINGS.fullmatch(words[0])
        return ending is not None and bool(ending[1])
    return any(each in _FORMS or _ENDINGS.fullmatch(each) for each in words)


def _tidy(text: str) -> str:
    return " ".join(text.split()).strip(" ,;")


def _cased(name: str) -> str:
    """A name that was typed in small letters as names are written: `vera van lind`."""
    if name != name.lower():
        return name
    return " ".join(
        each if each in PARTICLES else each[:1].upper() + each[1:] for each in name.split(" ")
    )
