"""A person's own pages for two-step sign-in: authenticator app, recovery codes, passkeys."""

from http import HTTPStatus
from urllib.parse import urlsplit

import segno
from starlette.responses import Response
from wtforms import HiddenField, StringField
from wtforms.validators import DataRequired

from masthead.model.errors import Invalid
from masthead.model.identity.recovery_codes import COUNT
from masthead.model.identity.relying_party import relying_party
from masthead.model.identity.totp import is_secret, new_secret, provisioning_uri
from masthead.services.identity import second_factors as service
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm, trimmed

PLACE = "/you/two-step/"


class AppForm(BaseForm):
    """The secret of a new app, and the code that it shows."""

    secret = HiddenField(default=new_secret)
    code = StringField("Code from the app", [DataRequired("Type the code that the app shows.")])


class PasskeyForm(BaseForm):
    """The name of a passkey."""

    name = StringField("Name", [DataRequired("Give the passkey a name.")], [trimmed])


async def show_two_step(context: PageContext) -> Response:
    """Show the person's second factors."""
    return await _overview(context)


async def _overview(context: PageContext, *, problem: str = "") -> Response:
    """The overview. problem: why an action was refused."""
    return context.render(
        "identity/two_step_overview.html",
        status=HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK,
        factors=await service.get_second_factors(context.db, context.user.user_id),
        party=relying_party(context.web.public_url),
        problem=problem,
        most=COUNT,
    )


def show_codes(context: PageContext, codes: list[str], *, message: str) -> Response:
    """Show new recovery codes, only this once; without any, redirect to the overview."""
    if not codes:
        return context.redirect(PLACE, message=message)
    return context.render("identity/two_step_codes.html", codes=codes, done=message)


async def add_app(context: PageContext) -> Response:
    """Show the secret as a QR code, and add the app once it shows the right code."""
    form = AppForm(context.fields if context.is_post else None)
    status = HTTPStatus.OK
    if context.is_post:
        status = HTTPStatus.BAD_REQUEST
        if form.validate():
            try:
                codes = await service.add_app(
                    context.db,
                    context.user,
                    secret=form.secret.data or "",
                    code=form.code.data or "",
                    session=context.session,
                    post=context.post,
                )
            except Invalid as reason:
                form.add_error(reason)
            else:
                return show_codes(context, codes, message="The authenticator app is added.")
    if not is_secret(form.secret.data or ""):  # not one that this page made
        form.secret.data = new_secret()
    host = urlsplit(context.web.public_url).hostname
    uri = provisioning_uri(
        form.secret.data or "", email=context.user.email, issuer=f"masthead ({host})"
    )
    code = segno.make(uri, error="m", micro=False)
    picture = code.svg_data_uri(scale=4, light="white")
    return context.render("identity/two_step_app.html", status=status, form=form, picture=picture)


async def make_codes(context: PageContext) -> Response:
    """Make new recovery codes, and show them only this once."""
    try:
        codes = await service.create_recovery_codes(context.db, context.user, post=context.post)
    except Invalid as reason:
        return await _overview(context, problem=str(reason))
    return show_codes(context, codes, message="Your new recovery codes are ready.")


async def remove_app(context: PageContext) -> Response:
    """Ask, and remove the authenticator app."""
    if not context.is_post:
        return _ask(context, "the authenticator app")
    try:
        await service.remove_app(context.db, context.user, post=context.post)
    except Invalid as reason:
        return await _overview(context, problem=str(reason))
    return context.redirect(PLACE, message="The authenticator app is removed.")


async def edit_passkey(context: PageContext) -> Response:
    """Rename a passkey."""
    known = await service.get_second_factors(context.db, context.user.user_id)
    passkey = service.passkey_of(known, context.path["id"])
    form = PasskeyForm(context.fields if context.is_post else None, {"name": passkey.name})
    if context.is_post and form.validate():
        try:
            await service.rename_passkey(
                context.db, context.user, passkey.id, name=form.name.data or ""
            )
        except Invalid as reason:
            form.add_error(reason)
        else:
            return context.redirect(PLACE, message="The passkey is renamed.")
    status = HTTPStatus.BAD_REQUEST if context.is_post else HTTPStatus.OK
    return context.render(
        "identity/two_step_passkey.html", status=status, form=form, passkey=passkey
    )


async def remove_passkey(context: PageContext) -> Response:
    """Ask, and remove a passkey."""
    id = context.path["id"]
    if not context.is_post:
        known = await service.get_second_factors(context.db, context.user.user_id)
        return _ask(context, f"the passkey “{service.passkey_of(known, id).name}”")
    try:
        await service.remove_passkey(context.db, context.user, id, post=context.post)
    except Invalid as reason:
        return await _overview(context, problem=str(reason))
    return context.redirect(PLACE, message="The passkey is removed.")


def _ask(context: PageContext, noun: str) -> Response:
    return context.render("identity/two_step_remove.html", noun=noun)
