"""A JSON response, and the headers that every response has."""

from starlette.types import Receive, Scope, Send

from masthead.serving.compression import MIN_BYTES, accepted_coding, compress

JSON = (b"content-type", b"application/json")
PLAIN_TEXT = (b"content-type", b"text/plain")  # of the answers that have no body
NO_SNIFFING = (b"x-content-type-options", b"nosniff")
NO_STORE = (b"cache-control", b"no-store")
VARY = (b"vary", b"accept-encoding")  # another coding is another response
HTTPS_ONLY = (b"strict-transport-security", b"max-age=31536000")  # a year
CLOSE = (b"connection", b"close")
ANY_ORIGIN = (b"access-control-allow-origin", b"*")
NOT_MODIFIED = 304  # without a length, which would be that of the full answer
DAY = b"86400"  # seconds that a browser may keep the answer to a preflight request

Headers = tuple[tuple[bytes, bytes], ...]


class JsonResponse:
    """A response of the API, and an ASGI application, like a Starlette response.

    body: JSON, or empty. tag: its entity tag, in quotation marks; may be empty.
    """

    __slots__ = ("body", "headers", "status", "tag")

    def __init__(
        self, body: bytes, status: int = 200, headers: Headers = (), tag: bytes = b""
    ) -> None:
        self.body, self.status, self.headers, self.tag = body, status, headers, tag

    def all_headers(self) -> list[tuple[bytes, bytes]]:
        """Its own headers, with the length, type and tag of the body."""
        if self.status == NOT_MODIFIED:
            # without a content type, which would replace that of the answer in a cache
            return [*self.headers, (b"etag", self.tag), VARY]
        headers = [(b"content-length", b"%d" % len(self.body)), *self.headers]
        if self.body:
            headers.append(JSON)
        if self.tag:
            headers += ((b"etag", self.tag), VARY)
        return headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""
        headers = self.all_headers()
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


def in_accepted_coding(response: JsonResponse, accept_encoding: bytes) -> JsonResponse:
    """The response in the coding that the client prefers; itself if that does not pay.

    Each coding has an entity tag of its own, with the name of the coding at its end.
    """
    if len(response.body) < MIN_BYTES:
        return response
    coding = accepted_coding(accept_encoding.decode("latin-1"))
    if not coding:
        return response
    return JsonResponse(
        compress(response.body, coding),
        response.status,
        (
            (b"content-encoding", coding.encode()),
            *response.headers,
            *(() if response.tag else (VARY,)),
        ),
        tag_in_coding(response.tag, coding) if response.tag else b"",
    )


def tag_in_coding(tag: bytes, coding: str) -> bytes:
    """The entity tag of an answer in a coding."""
    return b'%b-%b"' % (tag[:-1], coding.encode())


def preflight_response(methods: str) -> JsonResponse:
    """The response to the request with which a browser asks what a script on a page may send."""
    return JsonResponse(
        b"",
        204,
        (
            (b"access-control-allow-methods", methods.encode()),
            (b"access-control-allow-headers", b"*"),
            (b"access-control-max-age", DAY),
        ),
    )
