"""Where a request for a page enters: who asks, whether they may, and every refusal as a page."""

from collections.abc import Awaitable, Callable
from enum import StrEnum
from http import HTTPStatus
from urllib.parse import quote, urlsplit

import structlog
from msgspec import Struct
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from masthead.model.actors import Membership, SignedInUser
from masthead.model.errors import (
    Busy,
    Invalid,
    MastheadError,
    NotFound,
    PayloadTooLarge,
    Unavailable,
)
from masthead.model.types.text import MAX_TEXT
from masthead.services.identity import sessions
from masthead.web.kit.context import PageContext, WebDependencies
from masthead.web.kit.rendering import TemplateResponse

log = structlog.get_logger()

HEADERS = {
    # The style sheet draws its arrows and ticks with `data:` URLs; QR codes are `data:` URLs too.
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}

STATUS: dict[type[MastheadError], tuple[HTTPStatus, str]] = {
    NotFound: (HTTPStatus.NOT_FOUND, "Not found"),
    Invalid: (HTTPStatus.BAD_REQUEST, "That cannot be done"),
    PayloadTooLarge: (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "Too much"),
    Unavailable: (HTTPStatus.SERVICE_UNAVAILABLE, "One moment, please"),
    Busy: (HTTPStatus.SERVICE_UNAVAILABLE, "One moment, please"),
}

FAILED = (
    HTTPStatus.INTERNAL_SERVER_ERROR,
    "Something went wrong",
    "Nothing was lost that had been saved. Try again; if it happens again, tell the person who "
    "runs this masthead what you did, and when.",
)

MAX_PARAMETERS = 100

SECRETS = (
    "password",
    "current",
    "new",
    "secret",
    "code",
    "recovery_code",
    "passkey",
    "answer",
)  # fields that no page holds for later

CONFIRM = "/you/confirm/"

Handler = Callable[[PageContext], Awaitable[Response]]


class PageAccess(StrEnum):
    """Who may see a page."""

    ANYONE = "anyone"
    SIGNED_IN = "a person who is signed in"
    CONFIRMED = "a person who signed in, or typed their password again, a short time ago"
    MEMBER = "a user of the account"
    OWNER = "an owner of the account"


class PageRoute(Struct, frozen=True):
    """A page: where it is, what answers, who may see it, and whether it takes a form."""

    path: str
    handler: Handler
    access: PageAccess
    methods: str = "GET"

    def __str__(self) -> str:
        return self.path


def routes_of(pages: tuple[PageRoute, ...]) -> list[BaseRoute]:
    """The pages as routes of an application whose `state.web` is a `WebDependencies`."""
    return [Route(page.path, _opened(page), methods=["GET", "POST"]) for page in pages]


def _opened(page: PageRoute) -> Callable[[Request], Awaitable[Response]]:
    async def open_page(request: Request) -> Response:
        web: WebDependencies = request.app.state.web
        context = PageContext(web, request, None, None)
        try:
            response = await _drawn(await _answer(page, context))
        except ClientDisconnect:
            raise
        except MastheadError as reason:
            status, title = STATUS.get(type(reason), STATUS[Invalid])
            response = await _drawn(refusal(context, status, title, str(reason).replace("`", "")))
        except Exception:
            # page.path: the path of the request may hold a one-time link
            log.exception("page failed", page=page.path, request_id=context.request_id)
            response = await _drawn(refusal(context, *FAILED))
        response.headers.update(HEADERS)
        return response

    return open_page


async def _drawn(response: Response) -> Response:
    """A response that is ready to be sent."""
    if isinstance(response, TemplateResponse):
        await response.draw()
    return response


def refusal(context: PageContext, status: HTTPStatus, title: str, message: str) -> Response:
    """A page that says why something is not done, and what to do."""
    return context.render("refusal.html", status=status, title=title, message=message)


async def _answer(page: PageRoute, context: PageContext) -> Response:
    """What a page answers, after the checks: origin, session, account, role, form."""
    request, web = context.request, context.web
    if any(len(part) > MAX_TEXT for part in request.path_params.values()):
        raise NotFound("page", "at this address")
    if request.scope["query_string"].count(b"&") >= MAX_PARAMETERS:
        raise Invalid(f"The address has more than {MAX_PARAMETERS} parameters.")
    if request.method == "POST" and _is_from_elsewhere(request, web.public_url):
        return refusal(
            context,
            HTTPStatus.FORBIDDEN,
            "Not sent from here",
            "The form came from another site, so nothing was done. Open the page here and send "
            "it again.",
        )
    token = context.cookies.read_session(request)
    context.optional_user = await sessions.find_signed_in_user(web.db, token) if token else None
    if request.method == "POST":
        await context.read_form()
    if page.access is not PageAccess.ANYONE and context.optional_user is None:
        return _ask_to_sign_in(context)
    if page.access is PageAccess.CONFIRMED and not context.user.is_confirmed:
        return context.redirect(CONFIRM)
    if page.access in (PageAccess.MEMBER, PageAccess.OWNER):
        subdomain = request.path_params["subdomain"]
        membership = _membership(context.user, subdomain)
        if membership is None:
            return refusal(
                context,
                HTTPStatus.NOT_FOUND,
                "Not found",
                f"There is no account {subdomain}, or you are no user of it. If somebody gave you "
                "this address, ask them to have an owner invite you.",
            )
        if membership.requires_second_factor and not context.user.has_second_factor:
            return _ask_for_second_factor(context, membership)
        context.enter(membership)
        if page.access is PageAccess.OWNER and context.membership.role != "owner":
            return refusal(
                context,
                HTTPStatus.FORBIDDEN,
                "For owners",
                f"The settings of {context.membership.name} are for its owners. Ask one of them to "
                "do it, or to make you an owner.",
            )
    if any("\0" in str(part) for part in (*request.path_params.values(), *context.query.values())):
        raise NotFound("page", "at this address")
    if request.method.replace("HEAD", "GET") not in page.methods.split():
        return _wrong_method(page, context)
    return await page.handler(context)


def _wrong_method(page: PageRoute, context: PageContext) -> Response:
    """A page for whoever comes without the form that an address is for, or with one too many."""
    response = refusal(
        context,
        HTTPStatus.METHOD_NOT_ALLOWED,
        "Not by this way",
        "This address does what a button of another page says, and shows nothing itself. Nothing "
        "was done; go to the desk and begin from there.",
    )
    response.headers["Allow"] = page.methods.replace(" ", ", ")
    return response


def _membership(user: SignedInUser, subdomain: str) -> Membership | None:
    """The user's place in the account with that subdomain."""
    return next((each for each in user.memberships if each.subdomain == subdomain), None)


def _ask_to_sign_in(context: PageContext) -> Response:
    """Lead to the sign-in page; what was typed into a form is kept until after it."""
    if context.is_post:
        kept = [item for item in context.fields.multi_items() if item[0] not in SECRETS]
        return context.render("identity/signed_out.html", status=HTTPStatus.UNAUTHORIZED, kept=kept)
    wanted = context.request.url.path
    if context.request.url.query:
        wanted += f"?{context.request.url.query}"
    if context.request.headers.get("HX-Request") == "true":
        return Response(status_code=HTTPStatus.UNAUTHORIZED, headers={"HX-Refresh": "true"})
    return context.redirect(f"/sign-in/?next={quote(wanted, safe='/')}")


def _ask_for_second_factor(context: PageContext, membership: Membership) -> Response:
    """Redirect to set up a second factor; the input of a sent form is kept meanwhile."""
    if context.is_post:
        return context.render(
            "identity/second_factor_needed.html",
            status=HTTPStatus.FORBIDDEN,
            kept=context.fields.multi_items(),
            needed_by=membership.name,
        )
    if context.request.headers.get("HX-Request") == "true":
        return Response(status_code=HTTPStatus.FORBIDDEN, headers={"HX-Refresh": "true"})
    return context.redirect("/you/two-step/")


def _is_from_elsewhere(request: Request, public_url: str) -> bool:
    """Whether a browser says that another site sent this; what is no browser says nothing."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("origin")
    if origin is None:
        return False
    own = {request.headers.get("host", ""), urlsplit(public_url).netloc}
    return urlsplit(origin).netloc not in own
