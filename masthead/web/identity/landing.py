"""The way in: from the address of the server to the desk of an account."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from masthead.model.errors import NotFound
from masthead.services.identity import sessions
from masthead.web.kit.context import PageContext


async def enter(request: Request) -> ASGIApp:
    """`/`: leads a browser to the desk; to a program it is a path like any unknown one."""
    if "text/html" in request.headers.get("Accept", ""):
        return RedirectResponse("/desk/", status_code=303, headers={"Vary": "Accept"})
    unknown: ASGIApp = request.app.router.default
    return unknown


async def lead_back(context: PageContext) -> Response:
    """An address below the desk that is no page: often one without its last slash."""
    path = context.request.url.path
    if not path.endswith("/"):
        return context.go(f"{path}/")
    raise NotFound("page", path)


async def show_help(context: PageContext) -> Response:
    """The words, and the keys."""
    return context.page("help.html")


async def sign_out(context: PageContext) -> Response:
    """End the session of this browser."""
    token = context.cookies.read_session(context.request)
    assert token is not None
    await sessions.sign_out(context.db, context.visitor.user_id, token)
    context.log_access("signed out", user=context.visitor.email)
    response = context.go("/sign-in/", said="You are signed out.")
    context.cookies.end(response)
    return response


async def choose_desk(context: PageContext) -> Response:
    """The desk of the only account, or a choice of them."""
    memberships = context.visitor.memberships
    if len(memberships) == 1:
        return context.go(f"/desk/{memberships[0].subdomain}/")
    return context.page("identity/choose_account.html")
