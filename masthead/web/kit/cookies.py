"""Signed cookies, which scripts cannot read.

They hold the session, the known browser, the account last used, and the message for the next page.
"""

import re

from itsdangerous import BadSignature, Signer, TimestampSigner, URLSafeSerializer
from msgspec import Struct, structs
from starlette.requests import Request
from starlette.responses import Response

from masthead.model.self_service.reading import READING_SESSION
from masthead.model.self_service.sign_in import SESSION_VALID
from masthead.services.identity.known_browsers import KNOWN_FOR

SESSION, MESSAGE, DEVICE = "masthead_session", "masthead_message", "masthead_device"
STEP, DESK = "masthead_step", "masthead_desk"
SUBSCRIBER, READING = "masthead_my", "masthead_my_reading"
CSV_STYLE, FILE, SOURCE = "masthead_csv", "masthead_file", "masthead_source"
# Browsers accept this prefix only from the host itself, over https, and for all its pages
SECURE_PREFIX = "__Host-"
SECURE_PATH_PREFIX = "__Secure-"  # for a cookie of some pages only
MESSAGE_SECONDS = 60
STEP_SECONDS = 600  # to finish a sign-in
SUBSCRIBER_SECONDS = int(SESSION_VALID.total_seconds())
READING_SECONDS = int(READING_SESSION.total_seconds())
DEVICE_SECONDS = int(KNOWN_FOR.total_seconds())
MAX_MESSAGE = 1_000  # characters; a browser keeps about 4,000 bytes


class PageMessage(Struct, frozen=True):
    """What the next page says. address, label: of a link after it; empty for none.

    button_address, button_label: of a button after it, which changes something. is_slow_file:
    whether the link is to a file that takes seconds to write.
    """

    text: str
    address: str = ""
    label: str = ""
    button_address: str = ""
    button_label: str = ""
    is_slow_file: bool = False


def _cookie(request: Request, name: str) -> str:
    """The value of a cookie as it was set; empty if it was not sent.

    Starlette also removes quotes and backslashes, which our cookies do not have, and before Python
    3.11.10 that takes quadratic time.
    """
    found = ""
    for line in request.headers.getlist("Cookie"):
        for match in re.finditer(rf"(?:^|;)\s*{name}\s*=([^;]*)", line):
            found = match[1].strip()
    return found


class Cookies:
    """The cookies of the web area. secret: signs them. is_secure: sent over https only."""

    def __init__(self, secret: bytes, *, is_secure: bool) -> None:
        self._secret = secret
        self._signer = Signer(secret, salt="session")
        self._device_signer = Signer(secret, salt="device")
        self._desk_signer = Signer(secret, salt="desk")
        self._subscriber_signer = Signer(secret, salt="subscriber")
        self._reading_signer = TimestampSigner(secret, salt="reading")
        self._step_signer = TimestampSigner(secret, salt="step")
        self._serializer = URLSafeSerializer(secret, salt="message")
        self._is_secure = is_secure

    def secured(self) -> "Cookies":
        """These cookies, for a request over https."""
        return self if self._is_secure else Cookies(self._secret, is_secure=True)

    def read_session(self, request: Request) -> str | None:
        """The token of a session; None if there is none, or it was tampered with."""
        try:
            return self._signer.unsign(self._read(request, SESSION)).decode()
        except BadSignature:
            return None

    def set_session(self, response: Response, token: str) -> None:
        """Set the token of the session."""
        self._set(response, SESSION, self._signer.sign(token).decode(), None)

    def clear_session(self, response: Response) -> None:
        """Delete the token of the session."""
        self._delete(response, SESSION)

    @property
    def secret(self) -> bytes:
        """What signs the cookies, and the links that open a page for reading."""
        return self._secret

    def read_subscriber(self, request: Request) -> str | None:
        """The token of a subscriber's session; None if there is none."""
        try:
            cookie = _cookie(request, self._path_name(SUBSCRIBER))
            return self._subscriber_signer.unsign(cookie).decode()
        except (BadSignature, UnicodeDecodeError):
            return None

    def set_subscriber(self, response: Response, token: str, *, path: str) -> None:
        """Set the token of a subscriber's session. path: of the only pages that it is sent to."""
        value = self._subscriber_signer.sign(token).decode()
        self._set_for_path(response, SUBSCRIBER, value, SUBSCRIBER_SECONDS, path)

    def clear_subscriber(self, response: Response, *, path: str) -> None:
        """Delete the token of a subscriber's session. path: as it was set."""
        self._delete_for_path(response, SUBSCRIBER, path)

    def read_reading(self, request: Request) -> str | None:
        """The token of the link that opened the page for reading an hour ago at most."""
        try:
            cookie = _cookie(request, self._path_name(READING))
            return self._reading_signer.unsign(cookie, max_age=READING_SECONDS).decode()
        except (BadSignature, UnicodeDecodeError):
            return None

    def set_reading(self, response: Response, token: str, *, path: str) -> None:
        """Remember the link that opened the page of a subscriber. path: of these pages."""
        value = self._reading_signer.sign(token).decode()
        self._set_for_path(response, READING, value, READING_SECONDS, path)

    def clear_reading(self, response: Response, *, path: str) -> None:
        """Forget that link. path: as it was set."""
        self._delete_for_path(response, READING, path)

    def _path_name(self, name: str) -> str:
        return f"{SECURE_PATH_PREFIX}{name}" if self._is_secure else name

    def _set_for_path(
        self, response: Response, name: str, value: str, seconds: int, path: str
    ) -> None:
        response.set_cookie(
            self._path_name(name),
            value,
            max_age=seconds,
            path=path,
            httponly=True,
            samesite="lax",
            secure=self._is_secure,
        )

    def _delete_for_path(self, response: Response, name: str, path: str) -> None:
        response.delete_cookie(
            self._path_name(name), path=path, httponly=True, samesite="lax", secure=self._is_secure
        )

    def read_device(self, request: Request) -> str:
        """The token of a known browser; an empty text if it has none."""
        try:
            return self._device_signer.unsign(self._read(request, DEVICE)).decode()
        except (BadSignature, UnicodeDecodeError):
            return ""

    def set_device(self, response: Response, device: str) -> None:
        """Remember the browser for the next sign-in. device: its new token."""
        value = self._device_signer.sign(device).decode()
        self._set(response, DEVICE, value, DEVICE_SECONDS)

    def read_desk(self, request: Request) -> str:
        """The subdomain of the account that was used last; an empty text if there is none."""
        try:
            return self._desk_signer.unsign(self._read(request, DESK)).decode()
        except (BadSignature, UnicodeDecodeError):
            return ""

    def set_desk(self, response: Response, subdomain: str) -> None:
        """Remember the account that was used last, for the pages that belong to no account."""
        value = self._desk_signer.sign(subdomain).decode()
        self._set(response, DESK, value, DEVICE_SECONDS)

    def read_choice(self, request: Request, name: str) -> str:
        """What this browser chose last: a `CSV_STYLE`, `FILE` or `SOURCE`; empty for nothing."""
        return self._read(request, name)

    def set_choice(self, response: Response, name: str, choice: str) -> None:
        """Remember a choice of this browser."""
        self._set(response, name, choice, DEVICE_SECONDS)

    def read_step(self, request: Request) -> str | None:
        """The token of a sign-in in progress."""
        try:
            cookie = self._read(request, STEP)
            return self._step_signer.unsign(cookie, max_age=STEP_SECONDS).decode()
        except (BadSignature, UnicodeDecodeError):
            return None

    def set_step(self, response: Response, token: str) -> None:
        """Bind a sign-in in progress to the browser."""
        self._set(response, STEP, self._step_signer.sign(token).decode(), STEP_SECONDS)

    def clear_step(self, response: Response) -> None:
        """Delete the token of the sign-in in progress: it is finished, or starts again."""
        self._delete(response, STEP)

    def set_message(self, response: Response, message: PageMessage, subdomain: str) -> None:
        """Show a message on the next page of an account; if it is empty, on the next page."""
        short = structs.replace(message, text=message.text[:MAX_MESSAGE])
        value = self._serializer.dumps([subdomain, *structs.astuple(short)])
        self._set(response, MESSAGE, str(value), MESSAGE_SECONDS)

    def read_message(self, request: Request, subdomain: str) -> PageMessage | None:
        """The message for a page of an account, or of none; None if there is none."""
        try:
            account, *parts = self._serializer.loads(self._read(request, MESSAGE))
        except (BadSignature, ValueError):
            return None
        return PageMessage(*parts) if account in ("", subdomain) else None

    def clear_message(self, response: Response) -> None:
        """Delete the message after it was shown."""
        self._delete(response, MESSAGE)

    def _name(self, name: str) -> str:
        return f"{SECURE_PREFIX}{name}" if self._is_secure else name

    def _read(self, request: Request, name: str) -> str:
        return _cookie(request, self._name(name))

    def _delete(self, response: Response, name: str) -> None:
        response.delete_cookie(
            self._name(name), httponly=True, samesite="lax", secure=self._is_secure
        )

    def _set(self, response: Response, name: str, value: str, seconds: int | None) -> None:
        response.set_cookie(
            self._name(name),
            value,
            max_age=seconds,
            httponly=True,
            samesite="lax",
            secure=self._is_secure,
        )
