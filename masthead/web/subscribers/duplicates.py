"""The pages that list likely duplicates, and those who are not the same person."""

from starlette.responses import Response

from masthead.model.translations import gettext as _
from masthead.model.types.text import is_digits
from masthead.services.orders.subscribers import list_subscribers
from masthead.services.subscribers import dismissed_pairs as service
from masthead.services.subscribers.duplicates import list_pairs
from masthead.store.audit.choices import find_actors
from masthead.store.subscribers import dismissed_pairs as store
from masthead.web.kit.context import PageContext

SHOWN = 100
ON_A_PAGE = 25
SHOWN_DISMISSED = 500


async def list_duplicates(context: PageContext) -> Response:
    """Pairs of subscribers who are likely the same, each with a link to compare and merge them."""
    is_fresh = bool(context.query.get("again"))
    found = await context.web.duplicates.find(context.db, context.account_id, is_fresh=is_fresh)
    pairs = await list_pairs(context.db, context.account_id, found, SHOWN + 1)
    after = context.query.get("after", "")
    first = int(after) if is_digits(after, at_most=4) and int(after) < len(pairs) else 0
    return context.render(
        "subscribers/duplicates.html",
        pairs=pairs[:SHOWN],
        first=first,
        page=pairs[first : min(first + ON_A_PAGE, SHOWN)],
        found_at=found.found_at,
        has_more=len(pairs) > SHOWN,
    )


async def list_dismissed(context: PageContext) -> Response:
    """Pairs of subscribers who are not the same person, with who said so and when."""
    async with context.db.read(aside=True) as db:
        pairs = await store.list_dismissed(db, context.account_id)
        shown = list({each.pair: each for each in reversed(pairs)}.values())[::-1]
        shown = shown[:SHOWN_DISMISSED]
        ids = {id for each in shown for id in each.pair}
        known = {each.id: each for each in await list_subscribers(db, context.account_id, ids)}
        actors = await find_actors(db, context.account_id, {each.actor_id for each in shown})
    return context.render(
        "subscribers/dismissed.html",
        pairs=[each for each in shown if known.keys() >= set(each.pair)],
        known=known,
        actors=actors,
        has_more=len(pairs) > SHOWN_DISMISSED,
    )


async def dismiss_pair(context: PageContext) -> Response:
    """Remember that two subscribers are not the same person. Raises: NotFound, Invalid."""
    id, other = context.path["id"], context.path["other"]
    await service.dismiss_pair(context.db, context.account_id, id, other, by=context.actor)
    message = _("The pair is no longer listed as likely duplicates.")
    link = (
        context.url("subscribers", "duplicates", "dismissed"),
        _("Pairs that are not the same person"),
    )
    page = context.url("subscribers", "duplicates", after=context.fields.get("after", ""))
    return context.redirect(page, message=message, link=link)


async def restore_pair(context: PageContext) -> Response:
    """List two subscribers as likely duplicates again. Raises: NotFound."""
    id, other = context.path["id"], context.path["other"]
    await service.restore_pair(context.db, context.account_id, id, other, by=context.actor)
    message = _("If they are likely duplicates, they are listed again.")
    return context.redirect(context.url("subscribers", "duplicates", "dismissed"), message=message)
