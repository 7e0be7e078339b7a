"""The forms of the subscribers' pages: each is saved once, however often it is sent."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import urlencode

from starlette.responses import Response

from masthead.model.errors import Invalid, TooManyAttempts
from masthead.store.engine.interface import Database
from masthead.web.kit.forms import IDEMPOTENCY_KEY, BaseForm
from masthead.web.kit.idempotency import RepeatedSubmission, save_once
from masthead.web.subscriber_pages.context import MyContext, wait_text

F = TypeVar("F", bound=BaseForm)


async def handle_form(
    context: MyContext,
    form: F,
    template: str,
    save: Callable[[F, Database], Awaitable[Response]],
    **variables: Any,
) -> Response:
    """Show a form, or save it if it was sent and is valid; with errors it is shown again.

    save: gets the form and the transaction of its write. A form that is sent again changes nothing,
    and leads to where it led before.
    """
    status = HTTPStatus.OK
    if context.is_post:
        status = HTTPStatus.BAD_REQUEST
        if form.validate():
            try:
                return await _save(context, form, save)
            except Invalid as reason:
                form.add_error(reason)
            except TooManyAttempts as reason:
                form.form_errors.append(wait_text(reason))
                status = HTTPStatus.TOO_MANY_REQUESTS
    return context.render(template, status=status, form=form, **variables)


async def _save(
    context: MyContext, form: F, save: Callable[[F, Database], Awaitable[Response]]
) -> Response:
    content = urlencode(sorted((name, str(it)) for name, it in context.fields.multi_items()))
    key = str(context.fields.get(IDEMPOTENCY_KEY, ""))
    try:
        return await save_once(
            context.db,
            context.account_id,
            key,
            f"{context.subscriber.id}\n{content}",
            lambda db: save(form, db),
            is_long=False,
        )
    except RepeatedSubmission as repeated:
        return context.redirect(repeated.location or context.url())
