"""The routes of the pages of dispatch runs."""

from masthead.model.identity.rights import Right
from masthead.web.dispatch import freeze, run, run_actions, runs
from masthead.web.kit.router import PageAccess, PageRoute

_DISPATCHES = "/desk/{subdomain}/dispatches"
_ISSUES = "/desk/{subdomain}/issues"

DISPATCH_PAGES: tuple[PageRoute, ...] = (
    PageRoute(
        f"{_ISSUES}/{{id}}/dispatch/",
        freeze.freeze_run,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.DISPATCH,),
    ),
    PageRoute(f"{_DISPATCHES}/", runs.list_runs, PageAccess.MEMBER, rights=()),
    PageRoute(f"{_DISPATCHES}/{{id}}/", run.show_run, PageAccess.MEMBER, rights=()),
    PageRoute(
        f"{_DISPATCHES}/{{id}}/mark/",
        run_actions.mark_run,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.DISPATCH,),
    ),
    PageRoute(
        f"{_DISPATCHES}/{{id}}/undo/",
        run_actions.undo_run,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.DISPATCH,),
    ),
    PageRoute(
        f"{_DISPATCHES}/{{id}}/discard/",
        run_actions.discard_run,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.DISPATCH,),
    ),
    PageRoute(
        f"{_DISPATCHES}/{{id}}/files/",
        run_actions.request_file,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.DISPATCH,),
    ),
    PageRoute(
        f"{_DISPATCHES}/{{id}}/files/{{file}}/",
        run_actions.download_file,
        PageAccess.MEMBER,
        rights=(Right.DISPATCH,),
    ),
)
