"""The fields with which an owner chooses the rights of a user or of an API key."""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from wtforms import SelectMultipleField, ValidationError

from masthead.model.identity.rights import (
    DETAILS,
    EXPLANATIONS,
    NEEDED,
    Right,
    in_order,
    names_of,
    usable_rights,
)
from masthead.model.translations import gettext as _, ngettext
from masthead.web.kit.forms import choices_of, labels_of

CHOSEN = "chosen"  # instead of a ready set of rights
ASSISTANT = "assistant"  # the ready set of rights without money and lists


def rights_field(default: Iterable[Right] = ()) -> SelectMultipleField:
    """The rights to tick; `settings/rights_macros.html` shows them with `explained_rights`."""
    choices = choices_of(labels_of(Right))
    return SelectMultipleField("Rights", choices=choices, default=in_order(default))


def refuse_unused_ticks(choice: str | None, ticked: Iterable[str], shown: Iterable[str]) -> None:
    """Refuse ticks that would have no effect: a person who ticks rights means to limit them.

    choice: of the field before. shown: the ticks of the page. Raises: ValidationError.
    """
    ticks = set(ticked)
    if choice != CHOSEN and ticks and ticks != set(shown):
        raise ValidationError(
            _(
                "You changed the ticks, but they count only with “Only the rights you choose”. "
                "Choose that, or undo the changes."
            )
        )


def left_out(ticked: Iterable[str]) -> str:
    """What to say of ticked rights that are not given; empty if all are."""
    given = frozenset(map(Right, ticked))
    unusable = given - usable_rights(given)
    texts = []
    for needed in dict.fromkeys(NEEDED[each] for each in in_order(unusable)):
        names = [each for each in unusable if NEEDED[each] == needed]
        text = ngettext(
            "Not given, because it also needs {needed}: {rights}.",
            "Not given, because they also need {needed}: {rights}.",
            len(names),
        )
        texts.append(text.format(needed=_quoted(needed), rights=names_of(names)))
    return " ".join(texts)


def _quoted(rights: Iterable[Right]) -> str:
    """The names of rights of which one is needed, such as `“Take orders” or “See money”`."""
    return _(" or ").join(_("“{name}”").format(name=each.words) for each in rights)


class ExplainedRight(Struct, frozen=True):
    """A right in words. details: the rest of what it allows, or empty. needed: it needs one."""

    right: Right
    name: str
    explanation: str
    details: str
    needed: Sequence[Right]


def explained_rights() -> list[ExplainedRight]:
    """All rights in words."""
    return [
        ExplainedRight(
            each,
            each.words,
            _(EXPLANATIONS[each]),
            _(DETAILS[each]) if each in DETAILS else "",
            NEEDED.get(each, ()),
        )
        for each in Right
    ]
