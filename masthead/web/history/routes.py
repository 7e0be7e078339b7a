"""The routes of the pages about what happened."""

from masthead.web.history import pages
from masthead.web.kit.desk_pages import DeskPages

_DESK = DeskPages("", rights=())

HISTORY_PAGES = (
    _DESK.page("subscribers/{id}/history/", pages.show_subscriber),
    _DESK.page("subscriptions/{id}/history/", pages.show_subscription),
    _DESK.page("issues/{id}/history/", pages.show_issue),
)
