"""The routes of the pages about what carriers report."""

from masthead.model.identity.rights import Right
from masthead.model.returns.uploads import MAX_UPLOAD
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.returns import carrier_files, copy_keys, find_copies, moved, overview

_DESK = DeskPages("", rights=())
_RETURNS = DeskPages("returns/", rights=())

RETURN_PAGES = (
    _DESK.page("copy-key/", copy_keys.look_up_key),
    _DESK.form("copy-key/moved/", moved.enter_address, Right.DISPATCH),
    _RETURNS.page("", overview.show_returns),
    _RETURNS.page("copies/", find_copies.find_returned_copies),
    _RETURNS.change("files/", carrier_files.upload_file, Right.DISPATCH, max_file=MAX_UPLOAD),
    _RETURNS.form("files/{id}/", carrier_files.import_file, Right.DISPATCH),
    _RETURNS.page(
        "files/{id}/report/", carrier_files.download_report, Right.DOWNLOAD, Right.DISPATCH
    ),
    _RETURNS.change("keys/", copy_keys.report_keys, Right.DISPATCH),
    _RETURNS.change("accept-all/", overview.accept_all, Right.DISPATCH),
    _RETURNS.change("{id}/accept/", overview.accept_address, Right.DISPATCH),
    _RETURNS.button("{id}/dismiss/", overview.dismiss_report, Right.DISPATCH),
)
