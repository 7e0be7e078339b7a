"""The README's commands, run as they stand against a fresh server, give the answers it shows."""

import asyncio
import json
import os
import re
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from masthead.cli.demo import print_instructions

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
ROUND = README.partition("\n## A full round\n")[2].partition("\n## ")[0]
BLOCK = re.compile(r"^```(sh|json)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ID = re.compile(r"\b[0-9A-Z]{31}\b")
MORE = '"...": "..."'  # what stands for the fields that the README leaves out
END = "=== end of block ==="
WORDS = ("address", "desk", "key")


def steps() -> Iterator[tuple[str, str | None]]:
    """Each block of commands, with the answer that is shown after it."""
    blocks = BLOCK.findall(ROUND)
    for place, (kind, text) in enumerate(blocks):
        if kind == "sh":
            following = blocks[place + 1] if place + 1 < len(blocks) else ("", "")
            yield text, following[1] if following[0] == "json" else None


async def run(folder: Path, port: int) -> list[str]:
    """What each block prints to stdout, when all are pasted into one shell."""
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
    """An answer that the README shows; `...` in it stands for fields that are left out."""
    return json.loads(shown.replace("...", MORE))


def compare(shown: Any, answer: Any) -> None:
    """Fail unless the answer is what is shown, in the same order, but for fields left out."""
    if isinstance(shown, dict) and "..." in shown:
        assert answer | {"...": "..."} == answer | shown
    else:
        assert answer == shown
        assert list(answer) == list(shown)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.mark.skipif(
    not (shutil.which("bash") and shutil.which("curl")), reason="pastes into bash, asks by curl"
)
async def test_the_full_round_works_as_it_is_written(tmp_path: Path) -> None:
    printed = await run(tmp_path, free_port())
    answers = zip(steps(), printed[:-1], strict=True)
    pairs = [(out, shown) for (_, shown), out in answers if shown]
    names: dict[str, str] = {}
    for out, shown in pairs:
        for real, written in zip(ID.findall(out), ID.findall(shown), strict=False):
            names.setdefault(real, written)
    assert len(set(names.values())) == len(names)
    for out, shown in pairs:
        compare(read(shown), json.loads(ID.sub(lambda match: names[match[0]], out)))


def test_the_round_touches_what_it_says() -> None:
    commands = "".join(text for text, _ in steps())
    assert len([shown for _, shown in steps() if shown]) == commands.count("curl ") >= 9
    for part in ("issues/", "subscriptions/", "PATCH", "mark-sent/", "cancel/", "status/"):
        assert part in commands


def test_the_first_screen_shows_what_the_demo_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    [shown] = re.findall(r"^```\n(address .*?)^```$", README, re.MULTILINE | re.DOTALL)
    address, link, key = (re.findall(rf"^{word} +(\S+)", shown, re.MULTILINE)[0] for word in WORDS)
    print_instructions(address, key, link.split("/")[-2])
    assert capsys.readouterr().out.strip() == shown.strip()
