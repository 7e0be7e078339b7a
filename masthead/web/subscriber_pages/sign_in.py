"""Sign subscribers in by a link in an email, and out by a click."""

from http import HTTPStatus

from starlette.responses import Response

from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import ClaimReason
from masthead.model.errors import Invalid, NotFound, TooManyAttempts, excerpt
from masthead.model.self_service.settings import Action
from masthead.model.self_service.sign_in import LinkPurpose
from masthead.model.translations import gettext as _
from masthead.services.claims.records import find_copy_id
from masthead.services.self_service import sign_in as service
from masthead.services.self_service.actions import require_own_copy
from masthead.web.kit.forms import BaseForm, email_field
from masthead.web.subscriber_pages.context import MyContext, wait_text
from masthead.web.subscriber_pages.overview import show_overview

TEMPLATE = "subscriber_pages/sign_in.html"


class EmailForm(BaseForm):
    """The email address of a subscriber."""

    email = email_field("Type your email address.")


async def show_start(context: MyContext) -> Response:
    """What the subscriber has, or the question for the email address."""
    if context.optional_subscriber is not None and not context.is_post:
        copy_id = await _find_scanned(context)
        if copy_id is not None:
            return context.redirect(context.url("copies", copy_id))
        return await show_overview(context)
    form = EmailForm(context.form_data)
    has_mail = context.web.has_mail
    status, is_sent = HTTPStatus.OK, False
    if context.is_post and has_mail:
        status = HTTPStatus.BAD_REQUEST
        if form.validate():
            try:
                await _send(context, form.email.data or "")
                status, is_sent = HTTPStatus.OK, True
            except TooManyAttempts as reason:
                form.form_errors.append(wait_text(reason))
                status = HTTPStatus.TOO_MANY_REQUESTS
    form.email.data = excerpt(form.email.data or "")
    return context.render(
        TEMPLATE,
        status=status,
        form=form,
        is_sent=is_sent,
        has_mail=has_mail,
        is_signed_out=context.query.get("done") == "signed-out",
    )


async def _find_scanned(context: MyContext) -> int | None:
    """The copy of the subscriber whose label was scanned, if it can be claimed here."""
    key = context.query.get("key", "")
    if not key or not context.settings.allows(Action.CLAIM):
        return None
    try:
        body = ClaimCreate(key=key, reason=ClaimReason.OTHER)
        copy_id = await find_copy_id(context.db, context.account_id, body)
        await require_own_copy(context.db, context.caller, copy_id)
    except (Invalid, NotFound):
        return None
    return copy_id


async def _send(context: MyContext, email: str) -> None:
    await service.email_link(context.db, context.page, email, address=context.address)
    context.log_access("subscriber link requested", account=context.account.subdomain)


async def open_link(context: MyContext) -> Response:
    """Show a button that signs in. Opening the page uses nothing up: programs open links, too."""
    token = context.path["token"]
    link = await service.find_link(context.db, context.account_id, token, address=context.address)
    if link is None or link.purpose is not LinkPurpose.SIGN_IN:
        return _show_expired(context)
    if not context.is_post:
        return context.render("subscriber_pages/link.html", token=token)
    session = await service.use_link(context.db, context.account_id, token)
    if session is None:
        return _show_expired(context)
    context.log_access("subscriber signed in", account=context.account.subdomain)
    response = context.redirect(context.url())
    context.cookies.set_subscriber(response, session, path=context.cookie_path)
    return response


def _show_expired(context: MyContext) -> Response:
    """Ask for the email again; who is signed in already, goes on."""
    if context.optional_subscriber is not None:
        return context.redirect(context.url())
    context.log_refusal("bad subscriber link", account=context.account.subdomain)
    form = EmailForm()
    form.form_errors.append(
        _("This link was used already, or it has expired. Ask for a new one here.")
    )
    return context.render(
        TEMPLATE,
        status=HTTPStatus.NOT_FOUND,
        form=form,
        is_sent=False,
        has_mail=context.web.has_mail,
        is_signed_out=False,
    )


async def sign_out(context: MyContext) -> Response:
    """End the session."""
    await service.sign_out(context.db, context.account_id, context.token)
    response = context.redirect(context.url(done="signed-out"))
    context.cookies.clear_subscriber(response, path=context.cookie_path)
    return response
