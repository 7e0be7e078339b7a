"""The forms on the page of a dispatch run."""

from collections.abc import Mapping, Sequence
from datetime import date

from wtforms import SelectField, StringField
from wtforms.validators import DataRequired
from wtforms.widgets import DateInput

from masthead.model.dispatch.built_in_profiles import default_profile, profile_name
from masthead.model.dispatch.profiles import ExportProfile, FileFormat
from masthead.model.errors import Invalid
from masthead.model.inputs import MarkSentDate
from masthead.model.translations import gettext as _
from masthead.model.translations import gettext_noop
from masthead.model.types.text import is_digits
from masthead.model.validation import decode_input
from masthead.web.kit.forms import BaseForm, trimmed

FORMAT_LABELS: Mapping[FileFormat, str] = {
    FileFormat.CSV: gettext_noop("CSV"),
    FileFormat.XLSX: gettext_noop("XLSX (Excel)"),
    FileFormat.PDF: gettext_noop("PDF labels"),
    FileFormat.ZIP: gettext_noop("ZIP: one file for home, Europe and the rest of the world"),
}


class MarkForm(BaseForm):
    """The date on which the copies were sent; it can be empty."""

    date = StringField("Sent on", filters=[trimmed], widget=DateInput())


class FileForm(BaseForm):
    """A format and a profile, as one choice: `csv:mailing-house`.

    first_label: for PDF labels; empty for the one of the profile.
    """

    file = SelectField("File", [DataRequired("Choose a file.")], validate_choice=False)
    first_label = StringField("First label", filters=[trimmed])

    def read_choice(self) -> tuple[FileFormat, str]:
        """The format, and the id of the profile. Raises: Invalid."""
        format, _colon, profile = (self.file.data or "").partition(":")
        if format not in set(FileFormat):
            raise Invalid(_("Choose a file from the list."), field="file")
        return FileFormat(format), profile

    def read_first_label(self) -> int | None:
        """The typed number; None for a file that is not PDF. Raises: Invalid."""
        format, _profile = self.read_choice()
        typed = self.first_label.data or ""
        if not typed or format is not FileFormat.PDF:
            return None
        if not is_digits(typed, at_most=4):
            message = _(
                "First label is “{typed}”. Type a whole number, or nothing for the first label of "
                "the profile."
            )
            raise Invalid(message.format(typed=typed), field="first_label")
        return int(typed)


def read_date(form: MarkForm) -> date | None:
    """The typed date; None if it is empty. Raises: Invalid."""
    body = decode_input(MarkSentDate, {"date": form.date.data or None})
    assert body.date is None or isinstance(body.date, date)
    return body.date


def list_file_choices(
    profiles: Sequence[ExportProfile],
) -> dict[FileFormat, list[tuple[str, str]]]:
    """The choices of `FileForm`, by format: values and labels, own profiles first."""
    ordered = sorted(profiles, key=lambda profile: profile.is_built_in)
    return {
        format: [
            (f"{format.value}:{profile.id}", _label(profile, format))
            for profile in ordered
            if profile.is_active and format in profile.settings.formats
        ]
        for format in FileFormat
    }


def _label(profile: ExportProfile, format: FileFormat) -> str:
    """A choice in words that tell it from all others, also when the list is closed."""
    name = profile_name(profile.name).removesuffix(" (CSV)")
    if format is FileFormat.ZIP:
        return _("{name} – one file per country group (ZIP)").format(name=name)
    return f"{name}: {'PDF' if format is FileFormat.PDF else _(FORMAT_LABELS[format])}"


def find_choice(profiles: Sequence[ExportProfile], profile_id: str) -> str | None:
    """The first choice of `FileForm` for an active profile; None if there is none."""
    for profile in profiles:
        if profile.id == profile_id and profile.is_active:
            return f"{profile.settings.formats[0].value}:{profile.id}"
    return None


def default_choice(home: str | None) -> str:
    """The choice of `FileForm` that is proposed. home: the publisher's country."""
    return f"{FileFormat.CSV.value}:{default_profile(FileFormat.CSV, home).id}"
