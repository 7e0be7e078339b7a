"""The desk's first page."""

from starlette.responses import Response

from masthead.web.visit import Visit


async def show_home(visit: Visit) -> Response:
    """What is to be done today."""
    return visit.page("desk/home.html")
