"""From a right password to a session: the second step if needed, then the requested page."""

from urllib.parse import quote

from starlette.responses import Response

from masthead.model.identity.sign_ins import NewSession, Verified
from masthead.services.identity import second_step, sessions
from masthead.web.kit.context import PageContext

SECOND_STEP = "/sign-in/second-step/"
MAX_NEXT = 2_000  # characters of an address


def requested_address(context: PageContext) -> str:
    """The requested address; empty if there is none, or it is too long."""
    asked = str(context.fields.get("next") or context.query.get("next") or "")
    return asked if len(asked) <= MAX_NEXT else ""


def destination(context: PageContext) -> str:
    """The page to open after the sign-in: the requested one, or the desk."""
    asked = requested_address(context)
    return asked if asked.startswith(("/desk/", "/you/", "/help/", "/link/")) else "/desk/"


async def start(
    context: PageContext, verified: Verified, inside: str, *, message: str = ""
) -> Response:
    """Sign in a person whose password was right, or redirect them to their second step.

    Raises: Invalid if the password has changed since.
    """
    if await second_step.needs_second_step(context.db, verified):
        token = await second_step.begin_second_step(context.db, verified)
        response = context.redirect(
            f"{SECOND_STEP}?next={quote(inside, safe='/')}", message=message
        )
        context.cookies.set_step(response, token)
        return response
    return await finish(context, verified, inside, message=message)


async def finish(
    context: PageContext, verified: Verified, inside: str, *, message: str = ""
) -> Response:
    """Sign in a person who has passed every step. Raises: Invalid if one is missing."""
    session = await sessions.begin_session(context.db, verified, context.client, post=context.post)
    context.log_access("signed in", user=verified.email)
    response = await set_session(context, session, inside, message=message)
    if context.cookies.read_step(context.request):
        context.cookies.clear_step(response)
    return response


async def set_session(
    context: PageContext, session: NewSession, inside: str, *, message: str = ""
) -> Response:
    """Give the browser the cookies of a new session, and end the session that it had."""
    before = context.cookies.read_session(context.request)
    if before and context.optional_user:
        await sessions.sign_out(context.db, context.optional_user.user_id, before)
    response = context.redirect(inside, message=message)
    context.cookies.set_session(response, session.token)
    context.cookies.set_device(response, session.device)
    return response
