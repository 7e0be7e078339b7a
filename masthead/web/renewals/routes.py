"""The routes of the pages about renewals."""

from masthead.model.identity.rights import Right
from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.kit.table_file import file_routes
from masthead.web.renewals import downloads, ending, rates
from masthead.web.renewals import lists as renewal_lists

_ENDING = "/desk/{subdomain}/ending"

RENEWAL_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_ENDING}/", renewal_lists.list_ending, PageAccess.MEMBER, rights=()),
    PageRoute(f"{_ENDING}/next/", renewal_lists.list_next, PageAccess.MEMBER, rights=()),
    PageRoute(f"{_ENDING}/lapsed/", renewal_lists.list_lapsed, PageAccess.MEMBER, rights=()),
    PageRoute(f"{_ENDING}/past-due/", renewal_lists.list_past_due, PageAccess.MEMBER, rights=()),
    PageRoute(f"{_ENDING}/stopped/", renewal_lists.list_stopped, PageAccess.MEMBER, rights=()),
    PageRoute(
        f"{_ENDING}/download/", downloads.download_list, PageAccess.MEMBER, rights=(Right.DOWNLOAD,)
    ),
    *file_routes(f"{_ENDING}/", ending.download_ending),
    PageRoute(f"{_ENDING}/over/", ending.list_ended, PageAccess.MEMBER, rights=()),
    PageRoute(
        f"{_ENDING}/memberships/", ending.list_ending_memberships, PageAccess.MEMBER, rights=()
    ),
    PageRoute(f"{_ENDING}/retention/", rates.show_rates, PageAccess.MEMBER, rights=()),
    *file_routes(f"{_ENDING}/retention/", rates.download_rates),
    PageRoute(f"{_ENDING}/retention/list/", rates.list_ended, PageAccess.MEMBER, rights=()),
)
