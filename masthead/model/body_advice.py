"""What to send in place of a body that is missing, or that is no JSON object."""

from masthead.model.errors import Invalid
from masthead.model.input_fields import fields_of
from masthead.model.inputs import Body
from masthead.model.types.messages import shown


def empty_body(struct: type[Body]) -> Invalid:
    """The error of a request without its body."""
    return Invalid(
        f"The body is empty; send a JSON object with {_contents(struct)}.", code="invalid_json"
    )


def no_object(struct: type[Body], value: object) -> Invalid:
    """The error of a body that is a list, a text, a number, true, false or null."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        text = (
            "The body is JSON that was encoded twice: a text with an object in it. Send the object."
        )
        return Invalid(text, code="invalid_json")
    if not isinstance(value, list):
        text = f"The body is {shown(value)}; send a JSON object with {_contents(struct)}."
        return Invalid(text, code="invalid_json")
    for name, field in fields_of(struct).items():
        if field.is_required and field.element:
            text = f'The body is a list; send an object with the list in it: `{{"{name}": […]}}`.'
            return Invalid(text, code="invalid_json")
    text = f"The body is a list; send one {struct.noun} a request, as a JSON object with "
    return Invalid(f"{text}{_contents(struct)}. {struct.bulk}".rstrip(), code="invalid_json")


def _contents(struct: type[Body]) -> str:
    """The fields that a body needs, in words; if it needs none, those that it may have."""
    fields = fields_of(struct)
    needed = [f"`{name}`" for name, field in fields.items() if field.is_required]
    if needed:
        return _listed(needed, "and")
    return _listed([f"`{name}`" for name in fields], "or") if fields else "no fields: `{}`"


def _listed(names: list[str], word: str) -> str:
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last
