"""The routes of the pages of issues."""

from masthead.model.identity.rights import Right
from masthead.services.pictures import MAX_UPLOAD
from masthead.web.issues import (
    cover as issue_cover,
    create as issue_create,
    edit as issue_edit,
    fulfilment,
    number as issue_number,
    pages as issues,
)
from masthead.web.kit.desk_pages import DeskPages

_ISSUES = DeskPages("issues/", rights=())

ISSUE_PAGES = (
    _ISSUES.page("", issues.list_issues),
    _ISSUES.form("new/", issue_create.create_issue, Right.CORRECT),
    _ISSUES.page("{id}/", issues.show_issue),
    _ISSUES.form("{id}/edit/", issue_edit.edit_issue, Right.CORRECT),
    _ISSUES.form("{id}/cover/", issue_cover.edit_cover, Right.CORRECT, max_file=MAX_UPLOAD),
    _ISSUES.button("{id}/cover/delete/", issue_cover.delete_cover, Right.CORRECT),
    _ISSUES.page("{id}/cover/{sha256}/", issue_cover.send_cover),
    _ISSUES.form("{id}/delete/", issue_number.delete_issue, Right.CORRECT),
    _ISSUES.form("{id}/number/", issue_number.renumber_issue, Right.CORRECT),
    _ISSUES.page("{id}/addresses/", fulfilment.download_addresses, Right.DOWNLOAD),
)
