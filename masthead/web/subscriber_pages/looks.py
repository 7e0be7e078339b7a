"""The colour and the logo of a publisher, which the pages of its subscribers load."""

from starlette.responses import Response

from masthead.model.errors import PageNotFound
from masthead.model.self_service.settings import SelfService
from masthead.store.engine.interface import Connection
from masthead.store.self_service.settings import find_logo
from masthead.web.kit.pictures import ISOLATED
from masthead.web.subscriber_pages.context import MyContext

SHORT = "private, max-age=300"


async def send_colours(context: MyContext) -> Response:
    """The colour as a style sheet: styles within a page are not allowed."""
    response = colours_of(context.settings)
    response.headers["Cache-Control"] = SHORT
    return response


async def send_logo(context: MyContext) -> Response:
    """The logo. Raises: PageNotFound."""
    return await logo_of(context.db, context.account_id)


def colours_of(settings: SelfService) -> Response:
    """The style sheet with the colour of the settings."""
    css = f":root {{ --brand: {settings.colour}; }}\n"
    return Response(css, media_type="text/css")


async def logo_of(db: Connection, account_id: int) -> Response:
    """The logo of an account. Raises: PageNotFound."""
    logo = await find_logo(db, account_id)
    if logo is None:
        raise PageNotFound
    return Response(
        logo.content, media_type=logo.media_type, headers={"Cache-Control": SHORT, **ISOLATED}
    )
