"""The routes of the export of an account."""

from masthead.model.identity.rights import Right
from masthead.web.exports import everything
from masthead.web.kit.desk_pages import DeskPages

_SETTINGS = DeskPages("settings/", rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS))

EXPORT_PAGES = (
    _SETTINGS.confirmation("export/", everything.show_exports),
    _SETTINGS.page("export/{id}/zip/", everything.download_archive),
    _SETTINGS.button("export/{id}/delete/", everything.delete_archive),
)
