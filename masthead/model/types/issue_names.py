"""The names of issues in the language of a page.

An issue that is created without a name is stored with the name `Issue 12`. Pages show that name in
the language of their reader; a name that somebody typed is shown as it is.
"""

from masthead.model.translations import gettext as _


def default_name(number: int) -> str:
    """The name that an issue without a name of its own is stored with."""
    return f"Issue {number}"


def own_name(name: str, number: int) -> str:
    """The name of an issue; empty if it only repeats the number."""
    return "" if name == default_name(number) else name


def name_with_number(name: str, number: int) -> str:
    """The number and the name of an issue: `Issue 12, Ice`; only the number if it has no name."""
    numbered = _("Issue {number}").format(number=number)
    own = own_name(name, number)
    return f"{numbered}, {own}" if own else numbered


def shown_name(name: str, number: int) -> str:
    """The name of an issue; in the current language if it only repeats the number."""
    return own_name(name, number) or _("Issue {number}").format(number=number)
