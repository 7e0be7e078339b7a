"""The existing subscribers that an import is compared with do not fill the memory."""

import apsw
import pytest

from masthead.store.imports import kept_subscribers as kept_subscribers
from masthead.store.imports.kept_subscribers import KeptSubscribers

ROWS = 30_000


def test_of_subscribers_with_the_same_key_the_first_one_is_found() -> None:
    kept = KeptSubscribers()
    kept.add([(7, "first"), (-(2**63), "least"), (7, "second"), (2**63 - 1, "most")])
    kept.complete()
    kept.add([(7, "late")])
    assert kept.find([7, -(2**63), 2**63 - 1, 8]) == {
        7: "first",
        -(2**63): "least",
        2**63 - 1: "most",
    }
    assert kept.find([]) == {}


@pytest.mark.parametrize("cache, is_bounded", [(256, True), (64 * 1024, False)])
def test_the_keys_are_on_the_disk(
    monkeypatch: pytest.MonkeyPatch, cache: int, is_bounded: bool
) -> None:
    monkeypatch.setattr(kept_subscribers, "CACHE_KIB", cache)  # a large one is the control
    before = apsw.memory_used()
    kept = KeptSubscribers()
    kept.add((hash((n, "key")), f"{n:032}") for n in range(ROWS))
    kept.complete()
    assert len(kept.find([hash((n, "key")) for n in range(100)])) == 100
    assert (apsw.memory_used() - before < 1024 * 1024) == is_bounded
