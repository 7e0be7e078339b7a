"""The routes of the pages that confirm bulk actions."""

from masthead.model.identity.rights import Right
from masthead.web.bulk import holds, letters, pages
from masthead.web.kit.desk_pages import DeskPages

_CHOSEN = DeskPages("chosen/{list}/", rights=())

BULK_PAGES = (
    _CHOSEN.form("note/", pages.add_note),
    _CHOSEN.form("letter/", letters.send_letters, Right.SEND_LETTERS),
    _CHOSEN.form("hold/", holds.hold, Right.CORRECT),
    _CHOSEN.form("release/", holds.release, Right.CORRECT),
    _CHOSEN.page("download/", pages.download, Right.DOWNLOAD),
)
