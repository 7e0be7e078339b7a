"""The routes of the pages about renewals."""

from masthead.model.identity.rights import Right
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.renewals import downloads, ending, lists as renewal_lists, rates

_ENDING = DeskPages("ending/", rights=())

RENEWAL_PAGES = (
    _ENDING.page("", renewal_lists.list_ending),
    _ENDING.page("next/", renewal_lists.list_next),
    _ENDING.page("lapsed/", renewal_lists.list_lapsed),
    _ENDING.page("past-due/", renewal_lists.list_past_due),
    _ENDING.page("stopped/", renewal_lists.list_stopped),
    _ENDING.page("download/", downloads.download_list, Right.DOWNLOAD),
    *_ENDING.files("", ending.download_ending),
    _ENDING.page("over/", ending.list_ended),
    _ENDING.page("memberships/", ending.list_ending_memberships),
    _ENDING.page("retention/", rates.show_rates),
    *_ENDING.files("retention/", rates.download_rates),
    _ENDING.page("retention/list/", rates.list_ended),
)
