"""The form of a text for emails: save it, preview it, or send a test to the signed-in user."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.responses import Response

from masthead.model.emails import EmailTemplate, TranslatedTemplate
from masthead.model.translations import language_of, list_languages
from masthead.model.types.recipient_languages import locale_in
from masthead.services.emails.messages import no_mail_server
from masthead.store.engine.interface import Database
from masthead.web.kit.choices import list_languages_of_texts
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import FormFactory
from masthead.web.kit.idempotency import NotSaved, new_idempotency_key

Act = Callable[..., Awaitable[object]]


class TextLanguage:
    """The language of the text on a page; `code` is empty for that of the account.

    The page opens with the language of the user, if recipients with it get a text of their own.
    """

    def __init__(self, context: PageContext, known: TranslatedTemplate) -> None:
        asked, self.own = str(context.given.get("language", "")), language_of(known.own)
        if not asked and not context.is_post:
            mine = language_of(context.locale)
            asked = mine if mine in known.languages else self.own
        self.code = asked if asked in list_languages() - {self.own} else ""
        self.locale = locale_in(self.code, known.own) if self.code else known.own
        self.text = known.text_in(self.locale) if self.code else known.template
        self.is_translated = self.code in known.translations
        self.is_default = known.is_default
        self.all = list_languages_of_texts()
        self._is_deleted = context.fields.get("do") == "delete"

    def typed(self, given: Mapping[str, Any]) -> EmailTemplate | None:
        """The text of a translation that is saved; None if it is deleted."""
        return None if self._is_deleted else EmailTemplate(**given)


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
