"""Sign subscribers in by a link in an email, and out by a click."""

from http import HTTPStatus

from starlette.responses import Response

from masthead.model.errors import TooManyAttempts, excerpt
from masthead.model.letters.unsubscribe import masked_email
from masthead.model.self_service.settings import Action
from masthead.model.self_service.sign_in import LinkPurpose
from masthead.model.translations import gettext as _
from masthead.services.self_service import sign_in as service
from masthead.services.self_service.reading import find_linked
from masthead.services.self_service.scanned import find_scanned
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
        copy_id = await find_scanned(context.db, context.caller, context.scanned_key)
        if copy_id is not None:
            return context.redirect(context.url("label", copy_id))
        return await show_overview(context)
    if context.is_reading and not context.is_post:
        return await show_overview(context)
    form = EmailForm(context.form_data)
    has_mail = context.has_mail
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


async def _send(context: MyContext, email: str) -> None:
    await service.email_link(
        context.db, context.page, email, address=context.address, scanned=context.scanned_key
    )
    context.log_access("subscriber link requested", account=context.account.subdomain)


async def open_reading(context: MyContext) -> Response:
    """Open the page for reading, by a link in an email, which is not used up.

    The address with the token is left at once, so that no page is opened from it.
    """
    if context.optional_subscriber is None:
        token = context.path["token"]
        linked = None
        if context.settings.allows(Action.READING):
            linked = await find_linked(
                context.db, context.account_id, token, context.cookies.secret
            )
        if linked is None:
            await service.count_bad_link(context.db, context.address)
            return _show_expired(context)
        context.log_access("subscriber page read", account=context.account.subdomain)
        response = context.redirect(context.url())
        context.cookies.set_reading(response, token, path=context.cookie_path)
    else:
        response = context.redirect(context.url())
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-store"
    return response


async def sign_in_linked(context: MyContext) -> Response:
    """Send a link to the one whose page is shown, so that they can change something."""
    if not context.is_reading:
        return context.redirect(context.url())
    form, status, is_sent = BaseForm(context.form_data), HTTPStatus.OK, False
    if context.is_post and context.has_mail:
        try:
            await _send(context, context.subscriber.email)
            is_sent = True
        except TooManyAttempts as reason:
            form.form_errors.append(wait_text(reason))
            status = HTTPStatus.TOO_MANY_REQUESTS
    return context.render(
        "subscriber_pages/sign_in_linked.html",
        status=status,
        form=form,
        is_sent=is_sent,
        has_mail=context.has_mail,
        email=masked_email(context.subscriber.email),
    )


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
    response = context.redirect(context.url(key=context.scanned_key))
    context.cookies.set_subscriber(response, session, path=context.cookie_path)
    context.cookies.clear_reading(response, path=context.cookie_path)
    return response


def _show_expired(context: MyContext) -> Response:
    """Ask for the email again, unless the subscriber is signed in already."""
    if context.optional_subscriber is not None:
        return context.redirect(context.url(key=context.scanned_key))
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
        has_mail=context.has_mail,
        is_signed_out=False,
    )


async def sign_out(context: MyContext) -> Response:
    """End the session, and close the page that a link opened for reading."""
    await service.sign_out(context.db, context.account_id, context.token)
    response = context.redirect(context.url(done="signed-out"))
    context.cookies.clear_subscriber(response, path=context.cookie_path)
    context.cookies.clear_reading(response, path=context.cookie_path)
    return response
