"""What is checked of each request for a page, besides who sends it."""

from urllib.parse import urlsplit

from starlette.requests import Request

from masthead.model.errors import Invalid, PageNotFound
from masthead.model.translations import gettext as _
from masthead.model.types.text import MAX_TEXT
from masthead.web.kit.client_request import ClientRequest

MAX_PARAMETERS = 100
MAX_QUERY = 32_768  # bytes


def require_fields(context: ClientRequest, *, is_button: bool) -> None:
    """Raises: Invalid if a form that has fields arrived without any.

    WTForms would take the values that the page shows for what the user typed.
    """
    if not context.fields and not is_button:
        raise Invalid(
            _(
                "The form arrived empty, so nothing was changed. "
                "Go back, reload the page and send the form again."
            )
        )


def check_size(request: Request) -> None:
    """Raises: NotFound, Invalid if a part of the address is too long."""
    if any(len(part) > MAX_TEXT for part in request.path_params.values()):
        raise PageNotFound
    query: bytes = request.scope["query_string"]
    if len(query) > MAX_QUERY:
        raise Invalid(_("The address is longer than {most} bytes.").format(most=MAX_QUERY))
    if query.count(b"&") >= MAX_PARAMETERS:
        raise Invalid(_("The address has more than {most} parameters.").format(most=MAX_PARAMETERS))


def is_cross_site(request: Request, public_url: str) -> bool:
    """Whether a browser says that another site sent the request; other clients say nothing."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("origin")
    if origin is None:
        return False
    own = {request.headers.get("host", ""), urlsplit(public_url).netloc}
    return origin.partition("://")[2] not in own
