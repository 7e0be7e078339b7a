"""Route page requests: authenticate, authorize, check and read the form."""

from collections.abc import Awaitable, Callable, Iterable
from enum import StrEnum
from functools import partial
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import quote

import structlog
from msgspec import Struct
from msgspec.structs import asdict
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from masthead.model.errors import MastheadError, PageNotFound, Unavailable
from masthead.model.identity.memberships import AccountMembership, UserAccount
from masthead.model.identity.rights import Right, names_of
from masthead.model.translations import in_language, set_language
from masthead.model.types.enums import Role
from masthead.services.identity import sessions
from masthead.store.moments import get_daily_date
from masthead.store.users import list_users
from masthead.web.kit.client_request import ClientRequest, WebDependencies
from masthead.web.kit.context import PageContext
from masthead.web.kit.error_pages import (
    FAILED,
    MISSING_RIGHT,
    NO_MEMBER,
    OTHER_SITE,
    OWNERS_ONLY,
    WRONG_METHOD,
    error_page,
    page_of_error,
)
from masthead.web.kit.rendering import TemplateResponse
from masthead.web.kit.request_checks import check_size, is_cross_site, require_fields

log = structlog.get_logger()

HEADERS = {
    # Icons in the style sheet and QR codes are `data:` URLs.
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}

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

C = TypeVar("C", bound=ClientRequest)
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

    rights: which a user needs; empty for none. Without them, only owners can open the page.
    max_file: bytes of the largest file in its form; 0 if the form has no file.
    accepts_other_sites: whether other sites may send its form, because it uses no session.
    is_button: whether there is nothing to type or choose in its form, so it may arrive empty.
    """

    path: str
    handler: Handler
    access: PageAccess
    methods: str = "GET"
    max_file: int = 0
    rights: tuple[Right, ...] | None = None
    accepts_other_sites: bool = False
    is_button: bool = False

    def __str__(self) -> str:
        return self.path


def routes_of(pages: tuple[PageRoute, ...]) -> list[BaseRoute]:
    """The pages as Starlette routes. The `state.web` of the application is a `WebDependencies`."""
    return [
        page_route(
            page.path,
            lambda web, request: PageContext(web, request, None, None),
            partial(_answer, page),
            lambda context, reason: (
                page_of_error(context, reason) if reason else error_page(context, *FAILED)
            ),
        )
        for page in pages
    ]


def page_route(
    path: str,
    make_context: Callable[[WebDependencies, Request], C],
    answer: Callable[[C], Awaitable[Response]],
    explain: Callable[[C, MastheadError | None], Response],
) -> Route:
    """A page as a Starlette route. Each response has the headers of all pages.

    answer: responds, or raises MastheadError. explain: the page for that; None if the page failed.
    """

    async def open_page(request: Request) -> Response:
        context = make_context(request.app.state.web, request)
        with in_language(context.locale):  # until the user is known; it ends with the request
            return await open_in_language(context)

    async def open_in_language(context: C) -> Response:
        try:
            response = await rendered(await answer(context))
        except ClientDisconnect:
            raise
        except MastheadError as reason:
            response = await rendered(explain(context, reason))
        except Exception:
            # not the path of the request, which may contain a one-time link
            log.exception("page failed", page=path, request_id=context.request_id)
            response = await rendered(explain(context, None))
        finally:
            await context.fields.close()  # deletes uploaded files from the disk
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
            response.headers.setdefault("Retry-After", str(Unavailable.retry_after))
        return response

    return Route(path, open_page, methods=["GET", "POST"])


async def rendered(response: Response) -> Response:
    """The response, with its template rendered."""
    if isinstance(response, TemplateResponse):
        await response.render_template()
    return response


async def _answer(page: PageRoute, context: PageContext) -> Response:
    """Run the handler, after the checks of origin, session, account, role and method.

    The form is read last, so that it costs nothing if the page is refused. At the host name of a
    page for subscribers, nobody signs in to the desk: its owner may be another publisher.
    """
    request = context.request
    if context.own_page:
        raise PageNotFound
    check_size(request)
    is_checked = request.method == "POST" and not page.accepts_other_sites
    if is_checked and is_cross_site(request, context.web.public_url):
        return error_page(context, *OTHER_SITE)
    token = context.cookies.read_session(request)
    if token:
        context.optional_user = await sessions.find_signed_in_user(context.web.db, token)
    set_language(context.locale)
    if refused := await _authorize(page, context):
        return refused
    if any("\0" in str(part) for part in (*request.path_params.values(), *context.query.values())):
        raise PageNotFound
    context.opens_directly = "GET" in page.methods.split()
    if request.method.replace("HEAD", "GET") not in page.methods.split():
        response = error_page(context, *WRONG_METHOD)
        response.headers["Allow"] = page.methods.replace(" ", ", ")
        return response
    # an email program's click on "unsubscribe" may be multipart, and its fields mean nothing
    if context.is_post and not (page.accepts_other_sites and context.is_multipart):
        await context.read_form(page.max_file)
        require_fields(context, is_button=page.is_button)
    return await page.handler(context)


async def _authorize(page: PageRoute, context: PageContext) -> Response | None:
    """The response to a user who may not open the page; None for one who may.

    It also sets the account of the page.
    """
    if page.access is PageAccess.ANYONE:
        return None
    if context.optional_user is None:
        return await _ask_to_sign_in(page, context)
    if page.access is PageAccess.CONFIRMED and not context.user.is_confirmed:
        return context.redirect(CONFIRM)
    if page.access not in (PageAccess.MEMBER, PageAccess.OWNER):
        return None
    subdomain = context.path["subdomain"]
    own = next((each for each in context.user.memberships if each.subdomain == subdomain), None)
    if own is None:
        return error_page(context, *NO_MEMBER, subdomain=subdomain)
    if own.requires_second_factor and not context.user.has_second_factor:
        return await _ask_for_second_factor(page, context, own)
    day = await get_daily_date(context.web.db, own.account_id)
    context.set_membership(AccountMembership(**asdict(own), daily_date=day))
    if page.access is PageAccess.OWNER and own.role != "owner":
        return error_page(context, *OWNERS_ONLY, account=own.name)
    needed = tuple(Right) if page.rights is None else page.rights
    return await refuse_missing(context, needed)


async def refuse_missing(context: PageContext, needed: Iterable[Right]) -> Response | None:
    """The page that names the rights that a user lacks, and who can give them; None if none."""
    missing = set(needed) - context.membership.rights
    if not missing:
        return None
    users = await list_users(context.db, context.account_id)
    owners = [each.email for each in users if each.role is Role.OWNER and not each.is_pending]
    return error_page(
        context,
        *MISSING_RIGHT,
        account=context.membership.name,
        rights=names_of(missing),
        owners=", ".join(owners),
    )


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
    page: PageRoute, context: PageContext, account: UserAccount
) -> Response:
    """Redirect to the setup of a second factor; the input of a sent form is kept until then."""
    if context.is_post:
        return context.render(
            "identity/second_factor_needed.html",
            status=HTTPStatus.FORBIDDEN,
            kept=await _read_texts(page, context),
            needed_by=account.name,
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
