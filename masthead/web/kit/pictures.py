"""Send pictures that users uploaded."""

from starlette.responses import Response

# The address names one picture; only users of the account may see it
IMMUTABLE = "private, max-age=31536000, immutable"
# Whatever is in the file, it runs nothing: not even as a page of its own
ISOLATED = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}


def send_picture(content: bytes, media_type: str) -> Response:
    """A picture whose address never has another one, so that browsers may keep it for ever."""
    return Response(
        content, media_type=media_type, headers={"Cache-Control": IMMUTABLE, **ISOLATED}
    )
