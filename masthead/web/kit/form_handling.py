"""Show, check and save the forms of pages: each is saved once, however often it is sent."""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from masthead.model.errors import Invalid, TooManyAttempts, Unavailable
from masthead.model.identity.rights import MissingRight, names_of
from masthead.model.translations import gettext as _, gettext_noop
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import IDEMPOTENCY_KEY, BaseForm, FormFactory
from masthead.web.kit.idempotency import RepeatedSubmission, save_once

SaveValid = Callable[[], Awaitable[Response]]
ShowForm = Callable[[HTTPStatus], Awaitable[Response]]
SaveForm = Callable[[Any, Database], Awaitable[Response]]
ChangeRecord = Callable[[Database, str], Awaitable[str]]
ShowButton = Callable[[BaseForm, HTTPStatus], Awaitable[Response]]
OnRepeat = Callable[[Any], Awaitable[Response]]
ALREADY_DONE = gettext_noop("This was already done.")


async def process_form(
    context: PageContext, form: BaseForm, save: SaveValid, show: ShowForm
) -> Response:
    """Show a form, or save it if it was sent and is valid.

    A form with errors is shown again with everything that was typed. save: saves a valid
    form. show: renders the form with an HTTP status.
    """
    if not context.is_post:
        return await show(HTTPStatus.OK)
    status, headers = HTTPStatus.BAD_REQUEST, {}
    if form.validate():
        try:
            return await save()
        except Invalid as reason:
            form.add_error(reason)
        except MissingRight as reason:
            text = _("This needs the right “{rights}”. An owner can give it to you.")
            form.form_errors.append(text.format(rights=names_of(reason.rights)))
            status = HTTPStatus.FORBIDDEN
        except TooManyAttempts as reason:
            context.log_refusal("sign-in failed", reason="too many attempts")
            form.form_errors.append(str(reason))
            status = HTTPStatus.TOO_MANY_REQUESTS
            headers = {"Retry-After": str(reason.retry_after)}
        except Unavailable as reason:
            form.form_errors.append(str(reason))
            status = HTTPStatus.SERVICE_UNAVAILABLE
    response = await show(status)
    response.headers.update(headers)
    return response


async def handle_form(
    context: PageContext,
    make: FormFactory,
    template: str,
    save: SaveForm,
    *,
    initial: Mapping[str, Any] | None = None,
    on_repeat: OnRepeat | None = None,
    is_long: bool = False,
    in_transaction: bool = True,
    **variables: Any,
) -> Response:
    """Show a form of an account page, or save it if it was sent and is valid.

    save: gets the form and the transaction of its write, and must read and write only there.
    If the form is sent again, nothing is written: `on_repeat` answers, or the browser is
    redirected as it was before. is_long: as for `Database.write`.
    in_transaction: False if `save` gets the database instead, and itself prevents repetitions
    or calls `save_form`.
    """
    form = make(context.form_data, initial)

    async def show(status: HTTPStatus) -> Response:
        return context.render(template, status=status, form=form, **variables)

    if not in_transaction:
        return await process_form(context, form, lambda: save(form, context.db), show)
    return await save_or_show(context, form, save, show, on_repeat, is_long=is_long)


async def save_or_show(
    context: PageContext,
    form: BaseForm,
    save: SaveForm,
    show: ShowForm,
    on_repeat: OnRepeat | None = None,
    *,
    is_long: bool = False,
) -> Response:
    """Do what `handle_form` does for a form that is not shown by a template alone."""
    return await process_form(
        context, form, lambda: save_form(context, form, save, on_repeat, is_long=is_long), show
    )


async def save_form(
    context: PageContext,
    form: BaseForm,
    save: SaveForm,
    on_repeat: OnRepeat | None = None,
    *,
    is_long: bool = False,
) -> Response:
    """Save a valid form once, as `handle_form` does."""
    content = urlencode(sorted((name, str(it)) for name, it in context.fields.multi_items()))
    key = str(context.fields.get(IDEMPOTENCY_KEY, ""))
    try:
        return await save_once(
            context.db, context.account_id, key, content, lambda db: save(form, db), is_long=is_long
        )
    except RepeatedSubmission as repeated:
        if on_repeat is not None:
            return await on_repeat(form)
        return context.redirect(repeated.location or context.url(), message=_(ALREADY_DONE))


async def press_button(
    context: PageContext, address: str, change: ChangeRecord, show: ShowButton
) -> Response:
    """Make a change of the record of the page once, by a button without fields.

    change: gets the transaction and the id; its text is the message of the page at the address.
    show: renders the page that has the button, and why nothing was changed.
    """
    form = BaseForm(context.form_data)

    async def save(_form: BaseForm, db: Database) -> Response:
        return context.redirect(address, message=await change(db, context.path["id"]))

    return await save_or_show(context, form, save, lambda status: show(form, status))
