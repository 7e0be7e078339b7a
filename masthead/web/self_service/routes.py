"""The routes of the pages of the desk about the page for subscribers."""

from masthead.model.identity.rights import Right
from masthead.services.pictures import MAX_UPLOAD
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.self_service import requests, settings

_SETTINGS = DeskPages("settings/self-service/", rights=(Right.SETTINGS,))
_DESK = DeskPages("", rights=())

SELF_SERVICE_PAGES = (
    _SETTINGS.form("", settings.edit_settings),
    _SETTINGS.form("logo/upload/", settings.upload_logo, max_file=MAX_UPLOAD),
    _SETTINGS.page("preview/", settings.preview_page, Right.SEE_MONEY),
    _SETTINGS.page("colours/", settings.send_colours),
    _SETTINGS.page("logo/", settings.send_logo),
    _DESK.page("requests/", requests.show_requests),
    _DESK.button("requests/{id}/send/", requests.send_replacement),
    _DESK.button("requests/{id}/close/", requests.close_request),
)
