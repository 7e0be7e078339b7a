"""The routes of the pages of dispatch runs."""

from masthead.model.identity.rights import Right
from masthead.web.dispatch import freeze, freeze_group, group, replacement, run, run_actions, runs
from masthead.web.kit.desk_pages import DeskPages

_ISSUES = DeskPages("issues/", rights=(Right.DISPATCH,))
_CLAIMS = DeskPages("claims/", rights=(Right.DISPATCH,))
_DISPATCHES = DeskPages("dispatches/", rights=())

DISPATCH_PAGES = (
    _ISSUES.form("{id}/dispatch/", freeze.freeze_run),
    _CLAIMS.form("print/", replacement.print_label),
    _DISPATCHES.page("", runs.list_runs),
    _DISPATCHES.form("group/", freeze_group.freeze_group, Right.DISPATCH),
    _DISPATCHES.page("{id}/", run.show_run),
    _DISPATCHES.page("{id}/group/", group.show_group),
    _DISPATCHES.change("{id}/mark/", run_actions.mark_run, Right.DISPATCH),
    _DISPATCHES.confirmation("{id}/undo/", run_actions.undo_run, Right.DISPATCH),
    _DISPATCHES.confirmation("{id}/discard/", run_actions.discard_run, Right.DISPATCH),
    _DISPATCHES.change("{id}/files/", run_actions.request_file, Right.DISPATCH),
    _DISPATCHES.page("{id}/files/{file}/", run_actions.download_file, Right.DISPATCH),
)
