"""The routes of the pages of issues."""

from masthead.model.identity.rights import Right
from masthead.services.pictures import MAX_UPLOAD
from masthead.web.issues import cover as issue_cover
from masthead.web.issues import create as issue_create
from masthead.web.issues import edit as issue_edit
from masthead.web.issues import fulfilment
from masthead.web.issues import number as issue_number
from masthead.web.issues import pages as issues
from masthead.web.kit.router import PageAccess, PageRoute

_ISSUES = "/desk/{subdomain}/issues"

ISSUE_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_ISSUES}/", issues.list_issues, PageAccess.MEMBER, rights=()),
    PageRoute(
        f"{_ISSUES}/new/",
        issue_create.create_issue,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.CORRECT,),
    ),
    PageRoute(f"{_ISSUES}/{{id}}/", issues.show_issue, PageAccess.MEMBER, rights=()),
    PageRoute(
        f"{_ISSUES}/{{id}}/edit/",
        issue_edit.edit_issue,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.CORRECT,),
    ),
    PageRoute(
        f"{_ISSUES}/{{id}}/cover/",
        issue_cover.edit_cover,
        PageAccess.MEMBER,
        "GET POST",
        max_file=MAX_UPLOAD,
        rights=(Right.CORRECT,),
    ),
    PageRoute(
        f"{_ISSUES}/{{id}}/cover/delete/",
        issue_cover.delete_cover,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.CORRECT,),
    ),
    PageRoute(
        f"{_ISSUES}/{{id}}/cover/{{sha256}}/", issue_cover.send_cover, PageAccess.MEMBER, rights=()
    ),
    PageRoute(
        f"{_ISSUES}/{{id}}/delete/",
        issue_number.delete_issue,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.CORRECT,),
    ),
    PageRoute(
        f"{_ISSUES}/{{id}}/number/",
        issue_number.renumber_issue,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.CORRECT,),
    ),
    PageRoute(
        f"{_ISSUES}/{{id}}/addresses/",
        fulfilment.download_addresses,
        PageAccess.MEMBER,
        rights=(Right.DOWNLOAD,),
    ),
)
