"""The routes of all pages, each with its handler and who can open it."""

from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from masthead.model.identity.rights import Right
from masthead.web.addresses.routes import ADDRESS_PAGES
from masthead.web.billing.bank_routes import BANK_PAGES
from masthead.web.billing.invoice_file_routes import INVOICE_FILE_PAGES
from masthead.web.billing.routes import BILLING_PAGES
from masthead.web.bulk.routes import BULK_PAGES
from masthead.web.claims.routes import CLAIM_PAGES
from masthead.web.debits.routes import DEBIT_PAGES
from masthead.web.dispatch.routes import DISPATCH_PAGES
from masthead.web.downloads.routes import DOWNLOAD_PAGES
from masthead.web.exports.routes import EXPORT_PAGES
from masthead.web.history.routes import HISTORY_PAGES
from masthead.web.identity import landing
from masthead.web.identity.routes import IDENTITY_PAGES
from masthead.web.imports.routes import IMPORT_PAGES
from masthead.web.issues.routes import ISSUE_PAGES
from masthead.web.kit.client_request import is_browser
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.kit.rendering import STATIC_ROUTE
from masthead.web.kit.router import PageAccess, PageRoute, routes_of
from masthead.web.letters.routes import LETTER_PAGES
from masthead.web.orders.routes import ORDER_PAGES
from masthead.web.privacy.routes import PRIVACY_PAGES
from masthead.web.reminders.routes import REMINDER_PAGES
from masthead.web.renewals.routes import RENEWAL_PAGES
from masthead.web.reports.routes import REPORT_PAGES
from masthead.web.returns.routes import RETURN_PAGES
from masthead.web.revenue.routes import REVENUE_PAGES
from masthead.web.sandboxes.routes import SANDBOX_PAGES
from masthead.web.self_service.routes import SELF_SERVICE_PAGES
from masthead.web.settings import welcome_email
from masthead.web.settings.routes import SETTINGS_PAGES
from masthead.web.subscriber_pages.routes import MY_ROUTES
from masthead.web.subscribers.routes import SUBSCRIBER_PAGES
from masthead.web.subscriptions.routes import SUBSCRIPTION_PAGES
from masthead.web.webhooks.routes import WEBHOOK_PAGES

_DESK = DeskPages("", rights=())

PAGES: tuple[PageRoute, ...] = (
    *IDENTITY_PAGES,
    *REPORT_PAGES,
    *SUBSCRIBER_PAGES,
    *ORDER_PAGES,
    *SUBSCRIPTION_PAGES,
    *BULK_PAGES,
    *WEBHOOK_PAGES,
    *HISTORY_PAGES,
    *REMINDER_PAGES,
    *RENEWAL_PAGES,
    *DOWNLOAD_PAGES,
    *EXPORT_PAGES,
    *LETTER_PAGES,
    *PRIVACY_PAGES,
    *RETURN_PAGES,
    *IMPORT_PAGES,
    *ADDRESS_PAGES,
    *REVENUE_PAGES,
    *INVOICE_FILE_PAGES,
    *BANK_PAGES,
    *DEBIT_PAGES,
    *BILLING_PAGES,
    *SETTINGS_PAGES,
    *SELF_SERVICE_PAGES,
    *SANDBOX_PAGES,
    *ISSUE_PAGES,
    *DISPATCH_PAGES,
    *CLAIM_PAGES,
)

# The former path of the welcome email
OLD_WELCOME_EMAIL = _DESK.page(
    "settings/letter/", welcome_email.redirect_to_welcome_email, Right.SETTINGS
)
# The page for all other paths
UNKNOWN = PageRoute("/{path:path}", landing.refuse_unknown_path, PageAccess.ANYONE)

ROUTES = [
    Route("/", landing.redirect_to_desk),
    *routes_of((*PAGES, OLD_WELCOME_EMAIL)),
    *MY_ROUTES,
    STATIC_ROUTE,
]


def unknown_path_app(for_programs: ASGIApp) -> ASGIApp:
    """The application for paths without a route: a page for browsers, and among the pages.

    for_programs: answers other clients.
    """
    [route] = routes_of((UNKNOWN,))
    assert isinstance(route, Route)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        is_page = scope["type"] == "http" and (
            is_browser(Request(scope)) or scope["path"].startswith(landing.SECTIONS)
        )
        await (route.app if is_page else for_programs)(scope, receive, send)

    return answer
