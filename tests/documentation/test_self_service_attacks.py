"""docs/self-service-attacks.md names a test for each attack on the page for subscribers."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (\d+) \| .+ \| .+ \| `(\S+)::(\w+)` \|$", re.MULTILINE)


def test_each_attack_has_a_test() -> None:
    page = (ROOT / "docs/self-service-attacks.md").read_text(encoding="utf-8")
    rows = ROW.findall(page)
    assert [int(number) for number, _, _ in rows] == list(range(1, len(rows) + 1))
    assert len(rows) == len(re.findall(r"^\| \d", page, re.MULTILINE))
    assert len(rows) >= 30
    for _number, path, name in rows:
        text = (ROOT / "tests" / path).read_text(encoding="utf-8")
        assert re.search(rf"^(async )?def {name}\(", text, re.MULTILINE), f"{path}::{name}"
