"""The pages between the root URL of the server and the desk of an account."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from masthead.model.errors import PageNotFound
from masthead.model.translations import gettext as _
from masthead.services.identity import sessions
from masthead.web.kit.client_request import ClientRequest, WebDependencies, is_browser
from masthead.web.kit.context import PageContext

SECTIONS = ("/desk", "/help", "/link/", "/my/", "/sign-in", "/sign-out", "/you")  # of pages


async def redirect_to_desk(request: Request) -> ASGIApp:
    """Redirect browsers from `/` to the desk; for other clients the path is unknown.

    At the host name of a page for subscribers, redirect to that page.
    """
    web: WebDependencies = request.app.state.web
    if subdomain := ClientRequest(web, request).own_page:
        return RedirectResponse(f"/my/{subdomain}/", status_code=303)
    if is_browser(request):
        return RedirectResponse("/desk/", status_code=303, headers={"Vary": "Accept"})
    unknown: ASGIApp = request.app.router.default
    return unknown


async def refuse_unknown_path(context: PageContext) -> Response:
    """Redirect to the same path with a slash at its end if that may be a page.

    Raises: PageNotFound.
    """
    path = context.request.url.path
    if path.startswith(SECTIONS) and not path.endswith("/"):
        return context.redirect(f"{path}/")
    raise PageNotFound


async def show_help(context: PageContext) -> Response:
    """Explain the terms and the keyboard shortcuts."""
    return context.render("help.html")


async def sign_out(context: PageContext) -> Response:
    """End the session of this browser."""
    token = context.cookies.read_session(context.request)
    assert token is not None
    await sessions.sign_out(context.db, context.user.user_id, token)
    context.log_access("signed out", user=context.user.email)
    response = context.redirect("/sign-in/", message=_("You are signed out."))
    context.cookies.clear_session(response)
    return response


async def choose_desk(context: PageContext) -> Response:
    """Redirect to the desk of the only account, or let the user choose one."""
    memberships = context.user.memberships
    if len(memberships) == 1:
        return context.redirect(f"/desk/{memberships[0].subdomain}/")
    return context.render("identity/choose_account.html")
