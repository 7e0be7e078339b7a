"""What a page's handler is given: who asks, at which account, and how to answer."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlencode

from msgspec import Struct
from starlette.datastructures import FormData, QueryParams
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from masthead.model.actors import Actor, Membership, Visitor
from masthead.model.errors import Invalid, PayloadTooLarge, Unavailable
from masthead.model.identity.browsers import browser_named
from masthead.model.identity.sign_ins import Client
from masthead.model.ip_addresses import TrustedProxies
from masthead.model.orders.order import Terms
from masthead.services.emails.notices import Post
from masthead.services.identity.security_log import SecurityLog
from masthead.store.engine.interface import Database
from masthead.web.kit.cookies import Cookies
from masthead.web.kit.formatting import USUAL
from masthead.web.kit.forms import MARK, FormMaker
from masthead.web.kit.idempotency import OnceDatabase, Repeated
from masthead.web.kit.rendering import Sheet

Save = Callable[[Any, Database], Awaitable[Response]]
Again = Callable[[Any], Awaitable[Response]]
MAX_FIELDS = 1_000
MAX_BODY = 1_048_576  # bytes of a form
MAX_AT_ONCE = 65_536  # bytes that are decoded on the event loop; more in a thread
BODY_SECONDS = 30.0


class Web(Struct, frozen=True):
    """What all visits share. public_url: where the service is reached from outside."""

    db: Database
    cookies: Cookies
    placeholder_domain: str
    public_url: str
    has_mail: bool
    trusted_proxies: TrustedProxies
    security_log: SecurityLog


class PageContext:
    """One request for a page. visitor, membership: only where the page asks for them."""

    def __init__(
        self, web: Web, request: Request, visitor: Visitor | None, membership: Membership | None
    ) -> None:
        self.web, self.request = web, request
        self.known, self._membership = visitor, membership
        self.fields = FormData()

    @property
    def db(self) -> Database:
        """The database, to read from; `save` is handed one to write to."""
        return self.web.db

    @property
    def visitor(self) -> Visitor:
        """Who is signed in."""
        assert self.known is not None
        return self.known

    @property
    def membership(self) -> Membership:
        """The account whose pages are looked at, and the visitor's place in it."""
        assert self._membership is not None
        return self._membership

    def enter(self, membership: Membership) -> None:
        """Be at an account."""
        self._membership = membership

    @property
    def account_id(self) -> int:
        """The account that the page is about."""
        return self.membership.account_id

    @property
    def actor(self) -> Actor:
        """The visitor as the author of changes."""
        return self.visitor.actor

    @property
    def terms(self) -> Terms:
        """What holds for orders of the account."""
        return Terms(self.membership.currency, self.web.placeholder_domain)

    @property
    def query(self) -> QueryParams:
        """The query string of the address."""
        return self.request.query_params

    @property
    def path(self) -> Mapping[str, str]:
        """The variable parts of the address."""
        return self.request.path_params

    @property
    def is_post(self) -> bool:
        """Whether a form was sent."""
        return self.request.method == "POST"

    @property
    def address(self) -> str:
        """The network address of the visitor, which trusted proxies pass on."""
        forwarded = self.request.headers.getlist("X-Forwarded-For")
        return self.web.trusted_proxies.client_address(self._peer, forwarded)

    @property
    def _peer(self) -> str:
        """The address at the other end of the connection: the visitor's or a proxy's."""
        return self.request.client.host if self.request.client else ""

    @property
    def client(self) -> Client:
        """The client of the request, for the sign-in."""
        return Client(
            address=self.address,
            browser=browser_named(self.request.headers.get("User-Agent", "")),
            device=self.cookies.read_device(self.request),
        )

    @property
    def session(self) -> str:
        """The token of the visitor's session."""
        return self.cookies.read_session(self.request) or ""

    @property
    def post(self) -> Post | None:
        """What emails need; None if none are sent."""
        web = self.web
        return Post(web.public_url, web.placeholder_domain) if web.has_mail else None

    @property
    def request_id(self) -> str:
        """The id of the request, which the response and the log name."""
        id: str = self.request.scope["request_id"]
        return id

    def log_access(self, event: str, **facts: object) -> None:
        """Write an action that was allowed to the security log."""
        self.web.security_log.access(
            event, request_id=self.request_id, address=self.address, **facts
        )

    def log_refusal(self, event: str, **facts: object) -> None:
        """Write a refusal to the security log."""
        self.web.security_log.refusal(
            event, request_id=self.request_id, address=self.address, **facts
        )

    def log_download(self, file: str) -> None:
        """Write a download to the security log. file: its name."""
        self.log_access(
            "download", user=self.visitor.email, account=self.membership.subdomain, file=file
        )

    @property
    def scheme(self) -> str:
        """`https` or `http`: how the browser sent the request; trusted proxies pass it on."""
        if self.request.url.scheme == "https":
            return "https"
        forwarded = self.request.headers.get("X-Forwarded-Proto", "").strip().lower()
        is_https = forwarded == "https" and self.web.trusted_proxies.is_trusted(self._peer)
        return "https" if is_https else "http"

    @property
    def cookies(self) -> Cookies:
        """The cookies of the visit; one over https gets those that are sent over https only."""
        return self.web.cookies.secured() if self.scheme == "https" else self.web.cookies

    def at(self, *parts: object, **query: object) -> str:
        """The address of a page of this account: `at("subscribers", id, search="ann")`."""
        path = "/".join(["/desk", self.membership.subdomain, *map(str, parts)])
        asked = {name: value for name, value in query.items() if value not in (None, "")}
        return f"{path}/" + (f"?{urlencode(asked)}" if asked else "")

    async def read_form(self) -> None:
        """Read the form that was sent into `fields`. Raises: Invalid if it is no form of ours."""
        body = await _read_body(self.request)
        try:
            if len(body) <= MAX_AT_ONCE:
                pairs = _parse_form(body)
            else:
                pairs = await asyncio.to_thread(_parse_form, body)
        except ValueError:
            raise Invalid(
                "The form cannot be read; go back, load the page anew, and send it again."
            ) from None
        self.fields = FormData([(name, value.replace("\0", "")) for name, value in pairs])

    def page(self, template: str, *, status: int = 200, **variables: Any) -> Response:
        """A page, or the block of it that htmx asks for."""
        visitor, membership, headers = self.known, self._membership, self.request.headers
        block = headers.get("HX-Target") if headers.get("HX-Request") == "true" else None
        # what was done is for the page that follows, not for a block that is asked for meanwhile
        said = "" if block else self.cookies.read_said(self.request)
        everywhere: dict[str, object] = {
            "context": self,
            "visitor": visitor,
            "membership": membership,
            "locale": membership.locale if membership else USUAL,
            "at": self.at,
            "said": said,
        }
        response = Sheet(template, block, everywhere | variables, status)
        if said:
            self.cookies.clear_said(response)
        return response

    def go(self, location: str, *, said: str = "") -> Response:
        """Lead to another page, which shows once what has been done."""
        response = RedirectResponse(location, HTTPStatus.SEE_OTHER)
        if said:
            self.cookies.say(response, said)
        return response

    async def answer(
        self,
        make: FormMaker,
        template: str,
        save: Save,
        *,
        initial: Mapping[str, Any] | None = None,
        again: Again | None = None,
        **variables: Any,
    ) -> Response:
        """Show a form, or do what a sent one says and lead on.

        A form that is refused is shown again with all that was typed. save: given the form and the
        database for its one write, which happens once per form shown; a repeat is answered by
        `again`, or leads where the first one led.
        """
        if not self.is_post:
            return self.page(template, form=make(None, initial), **variables)
        form, status = make(self.fields, initial), HTTPStatus.BAD_REQUEST
        if form.validate():
            once = self.once()
            try:
                response = await save(form, once)
                await once.remember(response.headers.get("Location", ""))
                return response
            except Repeated as repeated:
                if again is not None:
                    return await again(form)
                return self.go(repeated.location or self.at(), said="That was done already.")
            except Invalid as reason:
                form.refuse(reason)
            except Unavailable as reason:
                form.refusals.append(str(reason))
                status = HTTPStatus.SERVICE_UNAVAILABLE
        return self.page(template, status=status, form=form, **variables)

    def once(self) -> OnceDatabase:
        """The database to write to once, however often the form of this visit is sent."""
        content = urlencode(sorted((name, str(it)) for name, it in self.fields.multi_items()))
        return OnceDatabase(self.db, self.account_id, str(self.fields.get(MARK, "")), content)


def _parse_form(body: bytes) -> list[tuple[str, str]]:
    """The names and texts of a form that was sent. Raises: ValueError."""
    return parse_qsl(
        body.decode(),
        keep_blank_values=True,
        strict_parsing=bool(body),
        errors="strict",
        max_num_fields=MAX_FIELDS,
    )


async def _read_body(request: Request) -> bytes:
    """The body, counted as it comes in. Raises: PayloadTooLarge; Invalid if it takes too long."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > MAX_BODY:
                    raise PayloadTooLarge(MAX_BODY)
    except TimeoutError:
        raise Invalid("The form took too long to arrive; send it again.") from None
    return bytes(body)
