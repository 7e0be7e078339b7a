"""The context of a page request: the signed-in user, the account, the form and the response."""

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from msgspec import structs
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from wtforms import Form

from masthead.model.actors import Actor
from masthead.model.clock import use_sandbox_day
from masthead.model.emails import Site
from masthead.model.identity.memberships import AccountMembership, SignedInUser, UserAccount
from masthead.model.orders.order import OrderDefaults
from masthead.model.translations import set_language
from masthead.model.types.time_zones import UTC
from masthead.services.download_records import record_list_download
from masthead.store.engine.interface import Connection, Database
from masthead.web.kit.attachments import Content, attachment
from masthead.web.kit.client_request import ClientRequest, WebDependencies, other_locales, page_url
from masthead.web.kit.cookies import CSV_STYLE, PageMessage
from masthead.web.kit.csv_export import CsvStyle, usual_style
from masthead.web.kit.form_data import is_multipart, read_file_form, read_form_data
from masthead.web.kit.rendering import TemplateResponse

ACCOUNT = "account"  # in the query of a link from an account to a page that belongs to none
T = TypeVar("T")


class PageContext(ClientRequest):
    """One request for a page. user, membership: None unless the page requires them."""

    def __init__(
        self,
        web: WebDependencies,
        request: Request,
        user: SignedInUser | None,
        membership: AccountMembership | None,
    ) -> None:
        super().__init__(web, request)
        self.optional_user, self._membership = user, membership
        self.opens_directly = True  # not only from a button

    @property
    def db(self) -> Database:
        """The database; the `save` of a form gets its transaction instead."""
        return self.web.db

    @property
    def user(self) -> SignedInUser:
        """The signed-in user."""
        assert self.optional_user is not None
        return self.optional_user

    @property
    def membership(self) -> AccountMembership:
        """The account that the page is about, and the role of the user in it."""
        assert self._membership is not None
        return self._membership

    def set_membership(self, membership: AccountMembership) -> None:
        """Set the account that the page is about, and the language and the day of the page."""
        self._membership = membership
        self.request.scope["account"] = membership.subdomain
        use_sandbox_day(membership.sandbox_day, membership.zone)
        set_language(self.locale)

    @property
    def desk(self) -> UserAccount | None:
        """The account whose navigation the page shows; None for people without an account.

        It is the account of the page or, for pages that belong to none, the one that the link to
        it names, or else the one used last, perhaps in another tab.
        """
        if self._membership is not None or self.optional_user is None:
            return self._membership
        memberships = self.optional_user.memberships
        wanted = (self.query.get(ACCOUNT, ""), self.cookies.read_desk(self.request))
        found = (each for name in wanted for each in memberships if each.subdomain == name)
        return next(found, next(iter(memberships), None))

    @property
    def locale(self) -> str:
        """The user's locale, or that of the account: of the page, or the one used last.

        Before the sign-in, it is the locale of the browser.
        """
        if self.desk is not None:
            return self.desk.locale
        own = self.optional_user and self.optional_user.own_locale
        return own or self.preferred_locale

    @property
    def offered_locales(self) -> Sequence[str]:
        """A locale for each other language of the pages, which the menu of the user offers."""
        account = self.desk.account_locale if self.desk else ""
        header = self.request.headers.get("Accept-Language", "")
        return other_locales(self.locale, account, header)

    @property
    def address_to_reopen(self) -> str:
        """The page itself; of a page that opens only from a button, the one above it."""
        path, query = self.request.url.path, self.request.url.query
        if not self.opens_directly:
            return path.rstrip("/").rpartition("/")[0] + "/"
        return f"{path}?{query}" if query else path

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the account whose navigation the page shows; UTC without one."""
        return self.desk.zone if self.desk is not None else ZoneInfo(UTC)

    @property
    def account_id(self) -> int:
        """The id of the account."""
        return self.membership.account_id

    @property
    def actor(self) -> Actor:
        """The user as the author of changes, with the rights in the account of the page."""
        if self._membership is None:
            return self.user.actor
        return structs.replace(self.user.actor, rights=self._membership.rights)

    @property
    def defaults(self) -> OrderDefaults:
        """The defaults of all orders of the account."""
        return OrderDefaults(self.membership.currency, self.web.placeholder_domain)

    @property
    def csv_style(self) -> CsvStyle:
        """The style of CSV files: what the browser chose, or what is usual in the locale."""
        chosen = self.cookies.read_choice(self.request, CSV_STYLE)
        if chosen in list(CsvStyle):
            return CsvStyle(chosen)
        return usual_style(self.membership.locale)

    @property
    def site(self) -> Site | None:
        """The site that emails link to; None if the server sends no emails. A sandbox has one."""
        keeps = self._membership is not None and self._membership.is_sandbox
        site = Site(self.web.public_url, self.web.placeholder_domain)
        return site if keeps or self.web.has_mail else None

    @property
    def has_mail(self) -> bool:
        """Whether emails of the account can be written: they are sent or, in a sandbox, kept."""
        return self.site is not None

    async def count_once(
        self, db: Connection, name: Hashable, count: Callable[[], Awaitable[T]]
    ) -> T:
        """A count over all records of the account; see `KnownCounts.get`."""
        today = self.membership.daily_date
        return await self.web.counts.get(db, self.account_id, today, name, count)

    def log_download(self, file: str) -> None:
        """Write the download of a file to the security log."""
        self.log_access(
            "download", user=self.user.email, account=self.membership.subdomain, file=file
        )

    async def record_download(self, file: str) -> None:
        """Write the download of a file into the audit log, where no other entry says it."""
        await record_list_download(self.db, self.account_id, file=file, by=self.actor)

    def download(
        self,
        content: Content,
        name: str,
        media_type: str,
        headers: Mapping[str, str] | None = None,
        *,
        is_typed: bool = False,
    ) -> Response:
        """A file to save, which is in the security log. Arguments: as those of `attachment`."""
        self.log_download(name)
        return attachment(content, name, media_type, headers, is_typed=is_typed)

    def url(self, *parts: object, **query: object) -> str:
        """The path of a page of the account: `url("subscribers", id, search="ann")`."""
        assert self.desk is not None
        return page_url(f"/desk/{self.desk.subdomain}", parts, query)

    @property
    def is_multipart(self) -> bool:
        """Whether the submitted form may have files."""
        return is_multipart(self.request)

    async def read_form(self, max_file: int = 0) -> None:
        """Read the submitted form. Raises: Invalid, PayloadTooLarge.

        max_file: bytes of the largest file; 0 if the page takes no file.
        """
        if max_file and self.is_multipart:
            self.fields = await read_file_form(self.request, max_file=max_file)
        else:
            self.fields = await read_form_data(self.request)

    def render(self, template: str, *, status: int | None = None, **variables: Any) -> Response:
        """A page from a template, or the block of it that htmx asks for.

        status: by default, 400 if the page says why something was refused, else 200.
        """
        if status is None:
            status = HTTPStatus.BAD_REQUEST if has_problem(variables) else HTTPStatus.OK
        user, membership, headers = self.optional_user, self.desk, self.request.headers
        block = headers.get("HX-Target") if headers.get("HX-Request") == "true" else None
        used = self._membership.subdomain if self._membership else ""
        # the message is for the next whole page, not for a block that htmx loads before it
        message = None if block else self.cookies.read_message(self.request, used)
        common: dict[str, object] = {
            "context": self,
            "signed_in_user": user,
            "membership": membership,
            "locale": self.locale,
            "offered_locales": self.offered_locales if user else (),
            "zone": self.zone,
            "url": self.url,
            "of_account": f"?{ACCOUNT}={membership.subdomain}" if membership else "",
            "message": message,
        }
        response = TemplateResponse(template, block, common | variables, status)
        if message:
            self.cookies.clear_message(response)
        shown = used or (membership.subdomain if membership and ACCOUNT in self.query else "")
        if shown and shown != self.cookies.read_desk(self.request):
            self.cookies.set_desk(response, shown)
        return response

    def redirect(
        self,
        location: str,
        *,
        message: str = "",
        link: tuple[str, str] = ("", ""),
        button: tuple[str, str] = ("", ""),
        is_slow_file: bool = False,
    ) -> Response:
        """Redirect to another page, which shows the message once.

        link, button: their addresses and texts. is_slow_file: whether the link is to one. A user of
        two accounts may open a page of the other one first, which does not show it.
        """
        response = RedirectResponse(location, HTTPStatus.SEE_OTHER)
        if message:
            parts = urlsplit(location).path.split("/")
            subdomain = parts[2] if parts[1:2] == ["desk"] else ""
            self.cookies.set_message(
                response, PageMessage(message, *link, *button, is_slow_file), subdomain
            )
        return response


def has_problem(variables: Mapping[str, object]) -> bool:
    """Whether what a page shows says why something was refused: `problem`, or errors of a form."""
    forms = (each for each in variables.values() if isinstance(each, Form))
    return bool(variables.get("problem")) or any(form.errors for form in forms)
