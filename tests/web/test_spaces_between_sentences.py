"""Sentences are apart: templates drop the space between a block and the next line.

Pages in all states would show each of them; here, the templates are read.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from masthead.web.kit.rendering import templates

SENTENCE_END = re.compile(r"[.!?:]”?$")
END_IN_EXPRESSION = re.compile(r'^_\(.*[.!?]”?"\)', re.DOTALL)
INLINE_TAGS = re.compile(r"(</?(a|strong|span|bdi|code)\b[^>]*>)+")
BREAKS = {"endmacro", "endblock", "block", "macro", "call", "endcall", "set", "endset", "endfor"}
Item = tuple[str, str, int]  # "data", "block" or "variable"; what it holds; its line


def items_of(source: str) -> Iterator[Item]:
    """The texts, the blocks and the expressions of a template, without the spaces it drops."""
    held: list[str] = []
    for line, kind, value in templates.lex(source):
        if kind == "data":
            yield "data", value, line
        elif kind.endswith("_begin"):
            held = []
        elif kind in ("block_end", "variable_end"):
            yield kind.removesuffix("_end"), "".join(held).strip(), line
        else:
            held.append(value)


def name_of(item: Item) -> str:
    return item[1].partition(" ")[0] if item[0] == "block" else ""


def follows_at_once(items: list[Item]) -> bool:
    """Whether a sentence begins in these items before any space."""
    skipped = 0  # how deep in a branch that excludes the one before
    for item, following in pairwise([*items, ("data", " ", 0)]):
        kind, text, _line = item
        name = name_of(item)
        if skipped or name in ("else", "elif"):
            skipped += (name in ("if", "for") or not skipped) - (name in ("endif", "endfor"))
        elif name in BREAKS:
            return False
        elif name == "trans":
            return following[0] == "variable" or following[1].lstrip()[:1].isupper()
        elif kind == "variable":
            return True
        elif kind == "data" and (rest := INLINE_TAGS.sub("", text, count=1)):
            return rest[0].isupper()
    return False


def glued(source: str) -> list[int]:
    """The lines of a template after whose sentence the next one begins without a space."""
    items = list(items_of(source))
    ends = []
    for at, item in enumerate(items):
        if name_of(item) == "endtrans":
            is_end = bool(SENTENCE_END.search(items[at - 1][1].rstrip()))
        else:
            is_end = item[0] == "variable" and bool(END_IN_EXPRESSION.search(item[1]))
        if is_end and follows_at_once(items[at + 1 :]):
            ends.append(item[2])
    return ends


@pytest.mark.parametrize(
    "source",
    [
        "{% trans %}One.{% endtrans %}\n  {% trans %}Two.{% endtrans %}",
        "{% trans %}One.{% endtrans %}{% if it %}{% trans %}\n  Two.{% endtrans %}{% endif %}",
        "{% if it %}{% trans %}One.{% endtrans %}{% else %}{{ two }}{% endif %}<a>Two.</a>",
        '{{ _("One.") }}{{ _("Two.") }}',
        '{{ _("One.") }}{% if it %}\n  {% trans n %}{{ n }} is one.{% endtrans %}{% endif %}',
    ],
)
def test_sentences_without_a_space_are_found(source: str) -> None:
    assert len(glued(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "{% trans %}One.{% endtrans %} {% trans %}Two.{% endtrans %}",
        "{% if it %}{% trans %}One.{% endtrans %}{% else %}{{ two }}{% endif %}",
        "{% trans %}One.{% endtrans %}</p>\n<p>Two.",
        '{{ _("One.") }}\n  {{ _("Two.") }}',
    ],
)
def test_sentences_with_a_space_are_not_found(source: str) -> None:
    assert glued(source) == []


def test_there_is_a_space_between_the_sentences_of_each_template() -> None:
    loader = templates.loader
    assert loader is not None
    found = []
    for name in loader.list_templates():
        source, _path, _is_current = loader.get_source(templates, name)
        found += [f"{name}:{line}" for line in glued(source)]
    assert found == []
