"""The routes of the pages that correct, merge and compare subscribers."""

from masthead.model.identity.rights import Right
from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.subscribers import duplicates, edit, merge, notes

_SUBSCRIBER = "/desk/{subdomain}/subscribers/{id}"

SUBSCRIBER_PAGES: tuple[PageRoute, ...] = (
    PageRoute(
        f"{_SUBSCRIBER}/edit/",
        edit.edit_subscriber,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.CORRECT,),
    ),
    PageRoute(f"{_SUBSCRIBER}/notes/", notes.add_note, PageAccess.MEMBER, "GET POST", rights=()),
    PageRoute(
        f"{_SUBSCRIBER}/notes/{{note}}/delete/",
        notes.delete_note,
        PageAccess.MEMBER,
        "GET POST",
        rights=(),
    ),
    PageRoute(
        f"{_SUBSCRIBER}/merge/", merge.choose_subscriber, PageAccess.MEMBER, rights=(Right.CORRECT,)
    ),
    PageRoute(
        f"{_SUBSCRIBER}/merge/{{other}}/",
        merge.merge_subscribers,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.CORRECT,),
    ),
    PageRoute(
        f"{_SUBSCRIBER}/dismiss/{{other}}/",
        duplicates.dismiss_pair,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.CORRECT,),
    ),
    PageRoute(
        f"{_SUBSCRIBER}/restore/{{other}}/",
        duplicates.restore_pair,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.CORRECT,),
    ),
    PageRoute(
        f"{_SUBSCRIBER}/merges/{{merge}}/undo/",
        merge.undo_merge,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.CORRECT,),
    ),
)
