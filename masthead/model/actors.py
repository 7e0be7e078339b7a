"""The authors of changes in the audit trail: users, keys of programs, commands and subscribers."""

from typing import Literal

from msgspec import Struct

from masthead.model.identity.rights import ALL_RIGHTS, MissingRight, Right, Rights
from masthead.model.translations import gettext as _, pgettext


class Actor(Struct, frozen=True):
    """The author of a change. id: of the key or user, or the name of the command or of a job.

    rights: what they may do, for services in which it depends on the record; commands may do all.
    """

    kind: Literal["key", "user", "command"]
    id: str
    rights: Rights = ALL_RIGHTS

    def require(self, right: Right) -> None:
        """Raises: MissingRight."""
        if right not in self.rights:
            raise MissingRight([right])


# Subscribers change only what is theirs, so the record of a change says which one it was
BY_SUBSCRIBER = Actor(kind="command", id="self-service")
BY_UNSUBSCRIBE_LINK = Actor(kind="command", id="unsubscribe link")
BY_SUBSCRIBERS = frozenset({BY_SUBSCRIBER.id, BY_UNSUBSCRIBE_LINK.id})


def describe_command(id: str) -> str:
    """The name of a command, or of who else has no user and no key."""
    if id in BY_SUBSCRIBERS:
        return pgettext("who did it", "the subscriber")
    return _("masthead {command}").format(command=id)
