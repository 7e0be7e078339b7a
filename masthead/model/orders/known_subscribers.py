"""Find the subscribers that an order may be for, and tell which are likely the same person."""

import re
from collections.abc import Callable, Collection, Sequence

from msgspec import Struct

from masthead.model.dispatch.postal.seen_addresses import comparable
from masthead.model.errors import Invalid
from masthead.model.subscribers.for_others import ForOthers
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.email_addresses import email_key
from masthead.model.types.enums import LabelledEnum, Medium, SubscriptionType
from masthead.model.types.full_names import full_name
from masthead.model.types.postal_fields import PersonFields
from masthead.model.types.text import fold

_NOT_WORDS = re.compile(r"[\W_]+")


class Likeness(LabelledEnum):
    """Why a subscriber is likely the same one."""

    EMAIL = "email", gettext_noop("same email")
    PHONE = "phone", gettext_noop("same phone")
    NAME = "name", gettext_noop("same name and postcode")  # for a giver, the name alone
    STREET = "street", gettext_noop("same name and street")


class KnownSubscriber(PersonFields, frozen=True, kw_only=True):
    """A subscriber with their newest address, or else their own. email: None if they have none.

    subscription_count: several copies for one address count as one.
    type, medium, start_issue, last_issue: of the newest subscription that runs, or else the newest.
    is_past_due: whether all of their subscriptions that go on are past due. for_others: for how
    many subscriptions of others they pay.
    """

    id: str
    email: str | None
    phone: str | None
    subscription_count: int
    type: SubscriptionType | None = None
    medium: Medium | None = None
    start_issue: int | None = None
    last_issue: int | None = None
    has_active_subscription: bool = False
    is_past_due: bool = False
    for_others: ForOthers = ForOthers()
    likeness: tuple[Likeness, ...] = ()

    @property
    def name(self) -> str:
        """The name to show."""
        return full_name(self.first_name, self.last_name, self.company, self.email or "")


class NamedPerson(Struct, frozen=True, kw_only=True):
    """The subscriber or the giver of an order, as they were typed."""

    first_name: str | None = None
    last_name: str | None = None
    company: str | None = None
    email: str | None = None
    phone: str | None = None
    postcode: str | None = None
    address1: str | None = None
    country: str | None = None

    @property
    def name_key(self) -> str:
        """The name in the form in which names are compared; that of the company without one."""
        return name_key(self.first_name, self.last_name) or name_key(self.company)

    @property
    def email_key(self) -> str | None:
        """The email in the form in which emails are compared."""
        return email_key(self.email) if self.email else None


def name_key(*parts: str | None) -> str:
    """A name without case, accents and punctuation, its words in alphabetical order.

    `Müller, Anna` and `anna muller` are the same.
    """
    return " ".join(sorted(_NOT_WORDS.sub(" ", fold(" ".join(filter(None, parts)))).split()))


def postcode_key(postcode: str | None) -> str:
    """A postcode without case and blanks: `SW1A 1AA` and `sw1a1aa` are the same."""
    return _NOT_WORDS.sub("", fold(postcode or ""))


def name_terms(person: NamedPerson) -> list[str]:
    """The terms to search for subscribers with the same name and postcode; empty if one is missing.

    A postcode is searched for in two parts, because it may have been typed with a blank.
    """
    name, postcode = person.name_key, postcode_key(person.postcode)
    return [*name.split(), postcode[:3], postcode[-3:]] if name and postcode else []


def family_terms(person: NamedPerson) -> list[str]:
    """The terms to search for subscribers with the same family name, or else the same company."""
    return (name_key(person.last_name) or name_key(person.company)).split()


def street_terms(person: NamedPerson) -> list[str]:
    """The terms to search for subscribers with the same name and street; empty if one is missing.

    A street is searched for by its first letters, because the rest has several spellings.
    """
    name = person.name_key
    words = _NOT_WORDS.sub(" ", fold(person.address1 or "")).split()
    street = next((word for word in words if word.isalpha()), "")
    return [*name.split(), street[:3]] if name and street else []


def street_key(*lines: str | None) -> str:
    """A street in the form in which streets are compared; empty without a number or a PO box.

    A place without a number is often one for many: a village, or an institution.
    """
    text = comparable(" ".join(filter(None, lines)))
    return text if any(character.isdigit() for character in text) else ""


class LikelyDuplicates(Invalid):
    """The order would make a second record of a subscriber, or use the record of another one.

    subscribers: who is likely the same. is_giver: whether it is about the giver of a gift.
    answer: the field that says that it is none of them.
    """

    def __init__(
        self,
        message: str,
        subscribers: Sequence[KnownSubscriber],
        *,
        is_giver: bool,
        answer: str = "",
    ) -> None:
        field = answer or ("new_giver" if is_giver else "new_subscriber")
        super().__init__(message, code="likely_duplicates", field=field)
        self.subscribers = subscribers
        self.is_giver = is_giver


class LikelyPayers(LikelyDuplicates):
    """The order would make a second record of a payer."""

    def __init__(self, message: str, subscribers: Sequence[KnownSubscriber]) -> None:
        super().__init__(message, subscribers, is_giver=False, answer="new_payer")


def choose_known(
    found: Sequence[KnownSubscriber],
    person: NamedPerson,
    answer: str | None,
    *,
    question: str,
    refuse: Callable[[str, Sequence[KnownSubscriber]], LikelyDuplicates],
) -> KnownSubscriber | None:
    """The subscriber with the email and the name of a person; None for a new one.

    found: who is likely the same. answer: as for `unanswered`. refuse: makes the error that the
    question, or another name with the same email, is raised as. Raises: LikelyDuplicates.
    """
    owner = next((each for each in found if Likeness.EMAIL in each.likeness), None)
    if owner is not None:
        names = name_key(owner.first_name, owner.last_name), name_key(owner.company)
        if person.name_key in (*names, ""):
            return owner
        text = _("{email} is the email of {name}. Use that subscriber, or type another email.")
        raise refuse(text.format(email=person.email, name=owner.name), [owner])
    if open_ones := unanswered(found, answer):
        raise refuse(question, list(open_ones))
    return None


def unanswered(
    subscribers: Sequence[KnownSubscriber], answer: str | None
) -> Collection[KnownSubscriber]:
    """The subscribers about whom the user has not said that the order is for another one.

    answer: ids separated by commas. Of subscribers with one email, there is only one record, so
    that the answer does not count for them.
    """
    ids = set((answer or "").split(","))
    return [each for each in subscribers if each.id not in ids or Likeness.EMAIL in each.likeness]
