"""The forms of the pages about what carriers report."""

import datetime
from collections.abc import Sequence

from starlette.datastructures import FormData, UploadFile
from wtforms import FileField, RadioField, SelectField, StringField, TextAreaField
from wtforms.fields import DateField
from wtforms.validators import DataRequired, Optional

from masthead.model.errors import Invalid
from masthead.model.imports.encodings import ENCODINGS, encoding_named
from masthead.model.returns.columns import CarrierField
from masthead.model.returns.dates import DateOrder
from masthead.model.returns.report_inputs import MAX_REPORTS, CarrierReportKind
from masthead.model.returns.uploads import UploadKind
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.text import MAX_TEXT
from masthead.web.kit.forms import BaseForm, choices_of, trimmed

KINDS = (
    (UploadKind.SHIPPED.value, gettext_noop("Shipped copies: they become Sent")),
    (UploadKind.RETURNED.value, gettext_noop("Undeliverable copies and new addresses")),
)
REPORTED = (
    (
        CarrierReportKind.UNDELIVERABLE.value,
        gettext_noop("Undeliverable: put the addresses on hold"),
    ),
    (CarrierReportKind.SHIPPED.value, gettext_noop("Shipped: mark the copies as sent")),
    (
        CarrierReportKind.MOVED.value,
        gettext_noop("The subscriber of one copy moved: enter the new address next"),
    ),
)
FIELDS_OF = {
    UploadKind.SHIPPED: (CarrierField.KEY, CarrierField.COPY, CarrierField.DATE),
    UploadKind.RETURNED: tuple(field for field in CarrierField if field is not CarrierField.NAME),
}


class UploadForm(BaseForm):
    """A file of a carrier."""

    kind = RadioField(
        "What is in the file?",
        choices=choices_of(KINDS),
        default=UploadKind.RETURNED.value,
        id="file-kind",  # the page has the kind of another form, too
    )
    file = FileField("File", [DataRequired("Choose a file that is not empty.")])

    def read_file(self, fields: FormData) -> tuple[UploadKind, UploadFile]:
        """The kind and the file. Raises: Invalid."""
        file = fields.get("file")
        if not isinstance(file, UploadFile) or not file.size:
            raise Invalid(_("Choose a file that is not empty."), field="file")
        return UploadKind(self.kind.data), file


class KeysForm(BaseForm):
    """Copy keys that were typed or scanned, and what happened to these copies."""

    keys = TextAreaField(
        "Copy keys, one in each line", [DataRequired("Type or scan at least one copy key.")]
    )
    kind = RadioField(
        "What happened?",
        choices=choices_of(REPORTED),
        default=CarrierReportKind.UNDELIVERABLE.value,
    )
    reason = StringField("Reason, such as “refused”", filters=[trimmed])
    day = DateField("Date", [Optional()])

    def find_errors(self) -> Sequence[Invalid]:
        """The errors in keys and reason."""
        errors = []
        if len(self.list_keys()) > MAX_REPORTS:
            message = _("Type at most {most} copy keys at a time.").format(most=MAX_REPORTS)
            errors.append(Invalid(message, field="keys"))
        if len(self.reason.data or "") > MAX_TEXT:
            message = _("The reason has more than {most} characters.").format(most=MAX_TEXT)
            errors.append(Invalid(message, field="reason"))
        return errors

    def list_keys(self) -> list[str]:
        """The keys, without blank lines."""
        text = (self.keys.data or "").replace(",", "\n").replace(";", "\n")
        return [line.strip()[:MAX_TEXT] for line in text.splitlines() if line.strip()]


class MappingForm(BaseForm):
    """Which column of a file is what. Its fields are named as the fields of `CarrierField`."""

    key = SelectField("Copy key", validate_choice=False)
    copy = SelectField("Copy ID", validate_choice=False)
    date = SelectField("Date", validate_choice=False)
    kind = SelectField("What happened", validate_choice=False)
    reason = SelectField("Reason", validate_choice=False)
    address1 = SelectField("New street", validate_choice=False)
    address2 = SelectField("New extra line", validate_choice=False)
    postcode = SelectField("New postcode", validate_choice=False)
    city = SelectField("New town", validate_choice=False)
    state = SelectField("New state or region", validate_choice=False)
    country = SelectField("New country", validate_choice=False)
    dates = SelectField(
        "Dates such as 03/04/2026",
        choices=choices_of(
            [
                ("", gettext_noop("As the whole column shows")),
                (DateOrder.DAY_FIRST.value, gettext_noop("Day first: 3 April")),
                (DateOrder.MONTH_FIRST.value, gettext_noop("Month first: March 4")),
            ]
        ),
        validate_choice=False,
    )
    day = DateField("Shipped on, for all rows", [Optional()])
    encoding = SelectField("Encoding of a CSV file", validate_choice=False)

    def offer_encodings(self, found: str | None) -> None:
        """Offer all encodings, and select the one that was found unless the user chose one."""
        self.encoding.choices = choices_of((name, _(ENCODINGS[name])) for name in ENCODINGS)
        self.encoding.data = self.encoding.data or found

    def chosen_encoding(self) -> str | None:
        """The encoding that the user chose. Raises: Invalid."""
        return encoding_named(self.encoding.data) if self.encoding.data else None

    def chosen(self, kind: UploadKind) -> dict[CarrierField, str]:
        """The columns that the user chose, by their numbers; empty for a field without one."""
        return {field: self[field.value].data or "" for field in FIELDS_OF[kind]}

    def order(self) -> DateOrder | None:
        """The order of the numbers in dates that the user chose."""
        return next((each for each in DateOrder if each.value == self.dates.data), None)

    def read_day(self) -> datetime.date | None:
        """The date for all rows; None if the file has dates."""
        day: datetime.date | None = self.day.data
        return day
