"""The fields with which an owner chooses the rights of a user or of an API key."""

from wtforms import SelectMultipleField

from masthead.model.identity.rights import EXPLANATIONS, NAMES, Right, name_of
from masthead.model.translations import gettext as _
from masthead.web.kit.forms import choices_of

CHOSEN = "chosen"  # instead of a ready set of rights


def rights_field() -> SelectMultipleField:
    """The rights to tick; `settings/rights_macros.html` shows them with `explained_rights`."""
    return SelectMultipleField("Rights", choices=choices_of((each, NAMES[each]) for each in Right))


def explained_rights() -> list[tuple[Right, str, str]]:
    """Each right, its name and what it allows."""
    return [(each, name_of(each), _(EXPLANATIONS[each])) for each in Right]
