"""What was typed to find a person, in the fields of a new one: nobody has to type it twice."""

from collections.abc import Mapping

from masthead.model.orders.typed_search import fields_of_search
from masthead.web.kit.forms import BaseForm

_NAMES = ("first_name", "last_name", "company")


def take_over(form: BaseForm, prefix: str, search: str, *, before: str = "") -> None:
    """Fill the fields of a new person with what was typed to find them.

    What the user typed into the fields stays. prefix: of the names of the fields. before: the
    search that was taken over; what the fields still have of it is replaced.
    """
    if search == before:
        return
    typed, had_name = fields_of_search(search), _has_taken_name(form, prefix, before)
    clear_taken(form, prefix, before)
    if not had_name and any(_is_filled(form, prefix + name) for name in _NAMES):
        typed = {name: value for name, value in typed.items() if name not in _NAMES}
    for name, value in typed.items():
        if not _is_filled(form, prefix + name):
            form[prefix + name].data = value


def _has_taken_name(form: BaseForm, prefix: str, search: str) -> bool:
    return any(
        name in _NAMES and form[prefix + name].data == value
        for name, value in fields_of_search(search).items()
    )


def clear_taken(form: BaseForm, prefix: str, search: str) -> None:
    """Empty the fields that still have what was taken over from a search."""
    for name, value in fields_of_search(search).items():
        if form[prefix + name].data == value:
            form[prefix + name].data = ""


def fields_to_take(prefix: str, search: str) -> Mapping[str, str]:
    """The ids of the fields of a new person and what they get, for the script of the page."""
    return {prefix + name: value for name, value in fields_of_search(search).items()}


def _is_filled(form: BaseForm, name: str) -> bool:
    return bool((form[name].data or "").strip())
