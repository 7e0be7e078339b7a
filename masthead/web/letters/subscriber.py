"""The page of a subscriber's letters: what they got, and whether they get any."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import HiddenField, StringField

from masthead.model.translations import gettext as _
from masthead.services.letters import subscribers as service
from masthead.store.engine.interface import Database
from masthead.store.letters import records as letters
from masthead.store.letters.subscribers import get_subscriber
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_or_show
from masthead.web.kit.forms import BaseForm

MAX_LETTERS = 100


class SubscriberLettersForm(BaseForm):
    """email: the address that the page shows. reason: why emails come back, if they do."""

    email = HiddenField()
    reason = StringField("What the mail server said")


async def show_subscriber(context: PageContext) -> Response:
    """Show a subscriber's letters; mark their address as bounced, or unsubscribe them.

    Raises: NotFound.
    """
    id = context.path["id"]
    subscriber = await get_subscriber(context.db, context.account_id, id)
    if subscriber.merged_into is not None:
        return context.redirect(context.url("subscribers", subscriber.merged_into, "letters"))
    form = SubscriberLettersForm(context.form_data)

    async def save(form: SubscriberLettersForm, db: Database) -> Response:
        account_id, by = context.account_id, context.actor
        action = context.fields.get("do")
        if action == "bounced":
            reason = form.reason.data or ""
            email = form.email.data or None
            await service.mark_bounced(db, account_id, id, email=email, reason=reason, by=by)
            message = _("The address is marked as bounced. It gets no letters.")
        elif action == "works":
            await service.clear_bounce(db, account_id, id, by=by)
            message = _("The address gets letters again.")
        elif action == "unsubscribe":
            await service.set_unsubscribed(db, account_id, id, is_unsubscribed=True, by=by)
            message = _("This subscriber gets no more letters.")
        else:
            await service.set_unsubscribed(db, account_id, id, is_unsubscribed=False, by=by)
            message = _("This subscriber gets letters again.")
        return context.redirect(context.url("subscribers", id, "letters"), message=message)

    async def show(status: HTTPStatus) -> Response:
        found = await letters.list_of_subscriber(context.db, context.account_id, id, MAX_LETTERS)
        return context.render(
            "letters/subscriber.html",
            status=status,
            form=form,
            subscriber=subscriber,
            email=context.real_email(subscriber.email),
            letters=found,
        )

    return await save_or_show(context, form, save, show)
