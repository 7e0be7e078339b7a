"""The routes of the first page and of the forecast."""

from masthead.model.identity.rights import Right
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.reports import forecasts, home

_DESK = DeskPages("", rights=())
_FORECAST = DeskPages("forecast/", rights=())

REPORT_PAGES = (
    _DESK.page("", home.show_home),
    _FORECAST.page("", forecasts.show_forecast),
    _FORECAST.change("spare/", forecasts.set_spare, Right.SETTINGS),
    *_FORECAST.files("", forecasts.download_forecast),
)
