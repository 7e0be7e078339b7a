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

from masthead.model.actors import Membership, Visitor
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
from masthead.web.rendering import Sheet
from masthead.web.visit import Visit, Web

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

Handler = Callable[[Visit], Awaitable[Response]]


class Access(StrEnum):
    """Who may see a page."""

    ANYONE = "anyone"
    PERSON = "a person who is signed in"
    CONFIRMED = "a person who signed in, or typed their password again, a short time ago"
    MEMBER = "a user of the account"
    OWNER = "an owner of the account"


class Page(Struct, frozen=True):
    """A page: where it is, what answers, who may see it, and whether it takes a form."""

    path: str
    handler: Handler
    access: Access
    methods: str = "GET"

    def __str__(self) -> str:
        return self.path


def routes_of(pages: tuple[Page, ...]) -> list[BaseRoute]:
    """The pages as routes of an application whose `state.web` is a `Web`."""
    return [Route(page.path, _opened(page), methods=["GET", "POST"]) for page in pages]


def _opened(page: Page) -> Callable[[Request], Awaitable[Response]]:
    async def open_page(request: Request) -> Response:
        web: Web = request.app.state.web
        visit = Visit(web, request, None, None)
        try:
            response = await _drawn(await _answer(page, visit))
        except ClientDisconnect:
            raise
        except MastheadError as reason:
            status, title = STATUS.get(type(reason), STATUS[Invalid])
            response = await _drawn(refusal(visit, status, title, str(reason).replace("`", "")))
        except Exception:
            # page.path: the path of the request may hold a one-time link
            log.exception("page failed", page=page.path, request_id=visit.request_id)
            response = await _drawn(refusal(visit, *FAILED))
        response.headers.update(HEADERS)
        return response

    return open_page


async def _drawn(response: Response) -> Response:
    """A response that is ready to be sent."""
    if isinstance(response, Sheet):
        await response.draw()
    return response


def refusal(visit: Visit, status: HTTPStatus, title: str, message: str) -> Response:
    """A page that says why something is not done, and what to do."""
    return visit.page("refusal.html", status=status, title=title, message=message)


async def _answer(page: Page, visit: Visit) -> Response:
    """What a page answers, after the checks: origin, session, account, role, form."""
    request, web = visit.request, visit.web
    if any(len(part) > MAX_TEXT for part in request.path_params.values()):
        raise NotFound("page", "at this address")
    if request.scope["query_string"].count(b"&") >= MAX_PARAMETERS:
        raise Invalid(f"The address has more than {MAX_PARAMETERS} parameters.")
    if request.method == "POST" and _is_from_elsewhere(request, web.public_url):
        return refusal(
            visit,
            HTTPStatus.FORBIDDEN,
            "Not sent from here",
            "The form came from another site, so nothing was done. Open the page here and send "
            "it again.",
        )
    token = visit.cookies.read_session(request)
    visit.known = await sessions.find_visitor(web.db, token) if token else None
    if request.method == "POST":
        await visit.read_form()
    if page.access is not Access.ANYONE and visit.known is None:
        return _ask_to_sign_in(visit)
    if page.access is Access.CONFIRMED and not visit.visitor.is_confirmed:
        return visit.go(CONFIRM)
    if page.access in (Access.MEMBER, Access.OWNER):
        subdomain = request.path_params["subdomain"]
        membership = _membership(visit.visitor, subdomain)
        if membership is None:
            return refusal(
                visit,
                HTTPStatus.NOT_FOUND,
                "Not found",
                f"There is no account {subdomain}, or you are no user of it. If somebody gave you "
                "this address, ask them to have an owner invite you.",
            )
        if membership.requires_second_factor and not visit.visitor.has_second_factor:
            return _ask_for_second_factor(visit, membership)
        visit.enter(membership)
        if page.access is Access.OWNER and visit.membership.role != "owner":
            return refusal(
                visit,
                HTTPStatus.FORBIDDEN,
                "For owners",
                f"The settings of {visit.membership.name} are for its owners. Ask one of them to "
                "do it, or to make you an owner.",
            )
    if any("\0" in str(part) for part in (*request.path_params.values(), *visit.query.values())):
        raise NotFound("page", "at this address")
    if request.method.replace("HEAD", "GET") not in page.methods.split():
        return _wrong_method(page, visit)
    return await page.handler(visit)


def _wrong_method(page: Page, visit: Visit) -> Response:
    """A page for whoever comes without the form that an address is for, or with one too many."""
    response = refusal(
        visit,
        HTTPStatus.METHOD_NOT_ALLOWED,
        "Not by this way",
        "This address does what a button of another page says, and shows nothing itself. Nothing "
        "was done; go to the desk and begin from there.",
    )
    response.headers["Allow"] = page.methods.replace(" ", ", ")
    return response


def _membership(visitor: Visitor, subdomain: str) -> Membership | None:
    """The visitor's place in the account with that subdomain."""
    return next((each for each in visitor.memberships if each.subdomain == subdomain), None)


def _ask_to_sign_in(visit: Visit) -> Response:
    """Lead to the sign-in page; what was typed into a form is kept until after it."""
    if visit.is_post:
        kept = [item for item in visit.fields.multi_items() if item[0] not in SECRETS]
        return visit.page("signed_out.html", status=HTTPStatus.UNAUTHORIZED, kept=kept)
    wanted = visit.request.url.path
    if visit.request.url.query:
        wanted += f"?{visit.request.url.query}"
    if visit.request.headers.get("HX-Request") == "true":
        return Response(status_code=HTTPStatus.UNAUTHORIZED, headers={"HX-Refresh": "true"})
    return visit.go(f"/sign-in/?next={quote(wanted, safe='/')}")


def _ask_for_second_factor(visit: Visit, membership: Membership) -> Response:
    """Redirect to set up a second factor; the input of a sent form is kept meanwhile."""
    if visit.is_post:
        return visit.page(
            "second_factor_needed.html",
            status=HTTPStatus.FORBIDDEN,
            kept=visit.fields.multi_items(),
            needed_by=membership.name,
        )
    if visit.request.headers.get("HX-Request") == "true":
        return Response(status_code=HTTPStatus.FORBIDDEN, headers={"HX-Refresh": "true"})
    return visit.go("/you/two-step/")


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
