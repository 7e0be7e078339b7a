"""The forms on the page of a dispatch run."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from msgspec import Struct
from wtforms import SelectField, StringField
from wtforms.widgets import DateInput

from masthead.model.dispatch.built_in_profiles import default_profile, profile_name
from masthead.model.dispatch.profiles import ExportProfile, FileFormat
from masthead.model.errors import Invalid
from masthead.model.inputs import MarkSentDate
from masthead.model.translations import gettext as _, gettext_noop
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
    """A format and a profile, as one choice of a button: `csv:mailing-house`, or one by one.

    first_label: for PDF labels; empty for the one of the profile.
    """

    file = StringField("File")
    profile = SelectField("Export profile", validate_choice=False)
    format = SelectField("Format", validate_choice=False)
    first_label = StringField("First label", filters=[trimmed])

    def read_choice(self) -> tuple[FileFormat, str]:
        """The format, and the id of the profile. Raises: Invalid."""
        format = self.read_format()
        if format is None:
            raise Invalid(_("Choose a file from the list."), field="format")
        if self.file.data:
            return format, self.file.data.partition(":")[2]
        return format, self.profile.data or ""

    def read_format(self) -> FileFormat | None:
        """The chosen format; None for one that does not exist."""
        chosen = (self.file.data or "").partition(":")[0] or self.format.data
        return FileFormat(chosen) if chosen in set(FileFormat) else None

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


class FileButton(Struct, frozen=True):
    """A button that prepares a file. value: of `FileForm.file`. name: of the profile."""

    format: FileFormat
    value: str
    label: str
    name: str


def list_file_buttons(
    profiles: Sequence[ExportProfile], *, home: str | None, remembered: str
) -> list[FileButton]:
    """The buttons for the usual files: labels, mailing house and Excel, the remembered one first.

    An own profile comes before a built-in one. remembered: the last choice of the browser.
    home: the publisher's country.
    """
    usual = (
        (FileFormat.PDF, _("Labels (PDF)")),
        (FileFormat.CSV, _("For the mailing house (CSV)")),
        (FileFormat.XLSX, _("Excel")),
    )
    buttons = []
    for format, label in usual:
        profile = _usual_profile(profiles, format, home)
        buttons.append(
            FileButton(format, f"{format.value}:{profile.id}", label, profile_name(profile.name))
        )
    kept = next((each for each in buttons if each.value == remembered), None)
    if kept is None and (last := _find_button(profiles, remembered)):
        return [last, *buttons]
    return sorted(buttons, key=lambda each: each is not kept)


def _usual_profile(
    profiles: Sequence[ExportProfile], format: FileFormat, home: str | None
) -> ExportProfile:
    own = (
        each
        for each in profiles
        if each.is_active and not each.is_built_in and format in each.settings.formats
    )
    return next(own, None) or default_profile(format, home)


def _find_button(profiles: Sequence[ExportProfile], value: str) -> FileButton | None:
    """The button of a choice, if there is still such a profile with this format."""
    format, _colon, id = value.partition(":")
    for profile in profiles:
        if profile.id == id and profile.is_active and format in profile.settings.formats:
            kind = FileFormat(format)
            return FileButton(kind, value, _label(profile.name, kind), profile.name)
    return None


def list_profile_choices(profiles: Sequence[ExportProfile]) -> list[tuple[str, str]]:
    """The ids and names of the active profiles, own ones first."""
    ordered = sorted(profiles, key=lambda profile: profile.is_built_in)
    return [(each.id, profile_name(each.name)) for each in ordered if each.is_active]


def downloaded_file(after: Mapping[str, Any]) -> str:
    """The file of an audit entry in the words of its button; its name, if no profile is known."""
    name, profile = str(after.get("file", "")), str(after.get("profile", ""))
    ending = name.rpartition(".")[2]
    return _label(profile, FileFormat(ending)) if profile and ending in set(FileFormat) else name


def _label(profile: str, format: FileFormat) -> str:
    """A choice in words that tell it from all others, even when the list is closed."""
    name = profile_name(profile).removesuffix(" (CSV)")
    if format is FileFormat.ZIP:
        return _("{name} – one file per country group (ZIP)").format(name=name)
    return f"{name}: {'PDF' if format is FileFormat.PDF else _(FORMAT_LABELS[format])}"


def find_choice(profiles: Sequence[ExportProfile], profile_id: str) -> str | None:
    """The first choice of `FileForm` for an active profile; None if there is none."""
    for profile in profiles:
        if profile.id == profile_id and profile.is_active:
            return f"{profile.settings.formats[0].value}:{profile.id}"
    return None
