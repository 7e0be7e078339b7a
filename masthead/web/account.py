"""Settings: the way in, and the account itself."""

from starlette.responses import Response

from masthead.web.visit import Visit


async def show_settings(visit: Visit) -> Response:
    """What can be set, each with a word on what it is for."""
    return visit.page("settings/settings.html")
