"""Enumerations with labels for pages."""

import pytest

from masthead.model.audit_entries import EntryType
from masthead.model.letters.outcomes import LetterStatus
from masthead.model.translations import in_language
from masthead.model.types.enums import LabelledEnum


@pytest.mark.parametrize("codes", LabelledEnum.__subclasses__(), ids=str)
def test_every_member_has_a_label(codes: type[LabelledEnum]) -> None:
    assert [each for each in codes if not each.label] == []


def test_a_member_is_found_by_its_value_and_has_words_in_the_language_of_the_page() -> None:
    status = LetterStatus("to_print")
    assert status is LetterStatus.TO_PRINT
    assert (str(status), status.words) == ("to_print", "To be printed")
    with in_language("de"):
        assert status.words == "Zu drucken"


def test_an_event_type_names_the_type_of_its_record() -> None:
    assert EntryType.LETTER_BATCH_PRINT.subject_type == "letter_batch"
