"""Why a row of a file, or a typed key, changes nothing, in the language of the page."""

from masthead.model.translations import gettext as _


def repeated(line: int) -> str:
    """The copy is in an earlier line too."""
    return _("The same copy is already in line {line}.").format(line=line)


def no_copy(id: int) -> str:
    """No copy has the id."""
    return _("There is no copy {id} in this account.").format(id=id)


def no_key() -> str:
    """No copy has the key."""
    return _("No copy of this account has this key.")


def cancelled(issue: int) -> str:
    """The copy is cancelled."""
    return _("The copy of issue {issue} is cancelled.").format(issue=issue)


def not_in_run(issue: int) -> str:
    """The copy has left the run of the label."""
    return _("The copy of issue {issue} is no longer in its dispatch.").format(issue=issue)


def void_label(run: int, issue: int, copy: int) -> str:
    """The run of the label was discarded."""
    text = _(
        "Dispatch {number} of issue {issue} was discarded, so this label is void. If the copy was "
        "shipped, mark copy {copy} as sent."
    )
    return text.format(number=run, issue=issue, copy=copy)
