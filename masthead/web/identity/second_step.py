"""The second step of a sign-in: the page that asks for a code, a recovery code or a passkey."""

from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from starlette.responses import Response
from wtforms import HiddenField, StringField
from wtforms.validators import InputRequired

from masthead.model.errors import Invalid
from masthead.model.identity.relying_party import relying_party
from masthead.model.identity.sign_ins import Verified
from masthead.model.translations import gettext as _
from masthead.services.identity import second_step as service
from masthead.web.identity.session_start import SECOND_STEP, destination, finish
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import process_form
from masthead.web.kit.forms import BaseForm


class SecondStepForm(BaseForm):
    """A code, a recovery code or the browser's answer for a passkey, each in its own HTML form."""

    code = StringField("Code from your authenticator app", [InputRequired()])
    recovery_code = StringField("Recovery code", [InputRequired()])
    passkey = HiddenField()

    def validate(self, extra_validators: Any = None) -> bool:
        """Accept any of the three; the service checks it."""
        return True


async def show_second_step(context: PageContext) -> Response:
    """Ask for the second step, and sign the user in if it is correct."""
    token = context.cookies.read_step(context.request)
    pending = await service.find_second_step(context.db, token) if token else None
    if token is None or pending is None:
        return _start_again(context, _("Sign in with your password first."))
    form = SecondStepForm(context.form_data)

    async def save() -> Response:
        try:
            verified = await _verify(context, token, form, has_app=bool(pending.factors.app))
            return await finish(context, verified, destination(context))
        except Invalid as reason:
            context.log_refusal("sign-in failed", reason="second step")
            if not reason.field:  # no time or attempts left, or the password has changed
                return _start_again(context, str(reason))
            form.code.data = ""  # a code works only once
            raise

    async def show(status: HTTPStatus) -> Response:
        return context.render(
            "identity/second_step.html",
            status=status,
            form=form,
            factors=pending.factors,
            party=relying_party(context.web.public_url),
            here=f"{SECOND_STEP}?next={quote(destination(context), safe='/')}",
        )

    return await process_form(context, form, save, show)


async def _verify(
    context: PageContext, token: str, form: SecondStepForm, *, has_app: bool
) -> Verified:
    """Check the second step that was sent. Raises: Invalid, TooManyAttempts."""
    party = relying_party(context.web.public_url)
    if form.passkey.data and party:
        return await service.finish_by_passkey(
            context.db, token, party, form.passkey.data, site=context.site
        )
    if form.recovery_code.data:
        return await service.finish_by_recovery_code(
            context.db, token, form.recovery_code.data, site=context.site
        )
    if form.code.data:
        return await service.finish_by_code(context.db, token, form.code.data, site=context.site)
    raise Invalid(_("Type a code."), field="code" if has_app else "recovery_code")


def _start_again(context: PageContext, why: str) -> Response:
    response = context.redirect(
        f"/sign-in/?next={quote(destination(context), safe='/')}", message=why
    )
    context.cookies.clear_step(response)
    return response
