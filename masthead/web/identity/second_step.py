"""The second step of signing in: a page that asks for a code, a recovery code, or a passkey."""

from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import Response
from wtforms import HiddenField, StringField
from wtforms.validators import InputRequired

from masthead.model.errors import Invalid, TooManyAttempts
from masthead.model.identity.relying_party import relying_party
from masthead.model.identity.sign_ins import Verified
from masthead.services.identity import second_step as service
from masthead.web.identity.session_start import SECOND_STEP, destination, finish
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm


class SecondStepForm(BaseForm):
    """One of the three is sent, each in its own form. passkey: the browser's answer."""

    code = StringField("Code from your authenticator app", [InputRequired()])
    recovery_code = StringField("Recovery code", [InputRequired()])
    passkey = HiddenField()


async def open_second_step(context: PageContext) -> Response:
    """Ask for the second step, and sign the person in once it is right."""
    token = context.cookies.read_step(context.request)
    pending = await service.find_second_step(context.db, token) if token else None
    if token is None or pending is None:
        return _start_again(context, "Sign in with your password first.")
    form, status, headers = SecondStepForm(context.fields), HTTPStatus.OK, {}
    if context.is_post:
        status = HTTPStatus.BAD_REQUEST
        try:
            verified = await _verify(context, token, form, has_app=bool(pending.factors.app))
            return await finish(context, verified, destination(context))
        except Invalid as reason:
            context.log_refusal("sign-in failed", reason="second step")
            if not reason.field:  # no time or attempts left, or the password has changed
                return _start_again(context, str(reason))
            form.add_error(reason)
            form.code.data = ""  # a code works only once
        except TooManyAttempts as reason:
            context.log_refusal("sign-in failed", reason="too many attempts")
            form.form_errors.append(str(reason))
            status = HTTPStatus.TOO_MANY_REQUESTS
            headers = {"Retry-After": str(reason.retry_after)}
    response = context.render(
        "identity/second_step.html",
        status=status,
        form=form,
        factors=pending.factors,
        party=relying_party(context.web.public_url),
        here=f"{SECOND_STEP}?next={quote(destination(context), safe='/')}",
    )
    response.headers.update(headers)
    return response


async def _verify(
    context: PageContext, token: str, form: SecondStepForm, *, has_app: bool
) -> Verified:
    """The person, identified by the sent form. Raises: Invalid, TooManyAttempts."""
    party = relying_party(context.web.public_url)
    if form.passkey.data and party:
        return await service.finish_by_passkey(
            context.db, token, party, form.passkey.data, post=context.post
        )
    if form.recovery_code.data:
        return await service.finish_by_recovery_code(
            context.db, token, form.recovery_code.data, post=context.post
        )
    if form.code.data:
        return await service.finish_by_code(context.db, token, form.code.data, post=context.post)
    raise Invalid("Type a code.", field="code" if has_app else "recovery_code")


def _start_again(context: PageContext, why: str) -> Response:
    response = context.redirect(
        f"/sign-in/?next={quote(destination(context), safe='/')}", message=why
    )
    context.cookies.clear_step(response)
    return response
