"""Passkeys in a browser: the options that `passkeys.js` fetches, and the forms that it fills in."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import HiddenField, StringField
from wtforms.validators import DataRequired

from masthead.model.errors import Invalid
from masthead.model.identity.relying_party import RelyingParty, relying_party
from masthead.model.ids import new_token
from masthead.services.identity import passkeys as service
from masthead.services.identity import second_step
from masthead.web.forms import PaperForm, trimmed
from masthead.web.session_start import destination, finish
from masthead.web.signing_in import refuse_sign_in
from masthead.web.two_step import show_codes
from masthead.web.visit import Visit

MISSING = "Your browser sent no passkey. Passkeys need JavaScript; reload the page and try again."


class NewPasskeyForm(PaperForm):
    """The name of a new passkey, and the browser's answer."""

    name = StringField(
        "Name",
        [DataRequired("Give the passkey a name, such as the name of the device.")],
        [trimmed],
    )
    answer = HiddenField()


def party_of(visit: Visit) -> RelyingParty:
    """The relying party of this server. Raises: Invalid if it cannot have passkeys."""
    party = relying_party(visit.web.public_url)
    if party is None:
        raise Invalid(
            "Passkeys need an https address with a host name. The operator of this server sets it "
            "in MASTHEAD_PUBLIC_URL."
        )
    return party


def _json(text: str) -> Response:
    return Response(text, media_type="application/json")


async def add_passkey(visit: Visit) -> Response:
    """Ask for a name, and add the passkey that the browser makes."""
    party = party_of(visit)
    form = NewPasskeyForm(visit.fields if visit.is_post else None)
    status = HTTPStatus.OK
    if visit.is_post:
        status = HTTPStatus.BAD_REQUEST
        if form.validate():
            try:
                if not form.answer.data:
                    raise Invalid(MISSING)
                codes = await service.add_passkey(
                    visit.db,
                    visit.visitor,
                    party,
                    answer=form.answer.data,
                    name=form.name.data or "",
                    session=visit.session,
                    post=visit.post,
                )
            except Invalid as reason:
                form.refuse(reason)
            else:
                return show_codes(visit, codes, said="The passkey is added.")
        form.answer.data = ""
    return visit.page("two_step/passkey_new.html", status=status, form=form, party=party)


async def creation_options(visit: Visit) -> Response:
    """The options for a new passkey, as JSON."""
    options = await service.creation_options(
        visit.db, visit.visitor, party_of(visit), browser=visit.session
    )
    return _json(options)


async def sign_in_options(visit: Visit) -> Response:
    """The options for a sign-in with a passkey alone, as JSON; any passkey can be used."""
    browser = new_token()
    response = _json(service.sign_in_options(party_of(visit), browser=browser))
    visit.cookies.begin_step(response, browser)
    return response


async def sign_in(visit: Visit) -> Response:
    """Sign in with a passkey alone."""
    browser = visit.cookies.read_step(visit.request)
    answer = visit.fields.get("answer")
    try:
        if not browser or not answer:
            raise Invalid(MISSING)
        verified = await service.sign_in_by_passkey(
            visit.db, party_of(visit), str(answer), browser=browser
        )
        return await finish(visit, verified, destination(visit))
    except Invalid as reason:
        visit.log_refusal("sign-in failed", reason="passkey")
        return refuse_sign_in(visit, str(reason))


async def second_step_options(visit: Visit) -> Response:
    """The options for the second step by one of the person's passkeys, as JSON."""
    token = visit.cookies.read_step(visit.request)
    pending = await second_step.find_second_step(visit.db, token) if token else None
    if token is None or pending is None:
        return Response(status_code=HTTPStatus.UNAUTHORIZED)
    options = await service.request_options(
        visit.db, party_of(visit), pending.factors.passkeys, browser=token
    )
    return _json(options)
