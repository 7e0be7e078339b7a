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
from masthead.web.forms import PaperForm, trimmed
from masthead.web.visit import Visit

PLACE = "/you/two-step/"


class AppForm(PaperForm):
    """The secret of a new app, and the code that it shows."""

    secret = HiddenField(default=new_secret)
    code = StringField("Code from the app", [DataRequired("Type the code that the app shows.")])


class PasskeyForm(PaperForm):
    """The name of a passkey."""

    name = StringField("Name", [DataRequired("Give the passkey a name.")], [trimmed])


async def show_two_step(visit: Visit) -> Response:
    """Show the person's second factors."""
    return await _overview(visit)


async def _overview(visit: Visit, *, problem: str = "") -> Response:
    """The overview. problem: why an action was refused."""
    return visit.page(
        "two_step/overview.html",
        status=HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK,
        factors=await service.get_second_factors(visit.db, visit.visitor.user_id),
        party=relying_party(visit.web.public_url),
        problem=problem,
        most=COUNT,
    )


def show_codes(visit: Visit, codes: list[str], *, said: str) -> Response:
    """Show new recovery codes, only this once; without any, redirect to the overview."""
    if not codes:
        return visit.go(PLACE, said=said)
    return visit.page("two_step/codes.html", codes=codes, done=said)


async def add_app(visit: Visit) -> Response:
    """Show the secret as a QR code, and add the app once it shows the right code."""
    form = AppForm(visit.fields if visit.is_post else None)
    status = HTTPStatus.OK
    if visit.is_post:
        status = HTTPStatus.BAD_REQUEST
        if form.validate():
            try:
                codes = await service.add_app(
                    visit.db,
                    visit.visitor,
                    secret=form.secret.data or "",
                    code=form.code.data or "",
                    session=visit.session,
                    post=visit.post,
                )
            except Invalid as reason:
                form.refuse(reason)
            else:
                return show_codes(visit, codes, said="The authenticator app is added.")
    if not is_secret(form.secret.data or ""):  # not one that this page made
        form.secret.data = new_secret()
    host = urlsplit(visit.web.public_url).hostname
    uri = provisioning_uri(
        form.secret.data or "", email=visit.visitor.email, issuer=f"masthead ({host})"
    )
    code = segno.make(uri, error="m", micro=False)
    picture = code.svg_data_uri(scale=4, light="white")
    return visit.page("two_step/app.html", status=status, form=form, picture=picture)


async def make_codes(visit: Visit) -> Response:
    """Make new recovery codes, and show them only this once."""
    try:
        codes = await service.make_recovery_codes(visit.db, visit.visitor, post=visit.post)
    except Invalid as reason:
        return await _overview(visit, problem=str(reason))
    return show_codes(visit, codes, said="Your new recovery codes are ready.")


async def remove_app(visit: Visit) -> Response:
    """Ask, and remove the authenticator app."""
    if not visit.is_post:
        return _ask(visit, "the authenticator app")
    try:
        await service.remove_app(visit.db, visit.visitor, post=visit.post)
    except Invalid as reason:
        return await _overview(visit, problem=str(reason))
    return visit.go(PLACE, said="The authenticator app is removed.")


async def edit_passkey(visit: Visit) -> Response:
    """Rename a passkey."""
    known = await service.get_second_factors(visit.db, visit.visitor.user_id)
    passkey = service.passkey_of(known, visit.path["id"])
    form = PasskeyForm(visit.fields if visit.is_post else None, {"name": passkey.name})
    if visit.is_post and form.validate():
        try:
            await service.rename_passkey(
                visit.db, visit.visitor, passkey.id, name=form.name.data or ""
            )
        except Invalid as reason:
            form.refuse(reason)
        else:
            return visit.go(PLACE, said="The passkey is renamed.")
    status = HTTPStatus.BAD_REQUEST if visit.is_post else HTTPStatus.OK
    return visit.page("two_step/passkey.html", status=status, form=form, passkey=passkey)


async def remove_passkey(visit: Visit) -> Response:
    """Ask, and remove a passkey."""
    id = visit.path["id"]
    if not visit.is_post:
        known = await service.get_second_factors(visit.db, visit.visitor.user_id)
        return _ask(visit, f"the passkey “{service.passkey_of(known, id).name}”")
    try:
        await service.remove_passkey(visit.db, visit.visitor, id, post=visit.post)
    except Invalid as reason:
        return await _overview(visit, problem=str(reason))
    return visit.go(PLACE, said="The passkey is removed.")


def _ask(visit: Visit, noun: str) -> Response:
    return visit.page("two_step/remove.html", noun=noun)
