"""A signed-in user, their accounts, and what they may see and do in each."""

from datetime import date
from zoneinfo import ZoneInfo

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.identity.rights import Right, Rights, rights_of
from masthead.model.types.enums import Role


class UserAccount(Struct, frozen=True):
    """An account that a user belongs to.

    locale: of the user, or account_locale if the user has chosen none. time_zone: in which pages,
    files and emails show moments. own_rights: if the user has not those of the role.
    """

    account_id: int
    subdomain: str
    name: str
    currency: str
    locale: str
    account_locale: str
    time_zone: str
    role: Role
    is_active: bool
    requires_second_factor: bool
    own_rights: str | None
    is_sandbox: bool

    @property
    def rights(self) -> Rights:
        """What the user may do in the account."""
        return rights_of(self.role, self.own_rights)

    def may(self, *rights: Right) -> bool:
        """Whether the user has all these rights."""
        return self.rights.issuperset(rights)

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the account."""
        return ZoneInfo(self.time_zone)


class AccountMembership(UserAccount, frozen=True):
    """The membership of a user in an account. daily_date: the date of its last daily pass."""

    daily_date: date

    @property
    def sandbox_day(self) -> date | None:
        """The day of its own clock; None for an account that has real time."""
        return self.daily_date if self.is_sandbox else None


class SignedInUser(Struct, frozen=True):
    """A person who is signed in. memberships: by the name of the account.

    is_confirmed: whether they confirmed their identity recently in this session.
    locale: their own choice; None for that of each account.
    """

    user_id: str
    email: str
    full_name: str | None
    has_shortcuts: bool
    locale: str | None
    has_second_factor: bool
    is_confirmed: bool
    memberships: tuple[UserAccount, ...]

    @property
    def shown_name(self) -> str:
        """The name, or else the email address."""
        return self.full_name or self.email

    @property
    def own_locale(self) -> str | None:
        """The locale outside any account: the user's choice, or that of the first account."""
        return self.locale or next((each.locale for each in self.memberships), None)

    @property
    def actor(self) -> Actor:
        """The user as the author of changes."""
        return Actor(kind="user", id=self.user_id)
