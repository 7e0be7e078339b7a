"""Read a submitted form from the body of a request."""

import asyncio
from urllib.parse import parse_qsl

from starlette.datastructures import FormData
from starlette.requests import Request

from masthead.http_body import BODY_SECONDS, read_body
from masthead.model.errors import Invalid

MAX_FIELDS = 1_000
MAX_AT_ONCE = 65_536  # bytes that are decoded on the event loop; more are decoded in a thread


async def read_form_data(request: Request) -> FormData:
    """The submitted form. Raises: Invalid if it is malformed or slow; PayloadTooLarge."""
    try:
        body = await read_body(request.receive, seconds=BODY_SECONDS)
    except TimeoutError:
        raise Invalid("The form took too long to arrive. Send it again.") from None
    try:
        if len(body) <= MAX_AT_ONCE:
            pairs = parse_form(body)
        else:
            pairs = await asyncio.to_thread(parse_form, body)
    except ValueError:
        raise Invalid(
            "The form cannot be read. Go back, reload the page and send the form again."
        ) from None
    return FormData([(name, value.replace("\0", "")) for name, value in pairs])


def parse_form(body: bytes) -> list[tuple[str, str]]:
    """The names and texts of a form. Raises: ValueError."""
    return parse_qsl(
        body.decode(),
        keep_blank_values=True,
        strict_parsing=bool(body),
        errors="strict",
        max_num_fields=MAX_FIELDS,
    )
