"""Route page requests: authenticate, authorize, check the form, and show errors as pages."""

from collections.abc import Awaitable, Callable
from enum import StrEnum
from http import HTTPStatus
from urllib.parse import quote, urlsplit

import structlog
from msgspec import Struct
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from masthead.model.actors import AccountMembership, SignedInUser
from masthead.model.errors import (
    Busy,
    Erased,
    Invalid,
    MastheadError,
    NotFound,
    PayloadTooLarge,
    Unavailable,
)
from masthead.model.translations import gettext as _
from masthead.model.translations import gettext_noop, in_language, set_language
from masthead.model.types.text import MAX_TEXT
from masthead.services.identity import sessions
from masthead.web.kit.client_request import WebDependencies
from masthead.web.kit.context import PageContext
from masthead.web.kit.rendering import TemplateResponse

log = structlog.get_logger()

HEADERS = {
    # Icons in the style sheet and QR codes are `data:` URLs.
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}

STATUS: dict[type[MastheadError], tuple[HTTPStatus, str]] = {
    Erased: (HTTPStatus.GONE, gettext_noop("This subscriber was erased")),
    NotFound: (HTTPStatus.NOT_FOUND, gettext_noop("Not found")),
    Invalid: (HTTPStatus.BAD_REQUEST, gettext_noop("This cannot be done")),
    PayloadTooLarge: (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, gettext_noop("The form is too large")),
    Unavailable: (HTTPStatus.SERVICE_UNAVAILABLE, gettext_noop("Temporarily unavailable")),
    Busy: (HTTPStatus.SERVICE_UNAVAILABLE, gettext_noop("Temporarily unavailable")),
}

FAILED = (
    HTTPStatus.INTERNAL_SERVER_ERROR,
    gettext_noop("Something went wrong"),
    gettext_noop(
        "Everything that you saved before is still there. Try again. If the problem continues, "
        "tell the operator of this server what you did, and when."
    ),
)

MAX_PARAMETERS = 100
MAX_QUERY = 32_768  # bytes

SECRETS = (
    "password",
    "current",
    "new",
    "secret",
    "code",
    "recovery_code",
    "passkey",
    "answer",
)  # fields that are not kept while the user signs in

CONFIRM = "/you/confirm/"

Handler = Callable[[PageContext], Awaitable[Response]]


class PageAccess(StrEnum):
    """Who can open a page."""

    ANYONE = "anyone"
    SIGNED_IN = "a signed-in user"
    CONFIRMED = "a user who signed in or confirmed the password a short time ago"
    MEMBER = "a user of the account"
    OWNER = "an owner of the account"


class PageRoute(Struct, frozen=True):
    """A page: its path, handler, access rule and methods.

    max_file: bytes of the largest file in its form; 0 if the form has no file.
    accepts_other_sites: whether other sites may send its form, because it uses no session.
    """

    path: str
    handler: Handler
    access: PageAccess
    methods: str = "GET"
    max_file: int = 0
    accepts_other_sites: bool = False

    def __str__(self) -> str:
        return self.path


def routes_of(pages: tuple[PageRoute, ...]) -> list[BaseRoute]:
    """The pages as Starlette routes. The `state.web` of the application is a `WebDependencies`."""
    return [Route(page.path, _endpoint(page), methods=["GET", "POST"]) for page in pages]


def _endpoint(page: PageRoute) -> Callable[[Request], Awaitable[Response]]:
    async def open_page(request: Request) -> Response:
        web: WebDependencies = request.app.state.web
        context = PageContext(web, request, None, None)
        with in_language(context.locale):  # until the user is known; it ends with the request
            return await open_in_language(context)

    async def open_in_language(context: PageContext) -> Response:
        try:
            response = await _rendered(await _answer(page, context))
        except ClientDisconnect:
            raise
        except MastheadError as reason:
            status, title = STATUS.get(type(reason), STATUS[Invalid])
            response = await _rendered(
                error_page(context, status, title, str(reason).replace("`", ""))
            )
        except Exception:
            # not the path of the request, which may contain a one-time link
            log.exception("page failed", page=page.path, request_id=context.request_id)
            response = await _rendered(error_page(context, *FAILED))
        finally:
            await context.fields.close()  # deletes uploaded files from the disk
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return open_page


async def _rendered(response: Response) -> Response:
    """The response, with its template rendered."""
    if isinstance(response, TemplateResponse):
        await response.render_template()
    return response


def error_page(context: PageContext, status: HTTPStatus, title: str, text: str) -> Response:
    """A page that explains an error and what to do."""
    return context.render("error.html", status=status, title=_(title), explanation=_(text))


async def _answer(page: PageRoute, context: PageContext) -> Response:
    """Run the handler, after the checks of origin, session, account, role and method.

    The form is read last, so that it costs nothing if the page is refused.
    """
    request, web = context.request, context.web
    if any(len(part) > MAX_TEXT for part in request.path_params.values()):
        raise NotFound("page", _("at this address"))
    query: bytes = request.scope["query_string"]
    if len(query) > MAX_QUERY:
        raise Invalid(_("The address is longer than {most} bytes.").format(most=MAX_QUERY))
    if query.count(b"&") >= MAX_PARAMETERS:
        raise Invalid(_("The address has more than {most} parameters.").format(most=MAX_PARAMETERS))
    is_checked = request.method == "POST" and not page.accepts_other_sites
    if is_checked and _is_cross_site(request, web.public_url):
        return error_page(
            context,
            HTTPStatus.FORBIDDEN,
            _("Request from another site"),
            _(
                "The form was sent from another site, so nothing was changed. Open the page on "
                "this site and send the form again."
            ),
        )
    token = context.cookies.read_session(request)
    context.optional_user = await sessions.find_signed_in_user(web.db, token) if token else None
    set_language(context.locale)
    if page.access is not PageAccess.ANYONE and context.optional_user is None:
        return await _ask_to_sign_in(page, context)
    if page.access is PageAccess.CONFIRMED and not context.user.is_confirmed:
        return context.redirect(CONFIRM)
    if page.access in (PageAccess.MEMBER, PageAccess.OWNER):
        subdomain = request.path_params["subdomain"]
        membership = _membership(context.user, subdomain)
        if membership is None:
            return error_page(
                context,
                HTTPStatus.NOT_FOUND,
                _("Not found"),
                _(
                    "There is no account {subdomain}, or you are not a user of it. An owner of "
                    "the account can invite you."
                ).format(subdomain=subdomain),
            )
        if membership.requires_second_factor and not context.user.has_second_factor:
            return await _ask_for_second_factor(page, context, membership)
        context.set_membership(membership)
        if page.access is PageAccess.OWNER and context.membership.role != "owner":
            return error_page(
                context,
                HTTPStatus.FORBIDDEN,
                _("Owners only"),
                _(
                    "Only owners can change the settings of {account}. Ask an owner to change "
                    "them, or to make you an owner."
                ).format(account=context.membership.name),
            )
    if any("\0" in str(part) for part in (*request.path_params.values(), *context.query.values())):
        raise NotFound("page", _("at this address"))
    if request.method.replace("HEAD", "GET") not in page.methods.split():
        return _wrong_method(page, context)
    # an email program's click on "unsubscribe" may be multipart, and its fields mean nothing
    if context.is_post and not (page.accepts_other_sites and context.is_multipart):
        await context.read_form(page.max_file)
    return await page.handler(context)


def _wrong_method(page: PageRoute, context: PageContext) -> Response:
    """The error page for a request with a method that the page does not have."""
    response = error_page(
        context,
        HTTPStatus.METHOD_NOT_ALLOWED,
        _("This page cannot be opened directly"),
        _(
            "It opens only from a button on another page. Nothing was changed. Go to the desk and "
            "start from there."
        ),
    )
    response.headers["Allow"] = page.methods.replace(" ", ", ")
    return response


def _membership(user: SignedInUser, subdomain: str) -> AccountMembership | None:
    """The membership of the user in the account with that subdomain."""
    return next((each for each in user.memberships if each.subdomain == subdomain), None)


async def _ask_to_sign_in(page: PageRoute, context: PageContext) -> Response:
    """Redirect to the sign-in page; the input of a sent form is kept until after the sign-in."""
    if context.is_post:
        kept = [item for item in await _read_texts(page, context) if item[0] not in SECRETS]
        return context.render("identity/signed_out.html", status=HTTPStatus.UNAUTHORIZED, kept=kept)
    address = context.request.url.path
    if context.request.url.query:
        address += f"?{context.request.url.query}"
    if context.request.headers.get("HX-Request") == "true":
        return Response(status_code=HTTPStatus.UNAUTHORIZED, headers={"HX-Refresh": "true"})
    return context.redirect(f"/sign-in/?next={quote(address, safe='/')}")


async def _ask_for_second_factor(
    page: PageRoute, context: PageContext, membership: AccountMembership
) -> Response:
    """Redirect to the setup of a second factor; the input of a sent form is kept until then."""
    if context.is_post:
        return context.render(
            "identity/second_factor_needed.html",
            status=HTTPStatus.FORBIDDEN,
            kept=await _read_texts(page, context),
            needed_by=membership.name,
        )
    if context.request.headers.get("HX-Request") == "true":
        return Response(status_code=HTTPStatus.FORBIDDEN, headers={"HX-Refresh": "true"})
    return context.redirect("/you/two-step/")


async def _read_texts(page: PageRoute, context: PageContext) -> list[tuple[str, str]]:
    """The fields of a form that is only kept. A form with a file is not read.

    Raises: Invalid, PayloadTooLarge.
    """
    if "POST" not in page.methods.split() or context.is_multipart:
        return []
    await context.read_form()
    return [(name, str(value)) for name, value in context.fields.multi_items()]


def _is_cross_site(request: Request, public_url: str) -> bool:
    """Whether a browser says that another site sent the request; other clients say nothing."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("origin")
    if origin is None:
        return False
    own = {request.headers.get("host", ""), urlsplit(public_url).netloc}
    return origin.partition("://")[2] not in own
