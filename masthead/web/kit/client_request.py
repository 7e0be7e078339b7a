"""A request from a client: its address and browser, its cookies and its entries in the log."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode, urlsplit

from babel import negotiate_locale
from msgspec import Struct, field
from starlette.datastructures import FormData, ImmutableMultiDict, QueryParams
from starlette.requests import Request

from masthead.model.identity.browsers import browser_named
from masthead.model.identity.ip_addresses import TrustedProxies
from masthead.model.identity.sign_ins import Client
from masthead.model.translations import is_translated, language_of, list_languages
from masthead.model.types.regional_formats import DEFAULT, LOCALES
from masthead.services.identity.security_log import SecurityLog
from masthead.services.imports.work.open_uploads import OpenUploads
from masthead.services.subscribers.duplicates import DuplicateFinder
from masthead.store.engine.interface import Database
from masthead.web.kit.cookies import Cookies
from masthead.web.kit.known_counts import KnownCounts

MAX_LANGUAGES = 20  # of the header, which a client can make as long as it likes


class WebDependencies(Struct, frozen=True):
    """Shared by all page requests.

    database_url: for processes that write. public_url: the address of the service as browsers see
    it. subscriber_hosts: the subdomain of an account, by the host of its page for subscribers.
    """

    db: Database
    database_url: str
    cookies: Cookies
    placeholder_domain: str
    public_url: str
    has_mail: bool
    trusted_proxies: TrustedProxies
    security_log: SecurityLog
    allow_private_webhooks: bool = False
    subscriber_hosts: Mapping[str, str] = {}
    counts: KnownCounts = field(default_factory=KnownCounts)
    duplicates: DuplicateFinder = field(default_factory=DuplicateFinder)
    uploads: OpenUploads = field(default_factory=OpenUploads)


@lru_cache(maxsize=256)  # each page asks
def other_locales(current: str, account: str, accept_language: str) -> Sequence[str]:
    """A locale for each language of the pages other than that of the current locale.

    It is that of the account or of the browser, if they have that language, else the usual one.
    """
    known = [account, preferred_locale(accept_language), DEFAULT, *LOCALES]
    others = sorted(list_languages() - {language_of(current)})
    return [
        next(each for each in known if is_translated(each) and language_of(each) == language)
        for language in others
    ]


def is_browser(request: Request) -> bool:
    """Whether a client asks for pages: browsers do, programs ask for JSON or for anything."""
    return "text/html" in request.headers.get("Accept", "")


@lru_cache(maxsize=256)  # each page asks
def preferred_locale(accept_language: str, otherwise: str = DEFAULT) -> str:
    """The locale of a browser, as its header says, among those whose texts are translated.

    otherwise: if the browser wants none of them.
    """
    wanted = []
    for place, item in enumerate(accept_language.split(",")[:MAX_LANGUAGES]):
        name, _, weight = item.partition(";q=")
        try:
            wanted.append((-float(weight or 1), place, name.strip()))
        except ValueError:
            continue
    names = [name.replace("-", "_") for _weight, _place, name in sorted(wanted)]
    known = [locale for locale in LOCALES if is_translated(locale)]
    return negotiate_locale(names, known, sep="_") or otherwise


class ClientRequest:
    """A request, and what it tells about its client."""

    def __init__(self, web: WebDependencies, request: Request) -> None:
        self.web, self.request = web, request
        self.fields = FormData()

    @property
    def query(self) -> QueryParams:
        """The parameters of the query string."""
        return self.request.query_params

    @property
    def path(self) -> Mapping[str, str]:
        """The parameters of the path."""
        return self.request.path_params

    @property
    def is_post(self) -> bool:
        """Whether a form was submitted."""
        return self.request.method == "POST"

    @property
    def given(self) -> ImmutableMultiDict[str, Any]:
        """What the client sent: the fields of a form, or else those of the query string."""
        return self.fields if self.is_post else self.query

    @property
    def form_data(self) -> FormData | None:
        """The submitted form; None if the page is only shown."""
        return self.fields if self.is_post else None

    def real_email(self, email: str) -> str:
        """An email address to show; empty if it is a placeholder for a missing address."""
        return "" if email.endswith(f"@{self.web.placeholder_domain}") else email

    @property
    def address(self) -> str:
        """The IP address of the client, which trusted proxies pass on."""
        forwarded = self.request.headers.getlist("X-Forwarded-For")
        return self.web.trusted_proxies.client_address(self._peer, forwarded)

    @property
    def _peer(self) -> str:
        """The IP address of the connection: of the client or of a proxy."""
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
    def preferred_locale(self) -> str:
        """The locale of the browser, for pages before the sign-in."""
        return preferred_locale(self.request.headers.get("Accept-Language", ""))

    @property
    def locale(self) -> str:
        """The locale of the response."""
        return self.preferred_locale

    @property
    def session(self) -> str:
        """The token of the session."""
        return self.cookies.read_session(self.request) or ""

    @property
    def scheme(self) -> str:
        """`https` or `http`, as the browser sent the request; trusted proxies pass it on."""
        if self.request.url.scheme == "https":
            return "https"
        forwarded = self.request.headers.get("X-Forwarded-Proto", "").strip().lower()
        is_https = forwarded == "https" and self.web.trusted_proxies.is_trusted(self._peer)
        return "https" if is_https else "http"

    @property
    def cookies(self) -> Cookies:
        """The cookies; over https, those that are sent over https only."""
        return self.web.cookies.secured() if self.scheme == "https" else self.web.cookies

    @property
    def own_page(self) -> str:
        """The subdomain of the account to whose page the host belongs; empty for other hosts."""
        host = self.request.headers.get("Host", "").partition(":")[0].rstrip(".").lower()
        is_service = host == urlsplit(self.web.public_url).hostname
        return "" if is_service else self.web.subscriber_hosts.get(host, "")

    @property
    def request_id(self) -> str:
        """The id of the request, as in the response and the log."""
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


def page_url(root: str, parts: Iterable[object], query: Mapping[str, object]) -> str:
    """The path of a page below a root; empty parameters of the query are left out."""
    path = "/".join([root, *map(str, parts)])
    given = {name: value for name, value in query.items() if value not in (None, "")}
    return f"{path}/" + (f"?{urlencode(given)}" if given else "")
