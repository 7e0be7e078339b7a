"""API keys, and the principal of a request: the account, user, scope and rights of its key."""

from datetime import date, datetime

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.identity.rights import ALL_RIGHTS, Rights, rights_of_stored
from masthead.model.types.enums import Scope


class Principal(Struct, frozen=True):
    """An authenticated API key: its user, its account and its scope.

    own_rights: of a key with chosen rights, user_rights: of such a user; None otherwise.
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
            rights_of_stored(each)
            for each in (self.own_rights, self.user_rights)
            if each is not None
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
    replaced_by: the id of the key that replaced it. own_rights: if they are chosen.
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
