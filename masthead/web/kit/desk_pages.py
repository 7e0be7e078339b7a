"""Declare the pages of an account: each is a page to read, a form, a button, or a file."""

from msgspec import structs

from masthead.model.identity.rights import Right, in_order
from masthead.web.kit.router import Handler, PageAccess, PageRoute

ENDINGS = ("csv", "xlsx")


class DeskPages:
    """Pages of an account whose paths begin alike, and who can open them.

    path: how they begin, after `/desk/{subdomain}/`. rights: which all of them need. A method can
    add `more` rights for one page. access: MEMBER or OWNER.
    """

    def __init__(
        self, path: str, rights: tuple[Right, ...], access: PageAccess = PageAccess.MEMBER
    ) -> None:
        self._path, self._rights, self._access = f"/desk/{{subdomain}}/{path}", rights, access

    def page(self, path: str, handler: Handler, *more: Right) -> PageRoute:
        """A page without a form of its own, or a file. path: what follows the common beginning."""
        return self._route(path, handler, "GET", more)

    def form(self, path: str, handler: Handler, *more: Right, max_file: int = 0) -> PageRoute:
        """A page with a form that is sent to the same path. max_file: as in `PageRoute`."""
        return self._route(path, handler, "GET POST", more, max_file)

    def confirmation(self, path: str, handler: Handler, *more: Right) -> PageRoute:
        """A page that asks before it changes something; its form may have no fields."""
        return structs.replace(self.form(path, handler, *more), is_button=True)

    def change(self, path: str, handler: Handler, *more: Right, max_file: int = 0) -> PageRoute:
        """A change by a form of another page."""
        return self._route(path, handler, "POST", more, max_file)

    def button(self, path: str, handler: Handler, *more: Right) -> PageRoute:
        """A change by a button of another page, whose form may have no fields."""
        return structs.replace(self.change(path, handler, *more), is_button=True)

    def files(self, path: str, handler: Handler, *more: Right) -> tuple[PageRoute, ...]:
        """The files of a table, which need the right to download, too. path: that of its page."""
        needed = (*more, Right.DOWNLOAD)
        return tuple(self.page(f"{path}{ending}/", handler, *needed) for ending in ENDINGS)

    def _route(
        self, path: str, handler: Handler, methods: str, more: tuple[Right, ...], max_file: int = 0
    ) -> PageRoute:
        rights = tuple(in_order({*self._rights, *more}))
        return PageRoute(self._path + path, handler, self._access, methods, max_file, rights)
