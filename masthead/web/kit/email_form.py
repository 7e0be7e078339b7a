"""The form of a text for emails: save it, preview it, or send a test to the signed-in user."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.responses import Response

from masthead.services.emails.messages import no_mail_server
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import FormFactory
from masthead.web.kit.idempotency import NotSaved, new_idempotency_key

Act = Callable[..., Awaitable[object]]


def read_email(form: Any) -> dict[str, Any]:
    """The subject and the text that were typed."""
    return {"subject": form.subject.data or "", "text": form.text.data or ""}


async def handle_email_form(
    context: PageContext,
    make: FormFactory,
    template: str,
    *,
    initial: Mapping[str, Any],
    read: Callable[[Any], Mapping[str, Any]] = read_email,
    preview: Act,
    test: Act,
    save: Act,
    saved: tuple[str, str],
    **variables: Any,
) -> Response:
    """Show the form, or do what its button says: `preview`, `test`, or else `save`.

    Each of these gets the transaction and what `read` returns; `save` also gets the form, and
    `test` the id of the account.
    preview: returns what the template has as `preview`. saved: the next address, and its message.
    """

    def render(form: Any, *, shown: object = None, sent_to: str = "") -> Response:
        return context.render(template, form=form, preview=shown, sent_to=sent_to, **variables)

    async def act(form: Any, db: Database) -> Response:
        given, action, address = read(form), context.fields.get("do"), context.user.email
        if action == "preview":
            raise NotSaved(render(form, shown=await preview(db, **given)))
        if action == "test":
            if not context.has_mail:
                raise no_mail_server()
            await test(
                db,
                context.account_id,
                **given,
                recipient=address,
                placeholder_domain=context.web.placeholder_domain,
                by=context.actor,
            )
        else:
            await save(form, db, **given)
        return await on_repeat(form)

    async def on_repeat(form: Any) -> Response:
        if context.fields.get("do") != "test":
            address, message = saved
            return context.redirect(address, message=message)
        form.idempotency_key.data = new_idempotency_key()  # the form is not saved yet
        return render(form, sent_to=context.user.email)

    shown = {**variables, "preview": None, "sent_to": ""}
    return await handle_form(
        context, make, template, act, initial=initial, on_repeat=on_repeat, **shown
    )
