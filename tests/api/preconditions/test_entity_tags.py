"""The header `If-None-Match`: a list of tags, and what matches."""

from hypothesis import given, strategies as st

from masthead.api.http.request import HttpRequest
from masthead.api.preconditions.entity_tags import Condition, entity_tag, read_if_none_match
from masthead.serving.requests import ActiveRequests
from tests.support.cases import for_each

MALFORMED = [b"", b"a", b"'a'", b'"a', b'a"', b'"a" "b"', b'w/"a"', b'"a", b', b'*, "a"', b'"a b"']


def request_with(name: bytes, *values: bytes) -> HttpRequest:
    """A request with these headers of one name."""

    async def unused(*_: object) -> None:
        raise AssertionError

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/v1/issues/",
        "query_string": b"",
        "headers": [(name, value) for value in values],
        "scheme": "http",
        "http_version": "1.1",
    }
    return HttpRequest(scope, unused, unused, ActiveRequests(1))  # type: ignore[arg-type]


def if_none_match(*values: bytes) -> Condition | None:
    """What a GET request says that it has."""
    return read_if_none_match(values)


@for_each(
    "values",
    [
        (b'"a"',),
        (b'"b", "a"',),
        (b'"b","a"',),
        (b' ,, "b" ,\t"a" , ',),
        (b'"b"', b'"a"'),
        (b'"x,y", "a"',),
        (b"*",),
        (b" * ",),
    ],
    ids=str,
)
def test_a_list_names_each_of_its_tags(values: tuple[bytes, ...]) -> None:
    condition = if_none_match(*values)
    assert condition is not None
    assert condition.matches(b'"a"')
    assert condition.matches(b'"c"') is condition.is_any


def test_weak_tags_match_for_reading() -> None:
    condition = if_none_match(b'W/"a", "b"')
    assert condition is not None
    assert condition.matches(b'"a"')


def test_without_the_header_there_is_no_condition() -> None:
    assert if_none_match() is None


@for_each("value", MALFORMED)
def test_malformed_lists_are_ignored_for_reading(value: bytes) -> None:
    assert if_none_match(value) is None


@given(st.binary(max_size=200))
def test_any_bytes_are_a_condition_or_none(value: bytes) -> None:
    condition = if_none_match(value)
    assert condition is None or all(value.count(tag) for tag in condition.tags)


def test_a_long_list_takes_no_longer_than_its_length() -> None:
    assert if_none_match(b'"a" , ' * 5_000 + b"x") is None
    assert if_none_match(b'"a"' + b" ," * 15_000 + b"x") is None


@given(st.binary(), st.binary())
def test_two_bodies_have_the_same_tag_only_if_they_are_equal(one: bytes, other: bytes) -> None:
    assert (entity_tag(one) == entity_tag(other)) is (one == other)
    assert entity_tag(one) == entity_tag(bytes(one))
