"""Settings: create, list, change and delete webhooks."""

from collections.abc import Mapping

from starlette.responses import Response
from wtforms import RadioField, SelectMultipleField, StringField
from wtforms.validators import DataRequired

from masthead.model.events.types import PublicEventType
from masthead.model.pagination import PageRequest
from masthead.model.translations import gettext as _
from masthead.model.webhooks.inputs import WebhookCreate, WebhookUpdate
from masthead.model.webhooks.resources import WebhookSecret, WebhookStatus
from masthead.services.webhooks import endpoints as service
from masthead.services.webhooks.resolving import resolve
from masthead.store.engine.interface import Database
from masthead.store.webhooks import endpoints as store
from masthead.web.kit.choices import OVERLAPS
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form, save_form
from masthead.web.kit.forms import BaseForm, choices_of, trimmed


class WebhookForm(BaseForm):
    """A webhook."""

    url = StringField("Address", [DataRequired("Type the address of the program.")], [trimmed])
    types = SelectMultipleField(
        "Events", choices=choices_of((type.value, type.value) for type in PublicEventType)
    )


class RotateForm(BaseForm):
    """Until when the old secret is valid."""

    overlap = RadioField(
        "The old secret expires",
        choices=choices_of((name, label) for name, (label, _) in OVERLAPS.items()),
        default="24",
    )


async def list_webhooks(context: PageContext) -> Response:
    """List the webhooks of the account, newest first."""
    all_of_them = PageRequest(limit=service.MAX_WEBHOOKS, after=None, binding=b"")
    page = await store.list_webhooks(context.db, context.account_id, all_of_them)
    return context.render("webhooks/list.html", webhooks=page.items)


async def create_webhook(context: PageContext) -> Response:
    """Create a webhook, and show its secret once."""

    async def save(form: WebhookForm, _db: Database) -> Response:
        resolved = await resolve(form.url.data or "")  # before the transaction, which would wait

        async def create(form: WebhookForm, db: Database) -> Response:
            made = await service.create_webhook(
                db,
                context.account_id,
                WebhookCreate(url=form.url.data or "", types=_types_of(form)),
                resolved=resolved,
                allow_private=context.web.allow_private_webhooks,
                by=context.actor,
            )
            return _show_secret(context, made, form.url.data or "")

        return await save_form(context, form, create, explain)

    async def explain(_form: WebhookForm) -> Response:
        return _redirect_to_list(
            context,
            _(
                "This form has already created a webhook. If you do not have its secret, replace "
                "it on the page of the webhook."
            ),
        )

    return await handle_form(
        context, WebhookForm, "webhooks/webhook_new.html", save, in_transaction=False
    )


def _types_of(form: WebhookForm) -> list[PublicEventType]:
    return [PublicEventType(name) for name in form.types.data or ()]


def _show_secret(context: PageContext, made: WebhookSecret, url: str) -> Response:
    return context.render("webhooks/secret.html", made=made, address=url)


def _redirect_to_list(context: PageContext, message: str) -> Response:
    return context.redirect(context.url("settings", "webhooks"), message=message)


def redirect_to(context: PageContext, id: str, message: str) -> Response:
    """Redirect to the page of a webhook."""
    return context.redirect(context.url("settings", "webhooks", id), message=message)


async def edit_webhook(context: PageContext) -> Response:
    """Change the address or the events of a webhook. Raises: NotFound."""
    id = context.path["id"]
    old = (await store.get_endpoint(context.db, context.account_id, id)).resource()
    initial: Mapping[str, object] = {"url": old.url, "types": list(map(str, old.types))}

    async def save(form: WebhookForm, _db: Database) -> Response:
        is_moved = form.url.data != old.url
        resolved = await resolve(form.url.data or "") if is_moved else ()
        changes = WebhookUpdate(types=_types_of(form))
        if is_moved:
            changes.url = form.url.data or ""

        async def change(_form: WebhookForm, db: Database) -> Response:
            await service.update_webhook(
                db,
                context.account_id,
                id,
                changes,
                resolved=resolved,
                allow_private=context.web.allow_private_webhooks,
                by=context.actor,
            )
            return redirect_to(context, id, _("The webhook is changed."))

        return await save_form(context, form, change)

    return await handle_form(
        context,
        WebhookForm,
        "webhooks/webhook_edit.html",
        save,
        in_transaction=False,
        initial=initial,
        webhook=old,
    )


async def rotate_secret(context: PageContext) -> Response:
    """Replace the secret of a webhook, and show the new one once. Raises: NotFound."""
    id = context.path["id"]
    webhook = (await store.get_endpoint(context.db, context.account_id, id)).resource()

    async def save(form: RotateForm, db: Database) -> Response:
        overlap = OVERLAPS[form.overlap.data][1]
        made = await service.rotate_secret(
            db, context.account_id, id, overlap=overlap, by=context.actor
        )
        return _show_secret(context, made, webhook.url)

    async def explain(_form: RotateForm) -> Response:
        text = _("This form has already replaced the secret. If you lost it, replace it again.")
        return redirect_to(context, id, text)

    return await handle_form(
        context, RotateForm, "webhooks/rotate.html", save, on_repeat=explain, webhook=webhook
    )


async def delete_webhook(context: PageContext) -> Response:
    """Delete a webhook, after a confirmation. Raises: NotFound."""
    id = context.path["id"]
    webhook = (await store.get_endpoint(context.db, context.account_id, id)).resource()

    async def save(_form: BaseForm, db: Database) -> Response:
        await service.delete_webhook(db, context.account_id, id, by=context.actor)
        text = _("The webhook to {url} is deleted.")
        return _redirect_to_list(context, text.format(url=webhook.url))

    return await handle_form(context, BaseForm, "webhooks/delete.html", save, webhook=webhook)


async def enable_webhook(context: PageContext) -> Response:
    """Send events to a webhook again. Raises: NotFound."""
    await _set_status(context, WebhookStatus.ENABLED)
    message = _("The webhook is enabled. It also gets the events since it was disabled.")
    return redirect_to(context, context.path["id"], message)


async def disable_webhook(context: PageContext) -> Response:
    """Send no events to a webhook. Raises: NotFound."""
    await _set_status(context, WebhookStatus.DISABLED)
    message = _("The webhook is disabled. New events wait until you enable it.")
    return redirect_to(context, context.path["id"], message)


async def _set_status(context: PageContext, status: WebhookStatus) -> None:
    await service.update_webhook(
        context.db,
        context.account_id,
        context.path["id"],
        WebhookUpdate(status=status),
        resolved=(),
        allow_private=False,
        by=context.actor,
    )
