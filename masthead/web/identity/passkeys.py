"""Passkeys: the options that `passkeys.js` fetches, and the forms that it fills in."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import HiddenField

from masthead.model.errors import Invalid
from masthead.model.identity.relying_party import RelyingParty, relying_party
from masthead.model.ids import new_token
from masthead.model.translations import gettext as _, gettext_noop
from masthead.services.identity import passkeys as service, second_step
from masthead.web.identity.session_start import destination, finish
from masthead.web.identity.sign_in import refuse_sign_in
from masthead.web.identity.two_step import show_codes
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import process_form
from masthead.web.kit.forms import BaseForm, name_field

MISSING = gettext_noop(
    "Your browser sent no passkey. Passkeys need JavaScript; reload the page and try again."
)


class NewPasskeyForm(BaseForm):
    """The name of a new passkey, and the browser's answer."""

    name = name_field("Give the passkey a name, such as the name of the device.")
    answer = HiddenField()


def party_of(context: PageContext) -> RelyingParty:
    """The relying party of this server. Raises: Invalid if it cannot use passkeys."""
    party = relying_party(context.web.public_url)
    if party is None:
        raise Invalid(
            _(
                "Passkeys need an https address with a host name. The operator of this server sets "
                "it in MASTHEAD_PUBLIC_URL."
            )
        )
    return party


def _json(text: str) -> Response:
    return Response(text, media_type="application/json")


async def add_passkey(context: PageContext) -> Response:
    """Ask for a name, and add the passkey that the browser creates."""
    party = party_of(context)
    form = NewPasskeyForm(context.form_data)

    async def save() -> Response:
        if not form.answer.data:
            raise Invalid(_(MISSING))
        codes = await service.add_passkey(
            context.db,
            context.user,
            party,
            answer=form.answer.data,
            name=form.name.data or "",
            session=context.session,
            site=context.site,
        )
        return show_codes(context, codes, message=_("The passkey is added."))

    async def show(status: HTTPStatus) -> Response:
        form.answer.data = ""
        template = "identity/two_step_passkey_new.html"
        return context.render(template, status=status, form=form, party=party)

    return await process_form(context, form, save, show)


async def creation_options(context: PageContext) -> Response:
    """The options for a new passkey, as JSON."""
    options = await service.creation_options(
        context.db, context.user, party_of(context), browser=context.session
    )
    return _json(options)


async def sign_in_options(context: PageContext) -> Response:
    """The options for a sign-in with any passkey and no password, as JSON."""
    browser = new_token()
    response = _json(service.sign_in_options(party_of(context), browser=browser))
    context.cookies.set_step(response, browser)
    return response


async def sign_in(context: PageContext) -> Response:
    """Sign in with a passkey and no password."""
    browser = context.cookies.read_step(context.request)
    answer = context.fields.get("answer")
    try:
        if not browser or not answer:
            raise Invalid(_(MISSING))
        verified = await service.sign_in_by_passkey(
            context.db, party_of(context), str(answer), browser=browser
        )
        return await finish(context, verified, destination(context))
    except Invalid as reason:
        context.log_refusal("sign-in failed", reason="passkey")
        return refuse_sign_in(context, str(reason))


async def second_step_options(context: PageContext) -> Response:
    """The options for the second step with one of the user's passkeys, as JSON."""
    token = context.cookies.read_step(context.request)
    pending = await second_step.find_second_step(context.db, token) if token else None
    if token is None or pending is None:
        return Response(status_code=HTTPStatus.UNAUTHORIZED)
    options = await service.request_options(
        context.db, party_of(context), pending.factors.passkeys, browser=token
    )
    return _json(options)
