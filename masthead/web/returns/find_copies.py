"""The page that finds a copy that came back, if its label cannot be read: by its subscriber."""

from starlette.responses import Response

from masthead.web.kit.context import PageContext
from masthead.web.kit.find_copies import find_copies


async def find_returned_copies(context: PageContext) -> Response:
    """The subscribers that match a search, with the copies that they got last by post."""
    return await find_copies(context, "returns/find_copies.html", only_sent=True)
