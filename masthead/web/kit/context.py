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

from masthead.http_body import BODY_SECONDS, read_body
from masthead.model.actors import Actor, Membership, SignedInUser
from masthead.model.errors import Invalid, Unavailable
from masthead.model.identity.browsers import browser_named
from masthead.model.identity.sign_ins import Client
from masthead.model.ip_addresses import TrustedProxies
from masthead.model.orders.order import Terms
from masthead.services.emails.notices import Post
from masthead.services.identity.security_log import SecurityLog
from masthead.store.engine.interface import Database
from masthead.web.kit.cookies import Cookies
from masthead.web.kit.formatting import DEFAULT_LOCALE
from masthead.web.kit.forms import IDEMPOTENCY_KEY, FormFactory
from masthead.web.kit.idempotency import IdempotentDatabase, RepeatedSubmission
from masthead.web.kit.rendering import TemplateResponse

SaveForm = Callable[[Any, Database], Awaitable[Response]]
OnRepeat = Callable[[Any], Awaitable[Response]]
MAX_FIELDS = 1_000
MAX_AT_ONCE = 65_536  # bytes that are decoded on the event loop; more in a thread


class WebDependencies(Struct, frozen=True):
    """What all visits share. public_url: where the service is reached from outside."""

    db: Database
    cookies: Cookies
    placeholder_domain: str
    public_url: str
    has_mail: bool
    trusted_proxies: TrustedProxies
    security_log: SecurityLog


class PageContext:
    """One request for a page. user, membership: only where the page asks for them."""

    def __init__(
        self,
        web: WebDependencies,
        request: Request,
        user: SignedInUser | None,
        membership: Membership | None,
    ) -> None:
        self.web, self.request = web, request
        self.optional_user, self._membership = user, membership
        self.fields = FormData()

    @property
    def db(self) -> Database:
        """The database, to read from; `save` is handed one to write to."""
        return self.web.db

    @property
    def user(self) -> SignedInUser:
        """Who is signed in."""
        assert self.optional_user is not None
        return self.optional_user

    @property
    def membership(self) -> Membership:
        """The account whose pages are looked at, and the user's place in it."""
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
        """The user as the author of changes."""
        return self.user.actor

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
        """The network address of the user, which trusted proxies pass on."""
        forwarded = self.request.headers.getlist("X-Forwarded-For")
        return self.web.trusted_proxies.client_address(self._peer, forwarded)

    @property
    def _peer(self) -> str:
        """The address at the other end of the connection: the user's or a proxy's."""
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
        """The token of the user's session."""
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
            "download", user=self.user.email, account=self.membership.subdomain, file=file
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

    def url(self, *parts: object, **query: object) -> str:
        """The address of a page of this account: `url("subscribers", id, search="ann")`."""
        path = "/".join(["/desk", self.membership.subdomain, *map(str, parts)])
        asked = {name: value for name, value in query.items() if value not in (None, "")}
        return f"{path}/" + (f"?{urlencode(asked)}" if asked else "")

    async def read_form(self) -> None:
        """Read the form that was sent into `fields`. Raises: Invalid if it is no form of ours."""
        try:
            body = await read_body(self.request.receive, seconds=BODY_SECONDS)
        except TimeoutError:
            raise Invalid("The form took too long to arrive. Send it again.") from None
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

    def render(self, template: str, *, status: int = 200, **variables: Any) -> Response:
        """A page, or the block of it that htmx asks for."""
        user, membership, headers = self.optional_user, self._membership, self.request.headers
        block = headers.get("HX-Target") if headers.get("HX-Request") == "true" else None
        # what was done is for the page that follows, not for a block that is asked for meanwhile
        message = "" if block else self.cookies.read_message(self.request)
        everywhere: dict[str, object] = {
            "context": self,
            "signed_in_user": user,
            "membership": membership,
            "locale": membership.locale if membership else DEFAULT_LOCALE,
            "url": self.url,
            "message": message,
        }
        response = TemplateResponse(template, block, everywhere | variables, status)
        if message:
            self.cookies.clear_message(response)
        return response

    def redirect(self, location: str, *, message: str = "") -> Response:
        """Lead to another page, which shows once what has been done."""
        response = RedirectResponse(location, HTTPStatus.SEE_OTHER)
        if message:
            self.cookies.set_message(response, message)
        return response

    async def handle_form(
        self,
        make: FormFactory,
        template: str,
        save: SaveForm,
        *,
        initial: Mapping[str, Any] | None = None,
        on_repeat: OnRepeat | None = None,
        **variables: Any,
    ) -> Response:
        """Show a form, or do what a sent one says and lead on.

        A form that is refused is shown again with all that was typed. save: given the form and the
        database for its one write, which happens once per form shown; a repeat is answered by
        `on_repeat`, or leads where the first one led.
        """
        if not self.is_post:
            return self.render(template, form=make(None, initial), **variables)
        form, status = make(self.fields, initial), HTTPStatus.BAD_REQUEST
        if form.validate():
            db = self.idempotent_db()
            try:
                response = await save(form, db)
                await db.save_result(response.headers.get("Location", ""))
                return response
            except RepeatedSubmission as repeated:
                if on_repeat is not None:
                    return await on_repeat(form)
                return self.redirect(
                    repeated.location or self.url(), message="That was done already."
                )
            except Invalid as reason:
                form.add_error(reason)
            except Unavailable as reason:
                form.form_errors.append(str(reason))
                status = HTTPStatus.SERVICE_UNAVAILABLE
        return self.render(template, status=status, form=form, **variables)

    def idempotent_db(self) -> IdempotentDatabase:
        """The database to write to once, however often the form of this visit is sent."""
        content = urlencode(sorted((name, str(it)) for name, it in self.fields.multi_items()))
        key = str(self.fields.get(IDEMPOTENCY_KEY, ""))
        return IdempotentDatabase(self.db, self.account_id, key, content)


def _parse_form(body: bytes) -> list[tuple[str, str]]:
    """The names and texts of a form that was sent. Raises: ValueError."""
    return parse_qsl(
        body.decode(),
        keep_blank_values=True,
        strict_parsing=bool(body),
        errors="strict",
        max_num_fields=MAX_FIELDS,
    )
