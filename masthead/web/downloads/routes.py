"""The routes of the files of lists."""

from masthead.model.identity.rights import Right
from masthead.web.downloads import csv_style, lists
from masthead.web.kit.desk_pages import DeskPages

_DESK = DeskPages("", rights=())
_SETTINGS = DeskPages("settings/", rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS))

DOWNLOAD_PAGES = (
    _DESK.page("downloads/{list}/{format}/", lists.download_list, Right.DOWNLOAD),
    _DESK.change("csv-style/", csv_style.choose_csv_style),
    _SETTINGS.page("downloads/{list}/{format}/", lists.download_settings_list),
)
