"""What subscribers change about themselves: name, email, letters, renewals, data, erasure."""

from collections.abc import Sequence
from http import HTTPStatus

import msgspec
from starlette.responses import Response
from wtforms import BooleanField, HiddenField, StringField
from wtforms.validators import DataRequired

from masthead.model.errors import Invalid, PageNotFound
from masthead.model.subscribers.corrections import NAMES, SubscriberCorrection
from masthead.model.subscriptions.groups import group_subscriptions
from masthead.model.translations import gettext as _
from masthead.model.validation import list_refusals
from masthead.services.self_service import actions as service, new_email, sign_in as links
from masthead.services.self_service.new_email import EmailConfirmation
from masthead.store.engine.interface import Database
from masthead.store.read_model import subscription_query
from masthead.store.subscriptions import records as subscriptions
from masthead.web.kit.forms import BaseForm, email_field, trimmed
from masthead.web.subscriber_pages.context import MyContext
from masthead.web.subscriber_pages.forms import handle_form


class NameForm(BaseForm):
    """The name of a subscriber."""

    first_name = StringField("First name", filters=[trimmed])
    last_name = StringField("Last name", filters=[trimmed])
    company = StringField("Company", filters=[trimmed])

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of each field."""
        return list_refusals(SubscriberCorrection, self.names)

    @property
    def names(self) -> dict[str, str | None]:
        """The typed names."""
        return {name: self[name].data or None for name in NAMES}


class NewEmailForm(BaseForm):
    """The new email address of a subscriber."""

    email = email_field("Type your new email address.")


class LettersForm(BaseForm):
    """Whether the subscriber wants letters about renewals."""

    wanted = HiddenField()


class ButtonForm(BaseForm):
    """A button."""


class ErasureForm(BaseForm):
    """The second confirmation of a request for erasure."""

    is_confirmed = BooleanField(
        "Yes, erase my personal data. I get no more issues then.",
        [DataRequired("Confirm that you want this.")],
    )


async def correct_name(context: MyContext) -> Response:
    """Show the name, and save it."""
    initial = {name: getattr(context.subscriber, name) for name in NAMES}

    async def save(form: NameForm, db: Database) -> Response:
        await service.correct_name(db, context.caller, form.names)
        return context.redirect(context.url(done="name"))

    return await handle_form(
        context, NameForm(context.form_data, initial), "subscriber_pages/name.html", save
    )


async def change_email(context: MyContext) -> Response:
    """Ask for the new address, and write to both."""

    async def save(form: NewEmailForm, db: Database) -> Response:
        await new_email.ask_for_new_email(db, context.caller, form.email.data or "")
        return context.redirect(context.url(done="email"))

    form = NewEmailForm(context.form_data)
    form.email.label.text = _("New email address")
    return await handle_form(context, form, "subscriber_pages/email.html", save)


async def confirm_email(context: MyContext) -> Response:
    """Show a button that confirms a new address; no session is needed, as the link is the proof."""
    token, done = context.path["token"], EmailConfirmation.EXPIRED
    link = await links.find_link(context.db, context.account_id, token, address=context.address)
    if link is None or link.new_email is None:
        return context.render(
            "subscriber_pages/confirm.html", status=HTTPStatus.NOT_FOUND, done=done, token=""
        )
    if not context.is_post:
        return context.render(
            "subscriber_pages/confirm.html", done=None, token=token, email=link.new_email
        )
    done = await new_email.confirm(context.db, context.page, token)
    response = context.render(
        "subscriber_pages/confirm.html", done=done, token="", email=link.new_email
    )
    if done is EmailConfirmation.DONE:
        context.cookies.clear_subscriber(response, path=context.cookie_path)
    return response


async def set_letters(context: MyContext) -> Response:
    """Stop letters about renewals, or allow them."""

    async def save(form: LettersForm, db: Database) -> Response:
        is_unsubscribed = form.wanted.data != "yes"
        await service.set_letters(db, context.caller, is_unsubscribed=is_unsubscribed)
        return context.redirect(context.url(done="letters"))

    is_getting = context.subscriber.unsubscribed_at is None
    return await handle_form(
        context,
        LettersForm(context.form_data),
        "subscriber_pages/letters.html",
        save,
        is_getting=is_getting,
    )


async def stop_renewals(context: MyContext) -> Response:
    """Ask, and stop the renewals of a subscription, or of several copies for one address."""
    rows = await subscriptions.list_rows_of_subscribers(
        context.db, context.account_id, [context.subscriber.id]
    )
    id = context.path["id"]
    ids = next((group.ids for group in group_subscriptions(rows) if id in group.ids), None)
    if ids is None:
        raise PageNotFound

    found = await subscription_query.find_subscriptions(context.db, context.account_id, [id])

    async def save(_form: ButtonForm, db: Database) -> Response:
        await service.stop_renewals(db, context.caller, ids)
        return context.redirect(context.url(done="renewals"))

    return await handle_form(
        context, ButtonForm(context.form_data), "subscriber_pages/renewals.html", save, it=found[id]
    )


async def download_data(context: MyContext) -> Response:
    """Everything that is kept about the subscriber, as JSON."""
    if not context.is_post:
        return context.render("subscriber_pages/data.html", form=ButtonForm())
    everything = await service.download_data(context.db, context.caller)
    context.log_access("subscriber data downloaded", account=context.account.subdomain)
    content = msgspec.json.format(msgspec.json.encode(everything), indent=2)
    return context.download(content, f"{context.account.subdomain}.json", "application/json")


async def ask_for_erasure(context: MyContext) -> Response:
    """Ask for the erasure; a user of the desk confirms it."""

    async def save(_form: ErasureForm, db: Database) -> Response:
        await service.ask_for_erasure(db, context.caller)
        return context.redirect(context.url(done="erasure"))

    return await handle_form(
        context, ErasureForm(context.form_data), "subscriber_pages/erasure.html", save
    )
