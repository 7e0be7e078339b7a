"""The page that lists likely duplicates among all subscribers."""

from starlette.responses import Response

from masthead.services.subscribers.duplicates import list_pairs
from masthead.web.kit.context import PageContext

SHOWN = 100


async def list_duplicates(context: PageContext) -> Response:
    """Pairs of subscribers who are likely the same, each with a link to compare and merge them."""
    is_fresh = bool(context.query.get("again"))
    found = await context.web.duplicates.find(context.db, context.account_id, is_fresh=is_fresh)
    pairs = await list_pairs(context.db, context.account_id, found, SHOWN)
    return context.render(
        "subscribers/duplicates.html",
        pairs=pairs,
        found_at=found.found_at,
        has_more=len(found.pairs) > SHOWN,
    )
