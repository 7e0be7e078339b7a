"""The routes of the pages about money. Every member may see it, as they see each order."""

from masthead.model.identity.rights import Right
from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.kit.table_file import file_routes
from masthead.web.revenue import (
    bookkeeping,
    issues,
    statement_orders,
    statements,
    taken_orders,
    takings,
)

_MONEY = "/desk/{subdomain}/money"
_DEFERRED = f"{_MONEY}/deferred"
_BOOKKEEPING = f"{_MONEY}/bookkeeping"

REVENUE_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_MONEY}/", takings.show_takings, PageAccess.MEMBER, rights=(Right.SEE_MONEY,)),
    *file_routes(f"{_MONEY}/", takings.download_takings, Right.SEE_MONEY),
    PageRoute(
        f"{_MONEY}/orders/", taken_orders.list_orders, PageAccess.MEMBER, rights=(Right.SEE_MONEY,)
    ),
    PageRoute(
        f"{_MONEY}/refunds/",
        taken_orders.list_refunds,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY,),
    ),
    PageRoute(
        f"{_MONEY}/issues/", issues.show_issues, PageAccess.MEMBER, rights=(Right.SEE_MONEY,)
    ),
    *file_routes(f"{_MONEY}/issues/", issues.download_issues, Right.SEE_MONEY),
    PageRoute(
        f"{_BOOKKEEPING}/",
        bookkeeping.show_bookkeeping,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY,),
    ),
    PageRoute(
        f"{_BOOKKEEPING}/accounts/",
        bookkeeping.save_accounts,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.SEE_MONEY, Right.SETTINGS),
    ),
    *file_routes(f"{_BOOKKEEPING}/journal/", bookkeeping.download_journal, Right.SEE_MONEY),
    *file_routes(f"{_BOOKKEEPING}/vat/", bookkeeping.download_vat, Right.SEE_MONEY),
    PageRoute(
        f"{_BOOKKEEPING}/datev/",
        bookkeeping.download_datev,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY, Right.DOWNLOAD),
    ),
    PageRoute(
        f"{_DEFERRED}/",
        statements.list_statements,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SEE_MONEY,),
    ),
    PageRoute(
        f"{_DEFERRED}/{{id}}/",
        statements.show_statement,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY,),
    ),
    PageRoute(
        f"{_DEFERRED}/{{id}}/csv/",
        statements.download_figures,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY, Right.DOWNLOAD),
    ),
    PageRoute(
        f"{_DEFERRED}/{{id}}/orders/csv/",
        statements.download_orders,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY, Right.DOWNLOAD),
    ),
    PageRoute(
        f"{_DEFERRED}/{{id}}/orders/",
        statement_orders.list_orders,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY,),
    ),
    PageRoute(
        f"{_DEFERRED}/{{id}}/again/",
        statements.make_again,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.SEE_MONEY,),
    ),
    PageRoute(
        f"{_DEFERRED}/{{id}}/compare/",
        statements.compare,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY,),
    ),
)
