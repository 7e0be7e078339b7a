"""No text is expensive to process at any input of the service."""

import time

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from masthead.model.errors import MastheadError
from masthead.model.input_fields import fields_of
from masthead.model.inputs import Change, Creation, Query
from masthead.model.types.text import MAX_LIST, MAX_LONG_TEXT
from tests.support.protections import PROTECTIONS
from tests.support.rounds import rounds
from tests.support.text_inputs import (
    COMBINING_MARKS,
    INPUTS,
    LONG_TEXTS,
    MIB,
    LongText,
    TextInput,
    structs_of,
)

BOUND = 1.0  # seconds of processor time; a machine of 2026 needs a tenth of it
WITHOUT = 2 * 36_000  # bytes of marks that take seconds without the limits
EXAMPLES = [
    COMBINING_MARKS.text(),
    "\uff9e\u0301" * 5_000,
    "[]," * (MIB // 3),
    "{}," * (MIB // 3),
    "1e308," * (MIB // 6),
    '"[",' * (MIB // 4),
    '\\"' * (MIB // 2),
    "last_name" * (MIB // 9),
    "a-" * (MIB // 2),
    "\n" * MIB,
]


def cost(text_input: TextInput, text: str) -> float:
    """Seconds of processor time that a text takes at an input."""
    sent, message = text_input.encode(text), ""
    began = time.thread_time()
    try:
        text_input.parse(sent)
    except MastheadError as refusal:
        message = str(refusal)
    except ValueError as failure:  # raised for malformed forms and bodies
        assert "its length was not checked" not in str(failure)  # noqa: PT017
    assert len(message) < 2_000
    return time.thread_time() - began


@pytest.mark.parametrize("name", INPUTS)
def test_the_most_expensive_known_texts_are_processed_fast(name: str) -> None:
    for text in EXAMPLES:
        assert cost(INPUTS[name], text) < BOUND, text[:20]


@pytest.mark.fuzz
@settings(
    max_examples=rounds(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.sampled_from(sorted(INPUTS)), LONG_TEXTS)
@example("email key", COMBINING_MARKS)
def test_every_generated_text_is_processed_fast(name: str, recipe: LongText) -> None:
    assert cost(INPUTS[name], recipe.text()) < BOUND


@pytest.mark.slow
@pytest.mark.fuzz
def test_without_the_limits_a_text_is_slow_to_process(monkeypatch: pytest.MonkeyPatch) -> None:
    for replacement in PROTECTIONS["cost of texts"]:
        monkeypatch.setattr(*replacement)
    assert cost(INPUTS["email key"], COMBINING_MARKS._replace(size=WITHOUT).text()) > BOUND


@pytest.mark.parametrize("struct", [*structs_of(Creation), *structs_of(Change), *structs_of(Query)])
def test_every_text_field_has_a_limit(struct: type) -> None:
    limits = {
        field.max_length
        for field in fields_of(struct).values()
        if isinstance(field.kind, type) and issubclass(field.kind, str) and field.name != "cursor"
    }
    assert all(limit <= max(MAX_LIST, MAX_LONG_TEXT) for limit in limits)
