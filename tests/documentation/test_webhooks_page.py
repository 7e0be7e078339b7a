"""The programs in docs/webhooks.md accept the messages of masthead, and no others."""

import re
from datetime import timedelta
from typing import Any

import pytest

from masthead.model.clock import now
from masthead.model.webhooks.signatures import in_force, new_keys, rotate, sign
from tests.support.serving import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
BODY = '{"type": "issue.created", "name": "Frühling"}'.encode()


@pytest.fixture
def blocks() -> list[str]:
    return BLOCK.findall((ROOT / "docs/webhooks.md").read_text(encoding="utf-8"))


def test_the_library_of_the_page_reads_a_message(blocks: list[str]) -> None:
    keys = new_keys()
    names: dict[str, Any] = {"secret": keys.secret, "body": BODY}
    names["headers"] = dict(sign([keys], "1", now(), BODY))
    exec(blocks[0], names)  # noqa: S102 - our own page
    assert names["event"]["name"] == "Frühling"


def test_the_function_of_the_page_checks_the_secret_the_body_and_the_time(
    blocks: list[str],
) -> None:
    names: dict[str, Any] = {}
    exec(blocks[1], names)  # noqa: S102 - our own page
    is_from_masthead = names["is_from_masthead"]
    old, moment = new_keys(), now()
    both = in_force(rotate((old,), moment, timedelta(hours=1)), moment)
    headers = dict(sign(both, "1", moment, BODY))
    for keys in both:
        assert is_from_masthead(BODY, headers, keys.secret)
    assert not is_from_masthead(BODY + b" ", headers, old.secret)
    assert not is_from_masthead(BODY, headers, new_keys().secret)
    assert not is_from_masthead(BODY, {}, old.secret)
    late = dict(sign([old], "1", moment - timedelta(minutes=6), BODY))
    assert not is_from_masthead(BODY, late, old.secret)
