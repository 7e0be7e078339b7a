"""The routes of the pages about money. All need the right to see money."""

from masthead.model.identity.rights import Right
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.revenue import (
    bookkeeping,
    forecast,
    issues,
    statement_orders,
    statements,
    taken_orders,
    takings,
    takings_file,
    vat_files,
)

_MONEY = DeskPages("money/", rights=(Right.SEE_MONEY,))
_BOOKKEEPING = DeskPages("money/bookkeeping/", rights=(Right.SEE_MONEY,))
_DEFERRED = DeskPages("money/deferred/", rights=(Right.SEE_MONEY,))

REVENUE_PAGES = (
    _MONEY.page("", takings.show_takings),
    *_MONEY.files("", takings_file.download_takings),
    _MONEY.page("orders/", taken_orders.list_orders),
    _MONEY.page("refunds/", taken_orders.list_refunds),
    _MONEY.page("issues/", issues.show_issues),
    *_MONEY.files("issues/", issues.download_issues),
    _BOOKKEEPING.page("", bookkeeping.show_bookkeeping),
    _BOOKKEEPING.change("accounts/", bookkeeping.save_accounts, Right.SETTINGS),
    *_BOOKKEEPING.files("journal/", bookkeeping.download_journal),
    *_BOOKKEEPING.files("vat/", vat_files.download_vat),
    *_BOOKKEEPING.files("taken/", vat_files.download_taken),
    *_BOOKKEEPING.files("vat-changes/", vat_files.download_changed),
    _BOOKKEEPING.page("datev/", bookkeeping.download_datev, Right.DOWNLOAD),
    _DEFERRED.form("", statements.list_statements),
    _DEFERRED.page("forecast/", forecast.show_forecast),
    *_DEFERRED.files("forecast/", forecast.download_forecast),
    _DEFERRED.page("{id}/", statements.show_statement),
    _DEFERRED.page("{id}/csv/", statements.download_figures, Right.DOWNLOAD),
    _DEFERRED.page("{id}/orders/csv/", statements.download_orders, Right.DOWNLOAD),
    _DEFERRED.page("{id}/orders/", statement_orders.list_orders),
    _DEFERRED.button("{id}/again/", statements.make_again),
    _DEFERRED.page("{id}/compare/", statements.compare),
)
