"""The way in: from the address of the server to the desk of an account."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from masthead.model.errors import NotFound
from masthead.services.identity import sessions
from masthead.web.visit import Visit


async def enter(request: Request) -> ASGIApp:
    """`/`: leads a browser to the desk; to a program it is a path like any unknown one."""
    if "text/html" in request.headers.get("Accept", ""):
        return RedirectResponse("/desk/", status_code=303, headers={"Vary": "Accept"})
    unknown: ASGIApp = request.app.router.default
    return unknown


async def lead_back(visit: Visit) -> Response:
    """An address below the desk that is no page: often one without its last slash."""
    path = visit.request.url.path
    if not path.endswith("/"):
        return visit.go(f"{path}/")
    raise NotFound("page", path)


async def show_help(visit: Visit) -> Response:
    """The words, and the keys."""
    return visit.page("help.html")


async def sign_out(visit: Visit) -> Response:
    """End the session of this browser."""
    token = visit.cookies.read_session(visit.request)
    assert token is not None
    await sessions.sign_out(visit.db, visit.visitor.user_id, token)
    visit.log_access("signed out", user=visit.visitor.email)
    response = visit.go("/sign-in/", said="You are signed out.")
    visit.cookies.end(response)
    return response


async def choose_desk(visit: Visit) -> Response:
    """The desk of the only account, or a choice of them."""
    memberships = visit.visitor.memberships
    if len(memberships) == 1:
        return visit.go(f"/desk/{memberships[0].subdomain}/")
    return visit.page("choose.html")
