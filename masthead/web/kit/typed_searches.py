"""What was typed to find a person, in the fields of a new one: nobody has to type it twice."""

from collections.abc import Mapping

from masthead.model.orders.typed_search import fields_of_search
from masthead.model.types.text import caseless
from masthead.web.kit.forms import BaseForm

_PERSON = ("first_name", "last_name")
_NAMES = (*_PERSON, "company")


def take_over(form: BaseForm, prefix: str, search: str, *, before: str = "") -> None:
    """Fill the fields of a new person with what was typed to find them.

    What the user typed into the fields stays. prefix: of the names of the fields. before: the
    search that was taken over; what the fields still have of it is replaced.
    """
    if search == before:
        return
    typed = fields_of_search(search)
    had_name = not _taken(form, prefix, before).keys().isdisjoint(_NAMES)
    clear_taken(form, prefix, before)
    if not had_name and any(_is_filled(form, prefix + name) for name in _NAMES):
        typed = {name: value for name, value in typed.items() if name not in _NAMES}
    for name, value in typed.items():
        if not _is_filled(form, prefix + name):
            form[prefix + name].data = value


def clear_taken(form: BaseForm, prefix: str, search: str) -> None:
    """Empty the fields that still have what was taken over from a search."""
    for name in _taken(form, prefix, search):
        form[prefix + name].data = ""


def drop_name_in_company(form: BaseForm, prefix: str, search: str) -> None:
    """Empty a first and a last name that were taken over from a search, if they are a company.

    They are if the typed company has them, or begins them: who searched for `Kunsthalle Emden`
    types it, or `Kunsthalle`, as the company.
    """
    names = {name: it for name, it in fields_of_search(search).items() if name in _PERSON}
    taken = _words(" ".join(names.values()))
    company = _words(form[prefix + "company"].data or "")
    is_company = taken and company and (taken in company or taken.startswith(company))
    if is_company and names.keys() <= _taken(form, prefix, search).keys():
        for name in names:
            form[prefix + name].data = ""


def _words(text: str) -> str:
    """A text to find whole words in."""
    return f" {' '.join(caseless(text).split())} " if text.strip() else ""


def taken_texts(form: BaseForm, prefix: str, search: str) -> str:
    """What the fields still have of what was taken over from a search, such as `Ada Lund`.

    A name that has more than the search was typed: who searched for `Ada Lund` types `Tom Lund` as
    the recipient of a gift.
    """
    typed, taken = fields_of_search(search), _taken(form, prefix, search)
    if any((form[prefix + name].data or "") != typed.get(name, "") for name in _NAMES):
        taken = {name: value for name, value in taken.items() if name not in _NAMES}
    return " ".join(taken.values())


def has_taken(form: BaseForm, prefix: str, search: str) -> bool:
    """Whether a field still has what was taken over from a search."""
    return bool(_taken(form, prefix, search))


def _taken(form: BaseForm, prefix: str, search: str) -> dict[str, str]:
    typed = fields_of_search(search).items()
    return {name: value for name, value in typed if form[prefix + name].data == value}


def fields_to_take(prefix: str, search: str) -> Mapping[str, str]:
    """The ids of the fields of a new person and what they get, for the script of the page."""
    return {prefix + name: value for name, value in fields_of_search(search).items()}


def _is_filled(form: BaseForm, name: str) -> bool:
    return bool((form[name].data or "").strip())
