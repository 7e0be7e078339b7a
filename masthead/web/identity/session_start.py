"""Start a session after a correct password: the second step if needed, then a redirect."""

from urllib.parse import quote

from starlette.responses import Response

from masthead.model.identity.sign_ins import NewSession, Verified
from masthead.model.translations import gettext as _, set_language
from masthead.services.identity import second_step, sessions
from masthead.web.kit.context import PageContext

SECOND_STEP = "/sign-in/second-step/"
MAX_NEXT = 2_000  # characters in the address


def requested_address(context: PageContext) -> str:
    """The address to open after the sign-in; empty if there is none, or it is too long."""
    address = str(context.fields.get("next") or context.query.get("next") or "")
    return address if len(address) <= MAX_NEXT else ""


def destination(context: PageContext) -> str:
    """The address to open after the sign-in, if it is one of our pages; otherwise the desk."""
    address = requested_address(context)
    return address if address.startswith(("/desk/", "/you/", "/help/", "/link/")) else "/desk/"


async def start(
    context: PageContext, verified: Verified, location: str, *, message: str = ""
) -> Response:
    """Sign in a user whose password was correct, or redirect them to the second step.

    Raises: Invalid if the password has changed since.
    """
    if await second_step.needs_second_step(context.db, verified):
        token = await second_step.begin_second_step(context.db, verified)
        response = context.redirect(
            f"{SECOND_STEP}?next={quote(location, safe='/')}", message=_(message) if message else ""
        )
        context.cookies.set_step(response, token)
        return response
    return await finish(context, verified, location, message=message)


async def finish(
    context: PageContext, verified: Verified, location: str, *, message: str = ""
) -> Response:
    """Sign in a user who has passed every step. Raises: Invalid if one is missing."""
    session = await sessions.begin_session(context.db, verified, context.client, site=context.site)
    context.log_access("signed in", user=verified.email)
    response = await set_session(context, session, location, message=message)
    if context.cookies.read_step(context.request):
        context.cookies.clear_step(response)
    return response


async def set_session(
    context: PageContext, session: NewSession, location: str, *, message: str = ""
) -> Response:
    """Set the cookies of a new session, and end the session that the browser had before.

    message: to translate, for the next page.
    """
    before = context.cookies.read_session(context.request)
    if before and context.optional_user:
        await sessions.sign_out(context.db, context.optional_user.user_id, before)
    if message:  # in the language of the page that shows it
        signed_in = await sessions.find_signed_in_user(context.db, session.token)
        context.optional_user = signed_in
        set_language(context.locale)
        message = _(message)
    response = context.redirect(location, message=message)
    context.cookies.set_session(response, session.token)
    context.cookies.set_device(response, session.device)
    return response
