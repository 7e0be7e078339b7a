"""The form of an address change: the new address, the subscriptions, and from when on."""

from collections.abc import Callable, Sequence
from datetime import date

from wtforms import DateField, HiddenField, RadioField, SelectMultipleField, StringField
from wtforms.validators import Optional

from masthead.model.addresses.changes import NewAddress, require_issues, require_place
from masthead.model.addresses.days import IssueSpan, Release, find_span
from masthead.model.errors import Invalid
from masthead.model.inputs import SubscriptionUpdate, changes
from masthead.model.subscriptions.groups import CopyGroup
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import gettext as _
from masthead.model.types.fields import MAX_NUMBER
from masthead.model.types.text import is_digits
from masthead.model.validation import decode_input, list_refusals
from masthead.services.addresses.requests import ChangeRequest
from masthead.web.kit.forms import AddressFields, BaseForm

FIELDS = NewAddress.__struct_fields__
NOW, FROM, BETWEEN = "now", "from", "between"
FROM_DAY, DAYS = "from_day", "days"


class AddressChangeForm(AddressFields, BaseForm):
    """The new address, the subscriptions that get it, and from when on.

    digest: of the preview that the user saw. groups: the subscriptions that can be chosen; several
    copies for one address are chosen together, by the first one.
    """

    notes = None  # type: ignore[assignment]  # removes the field
    subscriptions = SelectMultipleField("Subscriptions", validate_choice=False)
    when = RadioField("When", default=NOW, validate_choice=False)
    first_issue = StringField("First issue")
    last_issue = StringField("Last issue")
    first_day = DateField("First day", [Optional()])
    last_day = DateField("Last day", [Optional()])
    digest = HiddenField()
    releases: Sequence[Release] = ()
    groups: Sequence[CopyGroup] = ()
    write_day: Callable[[date], str] = date.isoformat

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of each field."""
        found = list_refusals(SubscriptionUpdate, self._typed())
        for name, is_used in (("first_issue", self.is_planned), ("last_issue", self.is_back)):
            try:
                self._number(name, is_used=is_used)
            except Invalid as reason:
                found.append(reason)
        try:
            self.find_span()
        except Invalid as reason:
            found.append(reason)
        if not self.country.data:
            found.append(Invalid(_("The country is missing; it is required."), field="country"))
        if found:
            return found
        try:
            request = self.request()
            require_issues(request.first_issue, request.last_issue)
            require_place(request.address, self._chosen_rows())
        except Invalid as reason:
            return [reason]
        return []

    @property
    def is_planned(self) -> bool:
        """Whether the change begins with an issue."""
        return self.when.data in (FROM, BETWEEN)

    @property
    def is_back(self) -> bool:
        """Whether the change ends with an issue."""
        return bool(self.when.data == BETWEEN)

    def find_span(self) -> IssueSpan | None:
        """The issues of the days; None if the change is not for days. Raises: Invalid."""
        if self.when.data not in (FROM_DAY, DAYS):
            return None
        first, last = self.first_day.data, self.last_day.data
        if first is None:
            raise Invalid(_("Type the first day at the new address."), field="first_day")
        if self.when.data == FROM_DAY:
            last = None
        elif last is None:
            raise Invalid(_("Type the last day at the new address."), field="last_day")
        return find_span(self.releases, first, last, write=self.write_day)

    def field_of(self, reason: Invalid) -> str:
        """The field of an error: that of the day, if the user chose days instead of issues."""
        is_for_days = self.when.data in (FROM_DAY, DAYS)
        return reason.field.replace("_issue", "_day") if is_for_days else reason.field

    def request(self) -> ChangeRequest:
        """The change that the user wants. Raises: Invalid."""
        body = decode_input(SubscriptionUpdate, self._typed())
        span = self.find_span()
        if span is not None:
            first: int | None = span.first.number
            last = span.last.number if span.last else None
            first_day, last_day = self.first_day.data, self.last_day.data if span.last else None
        else:
            first = self._number("first_issue", is_used=self.is_planned)
            last = self._number("last_issue", is_used=self.is_back)
            first_day = last_day = None
        return ChangeRequest(
            subscription_ids=self.chosen_ids(),
            address=NewAddress(**changes(body)),  # type: ignore[arg-type]  # all are texts
            first_issue=first,
            last_issue=last,
            first_day=first_day,
            last_day=last_day,
        )

    def chosen_ids(self) -> list[str]:
        """The chosen subscriptions, with all copies for one address."""
        members = {group.first.id: group.ids for group in self.groups}
        return [id for each in self.subscriptions.data or () for id in members.get(each, [each])]

    def _chosen_rows(self) -> list[StoredSubscription]:
        chosen = set(self.chosen_ids())
        return [row for group in self.groups for row in group.members if row.id in chosen]

    def _typed(self) -> dict[str, str]:
        texts = {name: (self[name].data or "").strip() for name in FIELDS}
        return {name: text for name, text in texts.items() if text}

    def _number(self, name: str, *, is_used: bool) -> int | None:
        """The number of an issue; None if the chosen option does not use it. Raises: Invalid."""
        text = (self[name].data or "").strip()
        if not is_used:
            return None
        if not is_digits(text, at_most=10) or not 0 < int(text) <= MAX_NUMBER:
            raise Invalid(_("Type the number of an issue, such as 21."), field=name, value=text)
        return int(text)
