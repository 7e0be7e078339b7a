"""The commands in the tutorial and the README print the responses that these pages show."""

import asyncio
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from masthead.cli.demo import print_instructions
from tests.support.ports import reserved_port

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(sh|json)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ID = re.compile(r"\b[0-9A-Z]{31}\b")
OMITTED_FIELDS = '"...": "..."'
END = "=== end of block ==="
LABELS = ("address", "desk", "key", "writes")


def steps(page: str = TUTORIAL) -> Iterator[tuple[str, str | None]]:
    """Each block of commands on a page, with the response shown after it."""
    blocks = BLOCK.findall(page)
    for place, (kind, text) in enumerate(blocks):
        if kind == "sh":
            following = blocks[place + 1] if place + 1 < len(blocks) else ("", "")
            yield text, following[1] if following[0] == "json" else None


async def run(folder: Path, port: int) -> list[str]:
    """The stdout of each block of the tutorial, pasted into one shell."""
    lines = ["set -eu -m", "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT"]
    for commands, _ in steps():
        lines += [
            commands.replace("make setup\n", "").replace(":8000", f":{port}"),
            f"echo '{END}'",
        ]
    script = "\n".join(lines).replace("--port 8000", f"--port {port}")
    environment = {name: text for name, text in os.environ.items() if "MASTHEAD" not in name}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    shell = await asyncio.create_subprocess_exec(
        "bash",
        "-c",
        script,
        cwd=folder,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(240):
        out, err = await shell.communicate()
    assert shell.returncode == 0, err.decode()
    return out.decode().split(END)


def read(shown: str) -> Any:
    """Parse a response shown in the tutorial. `...` in it stands for omitted fields."""
    return json.loads(shown.replace("...", OMITTED_FIELDS))


def compare(shown: Any, answer: Any) -> None:
    """Fail unless the response has the shown fields in the same order; omitted ones are ignored."""
    if isinstance(shown, dict) and "..." in shown:
        assert answer | {"...": "..."} == answer | shown
    else:
        assert answer == shown
        assert list(answer) == list(shown)


@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("bash") and shutil.which("curl")), reason="needs bash and curl"
)
async def test_every_command_of_the_tutorial_prints_the_shown_response(tmp_path: Path) -> None:
    with reserved_port() as port:
        printed = await run(tmp_path, port)
    answers = zip(steps(), printed[:-1], strict=True)
    pairs = [(out, shown) for (_, shown), out in answers if shown]
    names: dict[str, str] = {}
    for out, shown in pairs:
        for real, written in zip(ID.findall(out), ID.findall(shown), strict=False):
            names.setdefault(real, written)
    assert len(set(names.values())) == len(names)
    for out, shown in pairs:
        compare(read(shown), json.loads(ID.sub(lambda match: names[match[0]], out)))


def test_the_request_in_the_readme_is_one_of_the_tutorial() -> None:
    [(command, response)] = steps(README)
    for written, variable in (
        (" \\\n  ", " "),
        ("Authorization: Bearer $KEY", "$AUTH"),
        ("http://127.0.0.1:8000", "$API"),
    ):
        assert written in command
        command = command.replace(written, variable)
    assert (command, response) in set(steps())


def test_the_tutorial_covers_the_main_endpoints() -> None:
    commands = "".join(text for text, _ in steps())
    assert len([shown for _, shown in steps() if shown]) == commands.count("curl ") >= 9
    for part in ("issues/", "subscriptions/", "PATCH", "mark-sent/", "cancel/", "status/"):
        assert part in commands


def test_the_tutorial_shows_what_the_demo_prints(capsys: pytest.CaptureFixture[str]) -> None:
    [shown] = re.findall(r"^```\n(address .*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL)
    address, link, key, write_key = (
        re.findall(rf"^{name} +(\S+)", shown, re.MULTILINE)[0] for name in LABELS
    )
    print_instructions(address, key, link.split("/")[-2], write_key)
    assert capsys.readouterr().out.strip() == shown.strip()
