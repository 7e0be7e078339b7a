"""The columns of masthead's own format."""

from collections.abc import Sequence

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.mapping import Rule
from masthead.model.imports.targets import COLUMNS, REPORT
from masthead.model.translations import gettext as _
from masthead.model.types.messages import similar

# What rejected rows and our own export have too; an import has one product and one source
_OTHERS = (*REPORT, "product", "source")


def own_rules(columns: Sequence[str]) -> dict[str, Rule]:
    """The rules of a file with masthead's own columns.

    Raises: Invalid, which names all columns that are unknown or appear twice.
    """
    unknown = [name for name in dict.fromkeys(columns) if name not in (*COLUMNS, *_OTHERS)]
    wrong = []
    if "order_id" not in columns:
        wrong.append(_("The file has no column `order_id`."))
    if unknown:
        message = _("These columns are unknown: {names}.")
        wrong.append(message.format(names=", ".join(map(_with_hint, unknown))))
    twice = [name for name in dict.fromkeys(columns) if list(columns).count(name) > 1]
    message = _("Column `{name}` appears more than once.")
    wrong += [message.format(name=excerpt(name)) for name in twice]
    if wrong:
        message = _(
            "Choose the system that exported the file, map its columns, or use our own columns: "
            "{names}."
        )
        raise Invalid(" ".join([*wrong, message.format(names=", ".join(COLUMNS))]))
    return {name: Rule(columns=(name,)) for name in columns if name in COLUMNS}


def _with_hint(name: str) -> str:
    """The name of an unknown column, with the known one that is similar."""
    close = similar(name, COLUMNS)
    text = f"`{excerpt(name)}`"
    if not close:
        return text
    return _("{name} (did you mean `{known}`?)").format(name=text, known=close)
