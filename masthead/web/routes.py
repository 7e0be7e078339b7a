"""Every page: where it is, what answers, who may see it. The whole web area on one screen."""

from starlette.routing import Route

from masthead.web import entrance, home
from masthead.web.door import Access, Page, routes_of
from masthead.web.rendering import STATIC_PATH

PAGES: tuple[Page, ...] = (
    Page("/help/", entrance.show_help, Access.ANYONE),
    Page("/sign-out/", entrance.sign_out, Access.PERSON, "POST"),
    Page("/desk/", entrance.choose_desk, Access.PERSON),
    Page("/desk/{subdomain}/", home.show_home, Access.MEMBER),
)

ROUTES = [Route("/", entrance.enter), *routes_of(PAGES), STATIC_PATH]
