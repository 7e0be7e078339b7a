"""Cookies, signed and hidden from scripts: who is signed in, and what the next page says."""

from itsdangerous import BadSignature, Signer, URLSafeSerializer
from starlette.requests import Request
from starlette.responses import Response

SESSION, SAID = "masthead_session", "masthead_said"
SAID_SECONDS = 60
MAX_SAID = 1_000  # characters; a browser keeps some 4,000 bytes


def _cookie(request: Request, name: str) -> str:
    """The value of a cookie, as it was set; empty if it was not sent.

    Starlette also takes off quotes and backslashes, which ours have not, and before Python 3.11.10
    in a time that is quadratic in the length of the value.
    """
    found = ""
    for line in request.headers.getlist("Cookie"):
        for part in line.split(";"):
            key, _, value = part.partition("=")
            if key.strip() == name:
                found = value.strip()
    return found


class Cookies:
    """The cookies of the web area. secret: signs them. is_secure: sent over https only."""

    def __init__(self, secret: bytes, *, is_secure: bool) -> None:
        self._secret = secret
        self._signer = Signer(secret, salt="session")
        self._serializer = URLSafeSerializer(secret, salt="said")
        self._is_secure = is_secure

    def secured(self) -> "Cookies":
        """The same, for a visit over https."""
        return self if self._is_secure else Cookies(self._secret, is_secure=True)

    def read_session(self, request: Request) -> str | None:
        """The token of a session; None if there is none, or it was tampered with."""
        try:
            return self._signer.unsign(_cookie(request, SESSION)).decode()
        except BadSignature:
            return None

    def begin(self, response: Response, token: str) -> None:
        """Sign the browser in."""
        self._set(response, SESSION, self._signer.sign(token).decode(), None)

    def end(self, response: Response) -> None:
        """Sign the browser out."""
        response.delete_cookie(SESSION, httponly=True, samesite="lax", secure=self._is_secure)

    def say(self, response: Response, text: str) -> None:
        """Have the next page say something."""
        value = self._serializer.dumps(text[:MAX_SAID])
        self._set(response, SAID, str(value), SAID_SECONDS)

    def read_said(self, request: Request) -> str:
        """What the page before wanted to have said."""
        try:
            return str(self._serializer.loads(_cookie(request, SAID)))
        except BadSignature:
            return ""

    def clear_said(self, response: Response) -> None:
        """It has been said."""
        response.delete_cookie(SAID, httponly=True, samesite="lax", secure=self._is_secure)

    def _set(self, response: Response, name: str, value: str, seconds: int | None) -> None:
        response.set_cookie(
            name,
            value,
            max_age=seconds,
            httponly=True,
            samesite="lax",
            secure=self._is_secure,
        )
