"""Route requests for the pages of the subscribers: find the account, the session, read the form."""

from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus

from msgspec import Struct
from starlette.responses import Response
from starlette.routing import BaseRoute

from masthead.model.clock import use_sandbox_day
from masthead.model.errors import (
    Erased,
    Invalid,
    MastheadError,
    NotFound,
    PageNotFound,
    TooManyAttempts,
    Unavailable,
)
from masthead.model.self_service.settings import Action
from masthead.model.translations import gettext as _, set_language
from masthead.services.self_service.reading import find_linked
from masthead.services.self_service.sign_in import find_subscriber
from masthead.store.accounts import find_account
from masthead.store.self_service.settings import get_settings, has_logo
from masthead.web.kit.request_checks import check_size, is_cross_site, require_fields
from masthead.web.kit.router import page_route
from masthead.web.subscriber_pages.context import MyContext, wait_text

Handler = Callable[[MyContext], Awaitable[Response]]


class MyRoute(Struct, frozen=True):
    """A page of the subscribers. is_open: whether it can be opened without a session.

    action: what an owner must allow, so that the page exists. is_button: as in `PageRoute`.
    """

    path: str
    handler: Handler
    methods: str = "GET"
    is_open: bool = False
    action: Action | None = None
    is_button: bool = False

    def __str__(self) -> str:
        return self.path


def routes_of(pages: tuple[MyRoute, ...]) -> list[BaseRoute]:
    """The pages as Starlette routes. The `state.web` of the application is a `WebDependencies`."""
    return [page_route(page.path, MyContext, partial(_answer, page), _error_page) for page in pages]


async def _answer(page: MyRoute, context: MyContext) -> Response:
    """Run the handler, after the checks of origin, account, session, action and method."""
    request = context.request
    check_size(request)
    if any("\0" in str(part) for part in (*request.path_params.values(), *context.query.values())):
        raise PageNotFound
    await _find_account(context)
    if request.method == "POST" and is_cross_site(request, context.web.public_url):
        text = _("The form was sent from another site, so nothing was changed. Open the page here.")
        return _page(context, HTTPStatus.FORBIDDEN, text)
    if request.method.replace("HEAD", "GET") not in page.methods.split():
        response = _page(context, HTTPStatus.METHOD_NOT_ALLOWED, _("Go back, and start again."))
        response.headers["Allow"] = page.methods.replace(" ", ", ")
        return response
    if context.token:
        context.optional_subscriber = await find_subscriber(
            context.db, context.account_id, context.token
        )
    await _find_linked(context)
    set_language(context.locale)  # of the subscriber, now that they are known
    if not page.is_open and context.optional_subscriber is None:
        return _ask_to_sign_in(context)
    if page.action is not None and not context.settings.allows(page.action):
        raise PageNotFound
    if context.is_post:
        await context.read_form()
        require_fields(context, is_button=page.is_button)
    return await page.handler(context)


async def _find_account(context: MyContext) -> None:
    """Set the account of the page. Raises: PageNotFound, the same for all that have no page.

    At the host name of a page, there are no pages of other accounts: they would have its address.
    """
    subdomain = context.path["subdomain"]
    if context.own_page not in ("", subdomain):
        raise PageNotFound
    async with context.db.read() as db:
        account = await find_account(db, subdomain)
        if account is None or not account.is_active:
            raise PageNotFound
        settings = await get_settings(db, account.id)
        if not settings.is_open:
            raise PageNotFound
        context.has_logo = await has_logo(db, account.id)
    use_sandbox_day(account.sandbox_day, account.zone)
    context.optional_account, context.settings = account, settings
    set_language(context.locale)


async def _find_linked(context: MyContext) -> None:
    """Set whose page is shown for reading, by the link in an email that opened it."""
    token = context.cookies.read_reading(context.request)
    is_allowed = context.settings.allows(Action.READING)
    if token and is_allowed and context.optional_subscriber is None:
        context.linked_subscriber = await find_linked(
            context.db, context.account_id, token, context.cookies.secret
        )


def _ask_to_sign_in(context: MyContext) -> Response:
    """Redirect to the page that asks for the email; what was typed is lost, so the page says it.

    Who reads the page by a link in an email gets a link to sign in without typing.
    """
    if context.is_post:
        text = _("You are not signed in any more, so nothing was changed. Sign in, and try again.")
        return _page(context, HTTPStatus.UNAUTHORIZED, text)
    return context.redirect(context.url("sign-in") if context.is_reading else context.url())


def _error_page(context: MyContext, reason: MastheadError | None) -> Response:
    """The page for an error, or for a failure. It says nothing about what exists."""
    if reason is None:
        text = _("Something went wrong. Nothing was changed. Please try again, or write to us.")
        return _page(context, HTTPStatus.INTERNAL_SERVER_ERROR, text)
    if isinstance(reason, NotFound | PageNotFound | Erased):
        text = _("There is no such page. Perhaps the address is incomplete.")
        return _page(context, HTTPStatus.NOT_FOUND, text)
    if isinstance(reason, TooManyAttempts):
        context.log_refusal("subscriber refused", reason="too many attempts")
        response = _page(context, HTTPStatus.TOO_MANY_REQUESTS, wait_text(reason))
        response.headers["Retry-After"] = str(reason.retry_after)
        return response
    if isinstance(reason, Unavailable):
        text = _("Please try again in a minute. Nothing was changed.")
        return _page(context, HTTPStatus.SERVICE_UNAVAILABLE, text)
    status = (
        HTTPStatus.BAD_REQUEST
        if isinstance(reason, Invalid)
        else HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    )
    return _page(context, status, str(reason).replace("`", ""))


def _page(context: MyContext, status: HTTPStatus, text: str) -> Response:
    return context.render("subscriber_pages/error.html", status=status, text=text)
