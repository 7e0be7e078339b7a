"""The pages for two-step sign-in: authenticator app, recovery codes and passkeys."""

from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.responses import Response
from wtforms import HiddenField, StringField
from wtforms.validators import DataRequired

from masthead.lazy_modules import LazyModule
from masthead.model.errors import Invalid
from masthead.model.identity.recovery_codes import COUNT
from masthead.model.identity.relying_party import relying_party
from masthead.model.identity.totp import is_secret, new_secret, provisioning_uri
from masthead.model.translations import gettext as _
from masthead.services.identity import second_factors as service
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import process_form
from masthead.web.kit.forms import BaseForm, name_field

if TYPE_CHECKING:
    import segno
else:
    segno = LazyModule("segno")


TWO_STEP = "/you/two-step/"


class AppForm(BaseForm):
    """The secret of a new authenticator app, and the code that the app shows."""

    secret = HiddenField(default=new_secret)
    code = StringField("Code from the app", [DataRequired("Type the code that the app shows.")])


class PasskeyForm(BaseForm):
    """The name of a passkey."""

    name = name_field("Give the passkey a name.")


async def show_two_step(context: PageContext) -> Response:
    """Show the second factors of the user."""
    return await _overview(context)


async def _overview(context: PageContext, *, problem: str = "") -> Response:
    """Show the overview. problem: why an action was refused."""
    return context.render(
        "identity/two_step_overview.html",
        factors=await service.get_second_factors(context.db, context.user.user_id),
        party=relying_party(context.web.public_url),
        problem=problem,
        most=COUNT,
    )


def show_codes(context: PageContext, codes: list[str], *, message: str) -> Response:
    """Show new recovery codes, only once. If there are none, redirect to the overview."""
    if not codes:
        return context.redirect(TWO_STEP, message=message)
    return context.render("identity/two_step_codes.html", codes=codes, done=message)


async def add_app(context: PageContext) -> Response:
    """Show the secret as a QR code, and add the app if it shows the right code."""
    form = AppForm(context.form_data)

    async def save() -> Response:
        codes = await service.add_app(
            context.db,
            context.user,
            secret=form.secret.data or "",
            code=form.code.data or "",
            session=context.session,
            site=context.site,
        )
        return show_codes(context, codes, message=_("The authenticator app is added."))

    async def show(status: HTTPStatus) -> Response:
        if not is_secret(form.secret.data or ""):  # this page did not create it
            form.secret.data = new_secret()
        picture = _qr_code(context, form.secret.data or "")
        template = "identity/two_step_app.html"
        return context.render(template, status=status, form=form, picture=picture)

    return await process_form(context, form, save, show)


def _qr_code(context: PageContext, secret: str) -> str:
    """The secret of an app as a picture in a `data:` URL."""
    host = urlsplit(context.web.public_url).hostname
    uri = provisioning_uri(secret, email=context.user.email, issuer=f"masthead ({host})")
    return str(segno.make(uri, error="m", micro=False).svg_data_uri(scale=4, light="white"))


async def make_codes(context: PageContext) -> Response:
    """Create new recovery codes and show them; they are shown only once."""
    try:
        codes = await service.create_recovery_codes(context.db, context.user, site=context.site)
    except Invalid as reason:
        return await _overview(context, problem=str(reason))
    return show_codes(context, codes, message=_("Your new recovery codes are ready."))


async def remove_app(context: PageContext) -> Response:
    """Remove the authenticator app, after a confirmation."""
    if not context.is_post:
        return _confirm(context, _("Remove the authenticator app"))
    try:
        await service.remove_app(context.db, context.user, site=context.site)
    except Invalid as reason:
        return await _overview(context, problem=str(reason))
    return context.redirect(TWO_STEP, message=_("The authenticator app is removed."))


async def edit_passkey(context: PageContext) -> Response:
    """Rename a passkey."""
    factors = await service.get_second_factors(context.db, context.user.user_id)
    passkey = service.passkey_of(factors, context.path["id"])
    form = PasskeyForm(context.form_data, {"name": passkey.name})

    async def save() -> Response:
        name = form.name.data or ""
        await service.rename_passkey(context.db, context.user, passkey.id, name=name)
        return context.redirect(TWO_STEP, message=_("The passkey is renamed."))

    async def show(status: HTTPStatus) -> Response:
        template = "identity/two_step_passkey.html"
        return context.render(template, status=status, form=form, passkey=passkey)

    return await process_form(context, form, save, show)


async def remove_passkey(context: PageContext) -> Response:
    """Remove a passkey, after a confirmation."""
    id = context.path["id"]
    if not context.is_post:
        factors = await service.get_second_factors(context.db, context.user.user_id)
        name = service.passkey_of(factors, id).name
        return _confirm(context, _("Remove the passkey “{name}”").format(name=name))
    try:
        await service.remove_passkey(context.db, context.user, id, site=context.site)
    except Invalid as reason:
        return await _overview(context, problem=str(reason))
    return context.redirect(TWO_STEP, message=_("The passkey is removed."))


def _confirm(context: PageContext, title: str) -> Response:
    return context.render("identity/two_step_remove.html", title=title)
