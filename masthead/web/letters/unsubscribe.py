"""The page on which a subscriber ends renewal letters, from the link at the end of each.

The signed address is the permission, so no sign-in is needed, and another site may send the form:
email programs do (RFC 8058).
"""

from starlette.responses import Response

from masthead.model.actors import BY_UNSUBSCRIBE_LINK
from masthead.model.letters.unsubscribe import masked_email
from masthead.model.translations import set_language
from masthead.services.letters import subscribers as service
from masthead.web.kit.context import PageContext

_AGAIN = "resubscribe"


async def unsubscribe(context: PageContext) -> Response:
    """Show a button, and end the letters if it is pressed; undo it in the same way.

    Opening the page changes nothing, as programs open links, too. Raises: NotFound.
    """
    account, subscriber = await service.find_by_token(context.db, context.path["token"])
    is_unsubscribed = subscriber.unsubscribed_at is not None
    if context.is_post:
        wanted = context.fields.get("do") != _AGAIN
        if wanted != is_unsubscribed:
            await service.set_unsubscribed(
                context.db,
                account.id,
                subscriber.id,
                is_unsubscribed=wanted,
                by=BY_UNSUBSCRIBE_LINK,
            )
        is_unsubscribed = wanted
    set_language(account.locale)
    return context.render(
        "letters/unsubscribe.html",
        magazine=account.name,
        email="" if subscriber.is_placeholder else masked_email(subscriber.email),
        token=context.path["token"],
        is_unsubscribed=is_unsubscribed,
        is_done=context.is_post,
    )
