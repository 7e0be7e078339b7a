"""Find texts of templates and forms that no catalogue can have, because they are not marked."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any, cast

from jinja2 import nodes
from wtforms import HiddenField, SelectField
from wtforms.fields.choices import SelectChoice  # type: ignore[attr-defined]  # stubs are older

from masthead.web.kit.forms import BaseForm
from masthead.web.kit.rendering import templates

SHOWN_ATTRIBUTES = ("title", "placeholder", "aria-label", "alt", "data-label")
TECHNICAL_ELEMENTS = ("code", "kbd", "script", "style")
TRANSLATING_FILTERS = ("translated", "copy_status")
GETTEXT = ("_", "gettext", "ngettext", "pgettext")
EXPRESSION = "\ufffc"  # where a template writes a value
# Names that are the same in all languages
NAMES = frozenset("CSV JSON PDF SHA UTC XLSX ZIP API masthead kB MB".split())


def has_words(text: str) -> bool:
    """Whether a text has words that a translator would translate."""
    words = "".join(c if c.isalpha() else " " for c in text).split()
    return any(word not in NAMES for word in words)


class _Texts(HTMLParser):
    """Collects the texts that a page shows."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in TECHNICAL_ELEMENTS:
            self._inside.append(tag)
        for name, value in attrs:
            if name in SHOWN_ATTRIBUTES and has_words(value or ""):
                self.found.append(f'{name}="{value}"')

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if not self._inside and has_words(data):
            self.found.append(data.strip())


def unmarked_in_template(source: str) -> list[str]:
    """The texts of a template that are not marked for translation."""
    parser = _Texts()
    texts: list[str] = []
    arguments: list[str] = []
    _walk(templates.parse(source), texts, arguments)
    parser.feed("".join(texts))
    parser.close()
    return [text.replace(EXPRESSION, "…") for text in [*parser.found, *arguments]]


def _walk(node: nodes.Node, texts: list[str], arguments: list[str]) -> None:
    """Collect the HTML of a template, with its values left out, and texts given to macros."""
    for child in node.iter_child_nodes():
        if isinstance(child, nodes.TemplateData):
            texts.append(child.data)
        elif isinstance(child, nodes.Expr) and isinstance(node, nodes.Output):
            texts.extend(_written(child))
            arguments.extend(_given(child))
        elif isinstance(child, nodes.Expr):
            arguments.extend(_given(child))
        else:
            _walk(child, texts, arguments)


def _written(node: nodes.Node) -> Iterator[str]:
    """The literals that an expression writes, and a mark for each other value."""
    if isinstance(node, nodes.Const):
        yield str(node.value)
    elif isinstance(node, nodes.CondExpr):
        yield from _written(node.expr1)
        yield EXPRESSION
        yield from _written(node.expr2) if node.expr2 else ()
    elif isinstance(node, nodes.Concat):
        for child in node.nodes:
            yield from _written(child)
    else:
        yield EXPRESSION


def _given(node: nodes.Node) -> Iterator[str]:
    """The literals of an expression that look like a text; a page may show them.

    Names of fields, filters and classes begin with a small letter and have no blanks.
    """
    if isinstance(node, nodes.Const):
        text = node.value
        if isinstance(text, str) and has_words(text) and not _is_code(text):
            yield text
    elif isinstance(node, nodes.Pair):
        yield from () if _is_for_scripts(node.key) else _given(node.value)
    elif not _is_translated(node) and not isinstance(
        node, nodes.Compare | nodes.Test | nodes.Getitem
    ):
        for child in node.iter_child_nodes():
            yield from _given(child)


def _is_translated(node: nodes.Node) -> bool:
    """Whether the literals in an expression are marked, or are no texts."""
    if isinstance(node, nodes.Filter):
        return node.name in TRANSLATING_FILTERS
    return isinstance(node, nodes.Call) and _name_of(node.node) in (*GETTEXT, "url", "get")


def _is_code(text: str) -> bool:
    """Whether a text is an address, a name of a class, an id or the value of an attribute."""
    return text.startswith(("/", "-", "?", "#", ".", "{")) or (
        " " not in text.strip() and not text[:1].isupper()
    )


def _is_for_scripts(key: nodes.Expr) -> bool:
    """Whether the value of a pair is an attribute for htmx."""
    return isinstance(key, nodes.Const) and str(key.value).startswith("hx-")


def _name_of(node: nodes.Node) -> str:
    """The name of a function or a method."""
    if isinstance(node, nodes.Getattr):
        return node.attr
    return node.name if isinstance(node, nodes.Name) else ""


def unmarked_in_form(form: type[BaseForm], known: frozenset[str]) -> Iterator[str]:
    """The labels, choices and messages of a form that the catalogue does not know."""
    for field in form():
        if isinstance(field, HiddenField):
            continue
        label = field.label.text
        made_from_name = field.short_name.replace("_", " ").title()  # no page shows it
        texts: list[Any] = [] if label == made_from_name and label not in known else [label]
        texts += [getattr(each, "message", None) or "" for each in field.validators]
        if isinstance(field, SelectField) and field.choices:
            choices = cast(list[SelectChoice], field.choices)
            texts += [each.label for each in choices if each.label != each.value]
        yield from (str(text) for text in texts if has_words(str(text)) and text not in known)
