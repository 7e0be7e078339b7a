"""Functions have numbers, and code that notes their calls."""

import textwrap
from pathlib import Path
from typing import Any

import pytest

from tools.mutants.functions import PROBE, load_code, prepare_probes, read_numbers

SOURCE = textwrap.dedent('''\
    class Price:
        def net(self):
            """Without VAT."""
            return [each for each in self.parts()]

        def parts(self):
            return [1 / 0]

    def outer():
        def inner():
            return 1
        return inner
''')


def prepare(root: Path, source: str) -> dict[str, int]:
    """The numbers of the functions of a project with one module."""
    file = root / "shop" / "prices.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(source)
    prepare_probes(root, "shop", root / "kept")
    return read_numbers(root / "kept")


def test_functions_keep_their_numbers_if_code_changes(tmp_path: Path) -> None:
    first = prepare(tmp_path, SOURCE)
    assert first == {
        "shop.prices:Price.net": 0,
        "shop.prices:Price.parts": 1,
        "shop.prices:outer": 2,
        "shop.prices:outer.<locals>.inner": 3,
    }
    again = prepare(tmp_path, f"def new():\n    return 1\n\n{SOURCE}")
    assert again == {**first, "shop.prices:new": 4}


def test_probes_note_calls_and_leave_docstrings_and_lines(tmp_path: Path) -> None:
    prepare(tmp_path, SOURCE)
    reached = bytearray(4)
    module: dict[str, Any] = {PROBE: reached, "__name__": "shop.prices"}
    path = tmp_path / "shop" / "prices.py"
    exec(load_code(tmp_path / "kept", path, SOURCE), module)  # noqa: S102 - the source above
    assert reached == bytes(4)
    assert module["Price"].net.__doc__ == "Without VAT."
    module["outer"]()
    assert reached == bytes([0, 0, 1, 0])
    with pytest.raises(ZeroDivisionError) as raised:
        module["Price"]().net()
    assert [each.lineno for each in raised.traceback][-1] == 6
    assert reached == bytes([1, 1, 1, 0])


def test_a_module_that_has_just_changed_has_no_probes(tmp_path: Path) -> None:
    prepare(tmp_path, SOURCE)
    module: dict[str, Any] = {}
    code = load_code(tmp_path / "kept", tmp_path / "shop" / "prices.py", f"{SOURCE}\nA = 1\n")
    exec(code, module)  # noqa: S102 - the source above
    module["outer"]()
    assert module["A"] == 1
