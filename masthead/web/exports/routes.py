"""The routes of the files of lists."""

from masthead.model.identity.rights import Right
from masthead.web.exports import csv_style, downloads, everything
from masthead.web.kit.desk_pages import DeskPages

_DESK = DeskPages("", rights=())
_SETTINGS = DeskPages("settings/", rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS))

EXPORT_PAGES = (
    _DESK.page("downloads/{list}/{format}/", downloads.download_list, Right.DOWNLOAD),
    _DESK.change("csv-style/", csv_style.choose_csv_style),
    _SETTINGS.page("downloads/{list}/{format}/", downloads.download_settings_list),
    _SETTINGS.confirmation("export/", everything.show_exports),
    _SETTINGS.page("export/{id}/zip/", everything.download_archive),
    _SETTINGS.button("export/{id}/delete/", everything.delete_archive),
)
