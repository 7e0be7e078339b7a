"""The tokens of links that open the page for reading."""

from datetime import UTC, datetime

from masthead.model.ids import new_id
from masthead.model.self_service.reading import read_reading_token, write_reading_token

MOMENT = datetime(2026, 11, 29, 12, 30, tzinfo=UTC)


def test_a_token_says_whose_it_is_and_when_it_was_written() -> None:
    id = new_id(1)
    token = write_reading_token(b"secret", 1, id, MOMENT, "digest")
    read = read_reading_token(token)
    assert read is not None
    assert (read.subscriber_id, read.written_at) == (id, MOMENT)
    assert read.is_signed(b"secret", 1, "digest")
    assert not read.is_signed(b"secret", 1, "other")
    assert not read.is_signed(b"other", 1, "digest")


def test_what_is_no_token_is_not_read() -> None:
    id = new_id(1)
    token = write_reading_token(b"secret", 1, id, MOMENT, "digest")
    assert read_reading_token("") is None
    assert read_reading_token(token[1:]) is None
    assert read_reading_token(f"{token[:-1]}é") is None
    assert read_reading_token(token.replace(id, f"{id}x")[:-1]) is None
    moment = token[len(id) : -32]
    assert read_reading_token(token.replace(moment, "z" * len(moment))) is None
    assert read_reading_token(token.replace(moment, "f" * len(moment))) is not None
