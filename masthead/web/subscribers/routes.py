"""The routes of the pages of subscribers: the list, duplicates, and each subscriber."""

from masthead.model.identity.rights import Right
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.subscribers import duplicates, edit, list_page, merge, notes, subscriber

_SUBSCRIBERS = DeskPages("subscribers/", rights=())
_SUBSCRIBER = DeskPages("subscribers/{id}/", rights=())

SUBSCRIBER_PAGES = (
    _SUBSCRIBERS.page("", list_page.list_subscribers),
    _SUBSCRIBERS.page("suggestions/", list_page.suggest_subscribers),
    _SUBSCRIBERS.page("duplicates/", duplicates.list_duplicates),
    _SUBSCRIBERS.page("duplicates/dismissed/", duplicates.list_dismissed),
    _SUBSCRIBER.page("", subscriber.show_subscriber),
    _SUBSCRIBER.form("edit/", edit.edit_subscriber, Right.CORRECT),
    _SUBSCRIBER.form("notes/", notes.add_note),
    _SUBSCRIBER.confirmation("notes/{note}/delete/", notes.delete_note),
    _SUBSCRIBER.page("merge/", merge.choose_subscriber, Right.CORRECT),
    _SUBSCRIBER.form("merge/{other}/", merge.merge_subscribers, Right.CORRECT),
    _SUBSCRIBER.button("dismiss/{other}/", duplicates.dismiss_pair, Right.CORRECT),
    _SUBSCRIBER.button("restore/{other}/", duplicates.restore_pair, Right.CORRECT),
    _SUBSCRIBER.confirmation("merges/{merge}/undo/", merge.undo_merge, Right.CORRECT),
)
