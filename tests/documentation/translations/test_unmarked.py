"""All texts of templates and forms are marked, so that they are in the catalogues."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from wtforms import RadioField, StringField
from wtforms.validators import DataRequired

from masthead.web import routes
from masthead.web.kit.forms import BaseForm, choices_of
from masthead.web.kit.rendering import WEB
from tests.documentation.translations.unmarked import unmarked_in_form, unmarked_in_template
from tests.support.cases import for_each
from tools import messages

assert routes.ROUTES  # imports all forms
TEMPLATES = sorted((WEB / "templates").rglob("*.html"))
# What a file has that is the same in all languages
SAME_EVERYWHERE = {
    "templates/subscribers/merge.html": {"A", "B"},
    # attributes, which a macro writes
    "templates/macros.html": {'data-prepares="…" download'},
    # values of `data-status` for the style sheet
    "templates/dispatch/parts.html": {"Frozen", "Sent", "Discarded"},
}


@for_each("file", TEMPLATES, ids=lambda file: file.relative_to(WEB).as_posix())
def test_all_texts_of_a_template_are_marked(file: Path) -> None:
    found = unmarked_in_template(file.read_text(encoding="utf-8"))
    assert set(found) == SAME_EVERYWHERE.get(file.relative_to(WEB).as_posix(), set())


def forms_of(kind: type[BaseForm]) -> Iterator[type[BaseForm]]:
    """The forms of the modules; those that a request makes have fields with its data."""
    for each in kind.__subclasses__():
        is_named = getattr(sys.modules[each.__module__], each.__name__, None) is each
        if is_named and each.__module__.startswith("masthead."):
            yield each
        yield from forms_of(each)


def known_texts() -> frozenset[str]:
    return frozenset(
        message.id if isinstance(message.id, str) else message.id[0]
        for message in messages.collect()
        if message.id
    )


def test_all_labels_choices_and_messages_of_forms_are_marked() -> None:
    known, forms = known_texts(), list(forms_of(BaseForm))
    assert len(forms) > 30
    found = {form.__qualname__: list(unmarked_in_form(form, known)) for form in forms}
    assert {name: texts for name, texts in found.items() if texts} == {}


def literal_messages(source: str) -> Iterator[int]:
    """The lines with an `Invalid` or a message of a redirect whose text is not marked."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            given = [keyword.value for keyword in node.keywords if keyword.arg == "message"]
            given += node.args[:1] if name == "Invalid" else []
            yield from (
                value.lineno
                for value in given
                if isinstance(value, ast.JoinedStr)
                or (isinstance(value, ast.Constant) and value.value)
            )


@for_each("file", sorted(WEB.rglob("*.py")), ids=lambda file: file.relative_to(WEB).as_posix())
def test_all_messages_of_pages_are_marked(file: Path) -> None:
    assert list(literal_messages(file.read_text(encoding="utf-8"))) == []


@for_each(
    "source, found",
    [
        ("<p>Subscribers</p>", ["Subscribers"]),
        ('<p>{{ _("Subscribers") }} · {{ name }}</p>', []),
        ("<p>{% trans %}<b>Two</b> copies{% endtrans %}</p>", []),
        ("<p>{% trans n=2 %}one{% pluralize %}{{ n }} copies{% endtrans %}</p>", []),
        ('<p title="Copies">{{ n }}</p>', ['title="Copies"']),
        ('<input placeholder="{{ _("Search") }}" aria-label="{{ label }}">', []),
        ('<img alt="A cover of {{ name }}">', ['alt="A cover of …"']),
        ('<p class="{{ "quiet" if old else "loud" }}">{{ name }}</p>', []),
        ('<p>{{ "on" if old else _("off") }}</p>', ["on……"]),
        ('<p>{{ parts.empty("No subscribers yet.") }}</p>', ["No subscribers yet."]),
        ('<p>{{ parts.empty(_("No subscribers yet."), url("orders", "new")) }}</p>', []),
        ('{{ parts.field(form.name, hint="In words", autocomplete="off") }}', ["In words"]),
        ('{% set title = "Edit" %}', ["Edit"]),
        ("<p>CSV, <code>masthead check</code>, 100 %</p>", []),
        ('<p>{{ "all" if status == "Past due" }}</p>', ["all…"]),
        ('<p>{{ "Sent" | copy_status }} {{ counts["Not sent"] }}</p>', []),
        ('{{ form.name(**{"hx-trigger": "input changed", "title": "In words"}) }}', ["In words"]),
    ],
)
def test_unmarked_texts_of_a_template_are_found(source: str, found: list[str]) -> None:
    assert unmarked_in_template(source) == found


def test_unmarked_texts_of_a_form_are_found() -> None:
    class ControlForm(BaseForm):
        """Marked by the names of its fields, but not in any catalogue."""

        name = StringField("Shoe size", [DataRequired("Type the shoe size.")])
        kind = RadioField("Name", choices=choices_of([("a", "Large"), ("CSV", "CSV")]))

    known = frozenset({"Name"})
    assert list(unmarked_in_form(ControlForm, known)) == [
        "Shoe size",
        "Type the shoe size.",
        "Large",
    ]


def test_unmarked_messages_are_found() -> None:
    lines = ['Invalid("No.")', 'Invalid(_("No."))', 'go(message=f"{x}.")', 'go(message="")']
    assert list(literal_messages("\n".join(lines))) == [1, 3]
