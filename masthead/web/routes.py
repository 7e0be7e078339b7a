"""The routes of all pages, each with its handler and who can open it."""

from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from masthead.services.issues.covers import MAX_UPLOAD
from masthead.web.addresses.routes import ADDRESS_PAGES
from masthead.web.claims import create as claim_create
from masthead.web.claims import pages as claims
from masthead.web.claims import why
from masthead.web.dispatch import (
    freeze,
    run,
    run_actions,
    runs,
)
from masthead.web.exports.routes import EXPORT_PAGES
from masthead.web.history.routes import HISTORY_PAGES
from masthead.web.identity import landing
from masthead.web.identity.routes import IDENTITY_PAGES
from masthead.web.imports.routes import IMPORT_PAGES
from masthead.web.issues import cover as issue_cover
from masthead.web.issues import create as issue_create
from masthead.web.issues import edit as issue_edit
from masthead.web.issues import fulfilment
from masthead.web.issues import number as issue_number
from masthead.web.issues import pages as issues
from masthead.web.kit.client_request import is_browser
from masthead.web.kit.rendering import STATIC_ROUTE
from masthead.web.kit.router import PageAccess, PageRoute, routes_of
from masthead.web.letters.routes import LETTER_PAGES
from masthead.web.orders import order_create
from masthead.web.privacy.routes import PRIVACY_PAGES
from masthead.web.renewals.routes import RENEWAL_PAGES
from masthead.web.reports import forecasts, home
from masthead.web.returns.routes import RETURN_PAGES
from masthead.web.revenue.routes import REVENUE_PAGES
from masthead.web.settings import (
    account,
    audit_log,
    export_profiles,
    keys,
    products,
    renewal_letters,
    replacements,
    sources,
    users,
    welcome_email,
)
from masthead.web.subscribers import duplicates
from masthead.web.subscribers import pages as subscribers
from masthead.web.subscribers.routes import SUBSCRIBER_PAGES
from masthead.web.subscriptions import pages as subscriptions
from masthead.web.subscriptions.routes import SUBSCRIPTION_PAGES
from masthead.web.webhooks.routes import WEBHOOK_PAGES

_DESK, _ISSUES = "/desk/{subdomain}", "/desk/{subdomain}/issues"
_SUBSCRIBERS, _SUBSCRIPTIONS = "/desk/{subdomain}/subscribers", "/desk/{subdomain}/subscriptions"
_DISPATCHES = "/desk/{subdomain}/dispatches"
_CLAIMS = "/desk/{subdomain}/claims"
_SETTINGS = "/desk/{subdomain}/settings"
_PROFILES = "/desk/{subdomain}/settings/export-profiles"
_WELCOME_EMAIL = "/desk/{subdomain}/settings/welcome-email"

PAGES: tuple[PageRoute, ...] = (
    *IDENTITY_PAGES,
    PageRoute("/desk/{subdomain}/", home.show_home, PageAccess.MEMBER),
    PageRoute(f"{_SUBSCRIBERS}/", subscribers.list_subscribers, PageAccess.MEMBER),
    PageRoute(f"{_SUBSCRIBERS}/suggestions/", subscribers.suggest_subscribers, PageAccess.MEMBER),
    PageRoute(f"{_SUBSCRIBERS}/duplicates/", duplicates.list_duplicates, PageAccess.MEMBER),
    PageRoute(f"{_SUBSCRIBERS}/{{id}}/", subscribers.show_subscriber, PageAccess.MEMBER),
    PageRoute(f"{_SUBSCRIPTIONS}/", subscriptions.list_subscriptions, PageAccess.MEMBER),
    PageRoute(
        f"{_SUBSCRIPTIONS}/new/",
        order_create.add_order,
        PageAccess.MEMBER,
        "GET POST",
    ),
    PageRoute(f"{_SUBSCRIPTIONS}/new/source/", order_create.add_source, PageAccess.MEMBER, "POST"),
    PageRoute(f"{_SUBSCRIPTIONS}/{{id}}/", subscriptions.show_subscription, PageAccess.MEMBER),
    *SUBSCRIPTION_PAGES,
    *WEBHOOK_PAGES,
    PageRoute(
        f"{_SUBSCRIPTIONS}/{{id}}/sent/", subscriptions.mark_copy_sent, PageAccess.MEMBER, "POST"
    ),
    PageRoute(f"{_SETTINGS}/", account.show_settings, PageAccess.OWNER),
    PageRoute(f"{_SETTINGS}/keys/", keys.list_keys, PageAccess.OWNER),
    PageRoute(f"{_SETTINGS}/keys/new/", keys.create_key, PageAccess.OWNER, "GET POST"),
    PageRoute(f"{_SETTINGS}/keys/{{id}}/roll/", keys.roll_key, PageAccess.OWNER, "GET POST"),
    PageRoute(f"{_SETTINGS}/keys/{{id}}/revoke/", keys.revoke_key, PageAccess.OWNER, "GET POST"),
    PageRoute(f"{_SETTINGS}/sources/", sources.list_sources, PageAccess.OWNER),
    PageRoute(f"{_SETTINGS}/sources/new/", sources.create_source, PageAccess.OWNER, "GET POST"),
    PageRoute(
        f"{_SETTINGS}/sources/{{id}}/edit/", sources.rename_source, PageAccess.OWNER, "GET POST"
    ),
    PageRoute(
        f"{_SETTINGS}/sources/{{id}}/activate/", sources.activate_source, PageAccess.OWNER, "POST"
    ),
    PageRoute(
        f"{_SETTINGS}/sources/{{id}}/deactivate/",
        sources.deactivate_source,
        PageAccess.OWNER,
        "POST",
    ),
    PageRoute(f"{_SETTINGS}/products/", products.list_products, PageAccess.OWNER),
    PageRoute(f"{_SETTINGS}/products/new/", products.create_product, PageAccess.OWNER, "GET POST"),
    PageRoute(
        f"{_SETTINGS}/products/{{id}}/edit/", products.edit_product, PageAccess.OWNER, "GET POST"
    ),
    PageRoute(
        f"{_SETTINGS}/products/{{id}}/activate/",
        products.activate_product,
        PageAccess.OWNER,
        "POST",
    ),
    PageRoute(
        f"{_SETTINGS}/products/{{id}}/deactivate/",
        products.deactivate_product,
        PageAccess.OWNER,
        "POST",
    ),
    PageRoute(f"{_PROFILES}/", export_profiles.list_profiles, PageAccess.OWNER),
    PageRoute(f"{_PROFILES}/new/", export_profiles.create_profile, PageAccess.OWNER, "GET POST"),
    PageRoute(
        f"{_PROFILES}/{{id}}/edit/", export_profiles.edit_profile, PageAccess.OWNER, "GET POST"
    ),
    PageRoute(
        f"{_PROFILES}/{{id}}/activate/",
        export_profiles.activate_profile,
        PageAccess.OWNER,
        "POST",
    ),
    PageRoute(
        f"{_PROFILES}/{{id}}/deactivate/",
        export_profiles.deactivate_profile,
        PageAccess.OWNER,
        "POST",
    ),
    PageRoute(f"{_SETTINGS}/account/", account.edit_account, PageAccess.OWNER, "GET POST"),
    PageRoute(
        f"{_WELCOME_EMAIL}/",
        welcome_email.edit_welcome_email,
        PageAccess.OWNER,
        "GET POST",
    ),
    PageRoute(
        f"{_WELCOME_EMAIL}/{{id}}/retry/",
        welcome_email.retry_email,
        PageAccess.OWNER,
        "POST",
    ),
    PageRoute(f"{_SETTINGS}/renewal-letters/", renewal_letters.list_letters, PageAccess.OWNER),
    PageRoute(
        f"{_SETTINGS}/renewal-letters/{{stage}}/",
        renewal_letters.edit_letter,
        PageAccess.OWNER,
        "GET POST",
    ),
    PageRoute(
        f"{_SETTINGS}/replacements/", replacements.edit_replacements, PageAccess.OWNER, "GET POST"
    ),
    PageRoute(f"{_SETTINGS}/log/", audit_log.show_log, PageAccess.OWNER),
    PageRoute(f"{_SETTINGS}/users/", users.list_users, PageAccess.OWNER),
    PageRoute(f"{_SETTINGS}/users/new/", users.invite_user, PageAccess.OWNER, "GET POST"),
    PageRoute(f"{_SETTINGS}/users/{{id}}/", users.edit_user, PageAccess.OWNER, "GET POST"),
    PageRoute(f"{_SETTINGS}/users/{{id}}/link/", users.create_link, PageAccess.OWNER, "POST"),
    PageRoute(f"{_SETTINGS}/users/{{id}}/remove/", users.remove_user, PageAccess.OWNER, "GET POST"),
    *HISTORY_PAGES,
    *RENEWAL_PAGES,
    *EXPORT_PAGES,
    *LETTER_PAGES,
    PageRoute(f"{_DESK}/forecast/", forecasts.show_forecast, PageAccess.MEMBER),
    PageRoute(f"{_DESK}/forecast/csv/", forecasts.download_forecast, PageAccess.MEMBER),
    PageRoute(f"{_DESK}/forecast/xlsx/", forecasts.download_forecast, PageAccess.MEMBER),
    PageRoute(f"{_ISSUES}/", issues.list_issues, PageAccess.MEMBER),
    PageRoute(f"{_ISSUES}/new/", issue_create.create_issue, PageAccess.MEMBER, "GET POST"),
    PageRoute(f"{_ISSUES}/{{id}}/", issues.show_issue, PageAccess.MEMBER),
    PageRoute(f"{_ISSUES}/{{id}}/edit/", issue_edit.edit_issue, PageAccess.MEMBER, "GET POST"),
    PageRoute(
        f"{_ISSUES}/{{id}}/cover/",
        issue_cover.edit_cover,
        PageAccess.MEMBER,
        "GET POST",
        max_file=MAX_UPLOAD,
    ),
    PageRoute(
        f"{_ISSUES}/{{id}}/cover/delete/", issue_cover.delete_cover, PageAccess.MEMBER, "POST"
    ),
    PageRoute(f"{_ISSUES}/{{id}}/cover/{{sha256}}/", issue_cover.send_cover, PageAccess.MEMBER),
    PageRoute(
        f"{_ISSUES}/{{id}}/delete/", issue_number.delete_issue, PageAccess.MEMBER, "GET POST"
    ),
    PageRoute(
        f"{_ISSUES}/{{id}}/number/", issue_number.renumber_issue, PageAccess.MEMBER, "GET POST"
    ),
    PageRoute(f"{_ISSUES}/{{id}}/addresses/", fulfilment.download_addresses, PageAccess.MEMBER),
    PageRoute(f"{_ISSUES}/{{id}}/dispatch/", freeze.freeze_run, PageAccess.MEMBER, "GET POST"),
    PageRoute(f"{_DISPATCHES}/", runs.list_runs, PageAccess.MEMBER),
    PageRoute(f"{_DISPATCHES}/{{id}}/", run.show_run, PageAccess.MEMBER),
    PageRoute(f"{_DISPATCHES}/{{id}}/mark/", run_actions.mark_run, PageAccess.MEMBER, "POST"),
    PageRoute(f"{_DISPATCHES}/{{id}}/undo/", run_actions.undo_run, PageAccess.MEMBER, "POST"),
    PageRoute(
        f"{_DISPATCHES}/{{id}}/discard/", run_actions.discard_run, PageAccess.MEMBER, "GET POST"
    ),
    PageRoute(f"{_DISPATCHES}/{{id}}/files/", run_actions.request_file, PageAccess.MEMBER, "POST"),
    PageRoute(
        f"{_DISPATCHES}/{{id}}/files/{{file}}/", run_actions.download_file, PageAccess.MEMBER
    ),
    PageRoute(f"{_ISSUES}/{{id}}/why/", why.show_why, PageAccess.MEMBER),
    PageRoute(
        f"{_ISSUES}/{{id}}/replacements/", claims.send_replacements, PageAccess.MEMBER, "POST"
    ),
    PageRoute(f"{_CLAIMS}/", claims.list_claims, PageAccess.MEMBER),
    PageRoute(f"{_CLAIMS}/new/", claim_create.record_claim, PageAccess.MEMBER, "GET POST"),
    PageRoute(f"{_CLAIMS}/csv/", claims.download_counts, PageAccess.MEMBER),
    PageRoute(f"{_CLAIMS}/xlsx/", claims.download_counts, PageAccess.MEMBER),
    PageRoute(f"{_CLAIMS}/{{id}}/close/", claims.close_claim, PageAccess.MEMBER, "POST"),
    *SUBSCRIBER_PAGES,
    *PRIVACY_PAGES,
    *RETURN_PAGES,
    *IMPORT_PAGES,
    *ADDRESS_PAGES,
    *REVENUE_PAGES,
)

# The former path of the welcome email
OLD_WELCOME_EMAIL = PageRoute(
    f"{_SETTINGS}/letter/", welcome_email.redirect_to_welcome_email, PageAccess.OWNER
)
# The page for all other paths
UNKNOWN = PageRoute("/{path:path}", landing.refuse_unknown_path, PageAccess.ANYONE)

ROUTES = [
    Route("/", landing.redirect_to_desk),
    *routes_of((*PAGES, OLD_WELCOME_EMAIL)),
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
