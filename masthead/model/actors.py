"""The authors of changes in the audit trail: API keys, users and commands."""

from datetime import date, datetime
from typing import Literal

from msgspec import Struct

from masthead.model.identity.rights import ALL_RIGHTS, MissingRight, Right, Rights, stored_rights
from masthead.model.translations import gettext as _, pgettext
from masthead.model.types.enums import Scope


class Actor(Struct, frozen=True):
    """The author of a change. id: the id of the key or user, or the name of the command.

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


def describe_command(id: str) -> str:
    """The name of a command, or of who else has no user and no key."""
    if id in (BY_SUBSCRIBER.id, BY_UNSUBSCRIBE_LINK.id):
        return pgettext("who did it", "the subscriber")
    return _("masthead {command}").format(command=id)


class Principal(Struct, frozen=True):
    """An authenticated API key: its user, its account and its scope.

    own_rights: of a narrowed key, user_rights: of a user with chosen rights; None otherwise.
    daily_date: the day of the clock of a sandbox; None for other accounts.
    """

    account_id: int
    key_id: str
    scope: Scope
    email: str
    account_name: str
    subdomain: str
    currency: str
    is_active: bool
    expires_at: datetime | None
    own_rights: str | None = None
    user_rights: str | None = None
    daily_date: date | None = None

    @property
    def rights(self) -> Rights:
        """What the key may do within its scope: no more than its user."""
        chosen = [
            stored_rights(each) for each in (self.own_rights, self.user_rights) if each is not None
        ]
        return ALL_RIGHTS.intersection(*chosen)

    @property
    def actor(self) -> Actor:
        """The key as the author of changes."""
        return Actor(kind="key", id=self.key_id, rights=self.rights)

    @property
    def may_write(self) -> bool:
        """Whether PATCH and POST are allowed."""
        return self.scope is Scope.READ_WRITE


class ApiKey(Struct, frozen=True):
    """An API key, without the secret.

    user: email address of its user. created_by: of the user who created it, None for a command.
    replaced_by: the id of the key that replaced it. own_rights: if it is narrowed.
    """

    id: str
    name: str
    prefix: str
    scope: Scope
    user: str
    created_by: str | None
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None
    replaced_by: str | None
    own_rights: str | None

    def is_active_at(self, moment: datetime) -> bool:
        """Whether requests with the key are accepted."""
        return not self.revoked_at and (self.expires_at is None or self.expires_at > moment)
