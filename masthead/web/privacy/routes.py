"""The routes of the pages of privacy."""

from masthead.model.identity.rights import Right
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.privacy import retention, subscriber

_SUBSCRIBER = DeskPages("subscribers/{id}/", rights=())
_DATA = DeskPages("subscribers/{id}/", rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.ERASE))
_SETTINGS = DeskPages("settings/", rights=(Right.ERASE, Right.SETTINGS))

PRIVACY_PAGES = (
    _SUBSCRIBER.page("privacy/", subscriber.show_privacy),
    _DATA.page("privacy/{format}/", subscriber.download_everything),
    _SUBSCRIBER.form("erase/", subscriber.erase, Right.ERASE),
    _SETTINGS.form("privacy/", retention.edit_retention),
)
