"""The context of a request for a page of the subscribers: the account, the subscriber, the form.

It knows no user of the desk: the session of the desk is never read here.
"""

from http import HTTPStatus
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from masthead.model.dispatch.copy_keys import find_key
from masthead.model.errors import TooManyAttempts
from masthead.model.self_service.settings import SelfService, page_address
from masthead.model.translations import ngettext
from masthead.services.self_service.actions import Caller
from masthead.services.self_service.sign_in import MyPage
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database
from masthead.store.subscribers.corrections import StoredSubscriber
from masthead.web.kit.attachments import attachment
from masthead.web.kit.client_request import (
    ClientRequest,
    WebDependencies,
    page_url,
    preferred_locale,
)
from masthead.web.kit.form_data import read_form_data
from masthead.web.kit.rendering import TemplateResponse

NO_INDEX = "noindex, nofollow, noarchive"


class MyContext(ClientRequest):
    """One request for a page of an account's subscribers. account: None if there is no such page.

    is_preview: whether a user of the desk looks at the page. optional_subscriber: who is signed
    in. linked_subscriber: whose page is open by a link in an email, only for reading.
    """

    def __init__(
        self,
        web: WebDependencies,
        request: Request,
        *,
        account: Account | None = None,
        settings: SelfService | None = None,
        is_preview: bool = False,
    ) -> None:
        super().__init__(web, request)
        self.optional_account, self.settings = account, settings or SelfService()
        self.optional_subscriber: StoredSubscriber | None = None
        self.linked_subscriber: StoredSubscriber | None = None
        self.is_preview = is_preview
        self.has_logo = False

    @property
    def db(self) -> Database:
        """The database; the `save` of a form gets its transaction instead."""
        return self.web.db

    @property
    def account(self) -> Account:
        """The account of the page."""
        assert self.optional_account is not None
        return self.optional_account

    @property
    def account_id(self) -> int:
        """The id of the account."""
        return self.account.id

    @property
    def subscriber(self) -> StoredSubscriber:
        """The subscriber who is signed in, or whose page is shown."""
        found = self.optional_subscriber or self.linked_subscriber
        assert found is not None
        return found

    @property
    def locale(self) -> str:
        """The locale of the subscriber's language, or that of the browser if it is translated.

        Without both, that of what the subscriber gets, or that of the account.
        """
        account = self.optional_account
        found = self.optional_subscriber or self.linked_subscriber
        if account and found and found.language:
            return found.locale_in(account)
        header = self.request.headers.get("Accept-Language", "")
        return preferred_locale(header, account.locale) if account else self.preferred_locale

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the account."""
        return ZoneInfo(self.optional_account.time_zone if self.optional_account else "UTC")

    @property
    def cookie_path(self) -> str:
        """The path of the pages that the session belongs to."""
        return f"/my/{self.account.subdomain}"

    @property
    def token(self) -> str:
        """The token of the subscriber's session; empty without one."""
        return self.cookies.read_subscriber(self.request) or ""

    @property
    def is_reading(self) -> bool:
        """Whether the page is open by a link in an email, and nobody is signed in."""
        return self.optional_subscriber is None and self.linked_subscriber is not None

    @property
    def has_mail(self) -> bool:
        """Whether emails can be written: they are sent or, in a sandbox, kept."""
        return self.web.has_mail or self.account.is_sandbox

    @property
    def page(self) -> MyPage:
        """The page as emails link to it: at its own host name, if it has one."""
        web = self.web
        return MyPage(
            account=self.account,
            url=page_address(web.public_url, web.subscriber_hosts, self.account.subdomain),
            domain=self.web.placeholder_domain,
            locale=self.locale,
        )

    @property
    def caller(self) -> Caller:
        """The subscriber, for the services."""
        return Caller(page=self.page, subscriber=self.subscriber)

    @property
    def scanned_key(self) -> str:
        """The key of the label whose code opened the page, in the query string; empty without one.

        It proves nothing: it only says which page to open after the sign-in.
        """
        return find_key(self.account_id, self.query.get("key", ""))

    def url(self, *parts: object, **query: object) -> str:
        """The path of a page of the subscribers: `url("address", done="yes")`."""
        return page_url(self.cookie_path, parts, query)

    def asset(self, name: str) -> str:
        """The address of the colours or the logo, which a preview loads from the desk."""
        if self.is_preview:
            return f"/desk/{self.account.subdomain}/settings/self-service/{name}/"
        return f"{self.cookie_path}/{name}/"

    async def read_form(self) -> None:
        """Read the submitted form. Raises: Invalid, PayloadTooLarge."""
        self.fields = await read_form_data(self.request)

    def render(self, template: str, *, status: int = HTTPStatus.OK, **variables: Any) -> Response:
        """A page from a template. Nobody keeps a copy of it, and no search engine lists it."""
        common: dict[str, object] = {
            "my": self,
            "locale": self.locale,
            "zone": self.zone,
            "membership": None,
        }
        response = TemplateResponse(template, None, common | variables, status)
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Robots-Tag"] = NO_INDEX
        return response

    def download(self, content: bytes, name: str, media_type: str) -> Response:
        """A file with personal data, which nobody keeps a copy of, and no search engine lists."""
        headers = {"Cache-Control": "no-store", "X-Robots-Tag": NO_INDEX}
        return attachment(content, name, media_type, headers)

    def redirect(self, location: str) -> Response:
        """Redirect to another page of the subscribers."""
        response = RedirectResponse(location, HTTPStatus.SEE_OTHER)
        response.headers["X-Robots-Tag"] = NO_INDEX
        return response


def wait_text(reason: TooManyAttempts) -> str:
    """How long to wait, in words."""
    seconds = reason.retry_after
    text = ngettext(
        "There were too many attempts. Try again in a second.",
        "There were too many attempts. Try again in {seconds} seconds.",
        seconds,
    )
    return text.format(seconds=seconds)
