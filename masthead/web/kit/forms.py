"""Forms: what they are made of, and how a refusal from below finds its field."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from starlette.datastructures import FormData
from wtforms import Form, HiddenField, PasswordField
from wtforms.fields.choices import SelectChoice  # type: ignore[attr-defined]  # stubs are older

from masthead.model.errors import Invalid
from masthead.model.types.text import short_text
from masthead.web.kit.idempotency import new_idempotency_key

IDEMPOTENCY_KEY = "idempotency_key"
MAX_FIELD = 100_000  # characters; the longest field holds a record's original values
_NAME = re.compile(r"`(\w+)`")


class BaseForm(Form):
    """A form on a page. It carries a mark, so that it works once however often it is sent.

    refusals: what stands above the form because it belongs to no field.
    """

    idempotency_key = HiddenField(default=new_idempotency_key)

    def __init__(
        self, formdata: FormData | None = None, data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(formdata=formdata, data=data)
        self.form_errors: list[str] = []

    def find_errors(self) -> Sequence[Invalid]:
        """What is wrong with the form as far as it can tell by itself, all of it at once."""
        return ()

    def validate(self, extra_validators: Any = None) -> bool:
        """Mark every field that is wrong; whether none is."""
        for reason in self._too_long():
            self.add_error(reason)
        if self.errors:
            return False
        super().validate(extra_validators)
        for reason in self.find_errors():
            if reason.field not in self.errors:
                self.add_error(reason)
        return not self.errors

    def _too_long(self) -> Iterator[Invalid]:
        """The fields whose text is longer than any field of a form allows.

        Such a text is not processed further. Passwords are limited where they are compared.
        """
        for field in self:
            if isinstance(field.data, str) and not isinstance(field, PasswordField):
                try:
                    short_text(field.name, field.data, MAX_FIELD)
                except Invalid as reason:
                    yield reason

    def _called(self, name: str) -> str:
        """A field's label as a message has it, instead of the API's name for it."""
        field = self._fields.get(name)
        return f"“{field.label.text.partition(':')[0]}”" if field is not None else name

    def add_error(self, reason: Invalid) -> None:
        """Put a refusal at the field that it names, or above the form."""
        message = _NAME.sub(lambda name: self._called(name[1]), str(reason)).replace("`", "")
        field = self._fields.get(reason.field)
        if field is None or field.name == IDEMPOTENCY_KEY:
            self.form_errors.append(message)
        else:
            field.errors = [*field.errors, message]

    @property
    def is_refused(self) -> bool:
        """Whether something has to be put right."""
        return bool(self.errors or self.form_errors)


FormFactory = Callable[[FormData | None, Mapping[str, Any] | None], BaseForm]


def trimmed(value: str | None) -> str | None:
    """A filter for text fields: no blanks around it."""
    return value.strip() if value else value


def submitted_values(form: BaseForm) -> dict[str, Any]:
    """The form's fields without its mark; what was left empty is left out."""
    return {
        name: value
        for name, value in form.data.items()
        if name != IDEMPOTENCY_KEY and value not in (None, "")
    }


def dump_original_values(fields: Mapping[str, str | None]) -> str:
    """A record as a form was filled with it, for a hidden field."""
    return msgspec.json.encode(fields).decode()


def load_original_values(text: str | None, names: Collection[str]) -> dict[str, str | None]:
    """The fields of a snapshot. Raises: Invalid if it is not what the page wrote."""
    try:
        was = msgspec.json.decode(text or "", type=dict[str, str | None])
    except (msgspec.DecodeError, msgspec.ValidationError):
        was = {}
    if was.keys() != set(names):
        raise Invalid("The form is not whole. Load the page anew and type your changes again.")
    return was


def choices_of(pairs: Iterable[tuple[str, str]]) -> list[Any]:
    """What a select field offers: values and what stands there for each."""
    return [SelectChoice(value, label) for value, label in pairs]
