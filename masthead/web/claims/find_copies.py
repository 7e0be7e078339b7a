"""Find the copy that a claim is about: by its subscriber, or by its key or id."""

from starlette.responses import Response

from masthead.web.kit.context import PageContext
from masthead.web.kit.copy_references import is_of_copy
from masthead.web.kit.find_copies import find_copies


async def find_claimed_copies(context: PageContext) -> Response:
    """The subscribers that match a search, with their copies of the last issues.

    A copy key or the id of a copy opens the form of its claim.
    """
    search = context.query.get("search", "").strip()
    if "#" in search or await is_of_copy(context, search):
        return context.redirect(context.url("claims", "new", copy=search))
    return await find_copies(context, "claims/find_copies.html", only_sent=False)
