"""From a right password to a session: the second step if needed, then the requested page."""

from urllib.parse import quote

from starlette.responses import Response

from masthead.model.identity.sign_ins import NewSession, Verified
from masthead.services.identity import second_step, sessions
from masthead.web.visit import Visit

SECOND_STEP = "/sign-in/second-step/"
MAX_NEXT = 2_000  # characters of an address


def wanted(visit: Visit) -> str:
    """The requested address; empty if there is none, or it is too long."""
    asked = str(visit.fields.get("next") or visit.query.get("next") or "")
    return asked if len(asked) <= MAX_NEXT else ""


def destination(visit: Visit) -> str:
    """The page to open after the sign-in: the requested one, or the desk."""
    asked = wanted(visit)
    return asked if asked.startswith(("/desk/", "/you/", "/help/", "/link/")) else "/desk/"


async def start(visit: Visit, verified: Verified, inside: str, *, said: str = "") -> Response:
    """Sign in a person whose password was right, or redirect them to their second step.

    Raises: Invalid if the password has changed since.
    """
    if await second_step.needs_second_step(visit.db, verified):
        token = await second_step.begin_second_step(visit.db, verified)
        response = visit.go(f"{SECOND_STEP}?next={quote(inside, safe='/')}", said=said)
        visit.cookies.begin_step(response, token)
        return response
    return await finish(visit, verified, inside, said=said)


async def finish(visit: Visit, verified: Verified, inside: str, *, said: str = "") -> Response:
    """Sign in a person who has passed every step. Raises: Invalid if one is missing."""
    session = await sessions.begin_session(visit.db, verified, visit.client, post=visit.post)
    visit.log_access("signed in", user=verified.email)
    response = await let_in(visit, session, inside, said=said)
    if visit.cookies.read_step(visit.request):
        visit.cookies.end_step(response)
    return response


async def let_in(visit: Visit, session: NewSession, inside: str, *, said: str = "") -> Response:
    """Give the browser the cookies of a new session, and end the session that it had."""
    before = visit.cookies.read_session(visit.request)
    if before and visit.known:
        await sessions.sign_out(visit.db, visit.known.user_id, before)
    response = visit.go(inside, said=said)
    visit.cookies.begin(response, session.token)
    visit.cookies.remember(response, session.device)
    return response
