"""The base class of all forms, the fields that several forms share, and helpers for both."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, TypeVar, cast

import msgspec
from starlette.datastructures import FormData
from wtforms import (
    EmailField,
    Field,
    Form,
    HiddenField,
    PasswordField,
    SelectField,
    StringField,
    TextAreaField,
)
from wtforms.fields.choices import SelectChoice  # type: ignore[attr-defined]  # stubs are older
from wtforms.validators import DataRequired, InputRequired

from masthead.model.errors import Invalid
from masthead.model.subscribers.greetings import describe_salutation
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.clean_text import one_line, several_lines
from masthead.model.types.enums import LabelledEnum, Salutation
from masthead.model.types.json_texts import decode_json
from masthead.model.types.text import short_text
from masthead.web.kit.idempotency import new_idempotency_key

IDEMPOTENCY_KEY = "idempotency_key"
MAX_FIELD = 100_000  # characters; the longest field holds a record's original values
PASSWORD, TYPE_PASSWORD = gettext_noop("Password"), gettext_noop("Type your password.")
# The messages of WTForms for values that browsers do not send
WTFORMS_MESSAGES = (
    gettext_noop("This field is required."),
    gettext_noop("Not a valid choice."),
    gettext_noop("Not a valid date value."),
    gettext_noop("Not a valid integer value."),
)
T = TypeVar("T")
_NAME = re.compile(r"`(\w+)`")


class BaseForm(Form):
    """A form on a page. Its idempotency key lets it take effect only once, even if it is resent.

    `form_errors` holds the errors that belong to no field; they are shown above the form.
    `error_codes` holds the codes of all errors, for a link to where one can be corrected.

    Labels, choices and messages in the classes of forms are in English. Each form translates them
    into the language of its page; the catalogue finds them by the names of fields and validators.
    """

    idempotency_key = HiddenField(default=new_idempotency_key)

    def __init__(
        self, formdata: FormData | None = None, data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(formdata=formdata, data=data)
        self.form_errors: list[str] = []
        self.error_codes: set[str] = set()
        for field in self:
            if formdata and isinstance(field, StringField) and field.data:
                field.data = _cleaned(field)
            field.label.text = _translated(field.label.text)
            if isinstance(field, SelectField) and field.choices:
                field.choices = choices_of(
                    (each.value, _translated(each.label))
                    for each in cast(list[SelectChoice], field.choices)
                )

    def find_errors(self) -> Sequence[Invalid]:
        """The errors that can be found without the database, besides those of the validators."""
        return ()

    def validate(self, extra_validators: Any = None) -> bool:
        """Add all errors that can be found without the database. Returns: whether none exist."""
        for reason in self._too_long():
            self.add_error(reason)
        if self.errors:
            return False
        super().validate(extra_validators)
        for field in self:
            field.errors = [_translated(each) for each in field.errors]
        for reason in self.find_errors():
            if reason.field not in self.errors:
                self.add_error(reason)
        return not self.errors

    @property
    def wrong_fields(self) -> list[Field]:
        """The fields with an error, in the order of the page; for links to them."""
        return [field for field in self if field.errors and field.id]

    def _too_long(self) -> Iterator[Invalid]:
        """The errors of fields whose text is too long for any field; it is not processed further.

        Passwords are not checked here: their length is limited where they are compared.
        """
        for field in self:
            if isinstance(field.data, str) and not isinstance(field, PasswordField):
                try:
                    short_text(field.name, field.data, MAX_FIELD)
                except Invalid as reason:
                    yield reason

    def _label_of(self, name: str) -> str:
        """The label of a field; messages show it instead of the name in the API."""
        field = self._fields.get(name)
        if field is None:
            return name
        return _("“{label}”").format(label=field.label.text.partition(":")[0])

    def add_error(self, reason: Invalid) -> None:
        """Show an error at the field that it names, or above the form."""
        self.error_codes.add(reason.code)
        message = _NAME.sub(lambda name: self._label_of(name[1]), str(reason)).replace("`", "")
        field = self._fields.get(reason.field)
        if field is None or field.name == IDEMPOTENCY_KEY:
            self.form_errors.append(message)
        else:
            field.errors = [*field.errors, message]


def _cleaned(field: StringField) -> str:
    """The typed text without what cannot be seen; a password and a hidden value stay."""
    text = field.data or ""
    if isinstance(field, PasswordField | HiddenField):
        return text
    return several_lines(text) if isinstance(field, TextAreaField) else one_line(text)


def _translated(text: str) -> str:
    return _(text) if text else ""


FormFactory = Callable[[FormData | None, Mapping[str, Any] | None], BaseForm]


def errors_of(*reads: Callable[[], object]) -> list[Invalid]:
    """What is wrong with the fields of a form. reads: each raises Invalid for what it reads."""
    found = list[Invalid]()
    for read in reads:
        try:
            read()
        except Invalid as reason:
            found.append(reason)
    return found


def incomplete() -> Invalid:
    """The refusal of a form whose hidden fields are not those of its page."""
    return Invalid(_("The form is incomplete. Reload the page and type your changes again."))


def read_hidden(text: str | None, type: type[T]) -> T:
    """The JSON of a hidden field. Raises: Invalid if it was altered."""
    try:
        return decode_json(text or "", type)
    except (msgspec.DecodeError, msgspec.ValidationError):
        raise incomplete() from None


def trimmed(value: str | None) -> str | None:
    """A WTForms filter: the text without surrounding blanks."""
    return value.strip() if value else value


def email_field(missing: str) -> EmailField:
    """A required email address. missing: the message if it is empty."""
    return EmailField("Email address", [DataRequired(missing)], filters=[trimmed])


def name_field(missing: str) -> StringField:
    """A required name. missing: the message if it is empty."""
    return StringField("Name", [DataRequired(missing)], [trimmed])


def password_field(label: str = PASSWORD, missing: str = TYPE_PASSWORD) -> PasswordField:
    """A required password. missing: the message if it is empty."""
    return PasswordField(label, [InputRequired(missing)])


def salutation_choices() -> list[Any]:
    """The salutations in words, with a blank one first."""
    return choices_of(
        [("", _("None")), *((each.value, describe_salutation(each)) for each in Salutation)]
    )


class AddressFields(Form):
    """The name, the address and the notes of a subscription."""

    first_name = StringField("First name")
    last_name = StringField("Last name")
    company = StringField("Company")
    address1 = StringField("Street and number")
    address2 = StringField("Address, second line")
    city = StringField("Town")
    state = StringField("State or region")
    postcode = StringField("Postcode")
    country = SelectField("Country", validate_choice=False)
    phone = StringField("Phone, with country code")
    notes = TextAreaField("Internal notes")


def submitted_values(form: BaseForm) -> dict[str, Any]:
    """The fields that were filled in, without the idempotency key."""
    return {
        name: value
        for name, value in form.data.items()
        if name != IDEMPOTENCY_KEY and value not in (None, "")
    }


def dump_original_values(fields: Mapping[str, str | None]) -> str:
    """The initial values of a form, as JSON for a hidden field."""
    return msgspec.json.encode(fields).decode()


def load_original_values(text: str | None, names: Collection[str]) -> dict[str, str | None]:
    """The initial values from that hidden field. Raises: Invalid if it was altered."""
    values = read_hidden(text, dict[str, str | None])
    if values.keys() != set(names):
        raise incomplete()
    return values


def merge_changes(
    form: BaseForm,
    original: Mapping[str, str | None],
    changed: Collection[str],
    now: Mapping[str, str | None],
) -> dict[str, str]:
    """Update the form after another user has saved changes.

    Fields that this user changed keep the typed text; the others show the saved value.
    Returns the saved values of the fields that both users changed.
    """
    theirs = [name for name in now if original[name] != now[name]]
    for name in theirs:
        if name not in changed:
            form[name].data = now[name]
    form["was"].data = dump_original_values(now)
    return {name: now[name] or "" for name in theirs if name in changed}


def labels_of(codes: type[LabelledEnum]) -> list[tuple[str, str]]:
    """The values of an enumeration with their labels in English, which forms translate."""
    return [(each.value, each.label) for each in codes]


def choices_of(pairs: Iterable[tuple[str, str]], *, group: str | None = None) -> list[Any]:
    """The choices of a select or radio field, from values and labels.

    group: the heading of these choices in a list with several groups.
    """
    return [SelectChoice(value, label, optgroup=group) for value, label in pairs]


def read_date(field: str, text: str | None) -> date:
    """The typed date. Raises: Invalid, in the words of the page."""
    try:
        return date.fromisoformat((text or "").strip())
    except ValueError:
        raise Invalid(
            _("Type the date like {example}.").format(example="2026-01-15"), field=field
        ) from None
