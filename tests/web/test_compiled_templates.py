"""Templates are compiled once for all processes."""

import tempfile
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from masthead.web.kit import rendering
from masthead.web.kit.compiled_templates import CompiledTemplates

FEW = ["error.html", "help.html"]


class Compiler(Environment):
    """Counts what it compiles."""

    compiled = 0

    def _generate(self, *arguments: object, **options: object) -> str:
        self.compiled += 1
        return super()._generate(*arguments, **options)  # type: ignore[arg-type]


def compiled_in(folder: Path, source: str) -> int:
    """How many templates a new process compiles to render this one."""
    loader = DictLoader({"page.html": source})
    environment = Compiler(loader=loader, bytecode_cache=CompiledTemplates(str(folder)))
    assert environment.get_template("page.html").render(name="Ada") == source.replace(
        "{{ name }}", "Ada"
    )
    return environment.compiled


def test_a_template_is_compiled_once_and_again_if_it_changes(tmp_path: Path) -> None:
    found = [
        compiled_in(tmp_path, source) for source in ("{{ name }}", "{{ name }}", "{{ name }}!")
    ]
    assert found == [1, 0, 1]


def test_a_damaged_file_is_written_again(tmp_path: Path) -> None:
    compiled_in(tmp_path, "{{ name }}")
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    for length in range(0, len(whole), 5):
        file.write_bytes(whole[:length])  # as after a power cut
        assert compiled_in(tmp_path, "{{ name }}") == 1, length
        assert file.read_bytes() == whole


def test_without_a_folder_each_process_compiles(tmp_path: Path) -> None:
    assert [compiled_in(tmp_path / "missing", "{{ name }}") for _ in range(2)] == [1, 1]
    (tmp_path / "file").write_bytes(b"")  # a folder that cannot be opened
    assert [compiled_in(tmp_path / "file", "{{ name }}") for _ in range(2)] == [1, 1]


async def test_a_worker_compiles_in_another_process_and_loads_nothing_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    worker = Environment(loader=rendering.templates.loader, autoescape=True)
    monkeypatch.setattr(worker, "list_templates", lambda extensions: FEW)
    monkeypatch.setattr(rendering, "templates", worker)
    await rendering.warm_up()
    compiled = worker.bytecode_cache
    assert isinstance(compiled, CompiledTemplates)
    assert compiled.list_missing(worker, FEW) == []
    assert not worker.cache
    monkeypatch.setattr(compiled, "get_source_checksum", str.upper)  # as after an upgrade
    assert compiled.list_missing(worker, FEW) == FEW
