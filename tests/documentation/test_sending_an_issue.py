"""The commands in docs/sending-an-issue.md run, and print the responses that the page shows."""

import asyncio
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from masthead.model.dispatch.address_checks import ProblemKind
from masthead.model.dispatch.built_in_profiles import BUILT_IN
from tests.documentation.test_docs import texts_in_the_code
from tests.documentation.test_readme import END, compare, read, steps
from tests.support.cases import for_each
from tests.support.serving import ROOT, serve

PAGE = (ROOT / "docs" / "sending-an-issue.md").read_text(encoding="utf-8")
PICTURES = ROOT / "docs" / "pictures"
MAX_BYTES = 150_000  # of a picture
SECONDS = 480.0  # for all commands

SUBSCRIBERS = """order_id,email,first_name,last_name,address1,city,postcode,country
A-1,ada@example.org,Ada,Lovelace,12 Rose Street,London,W1 1AA,GB
A-2,vera@example.org,Vera,Lind,1 Sea Street,Ulm,89073,DE
A-3,nils@example.org,Nils,Maar,2 Hill Road,Graz,8010,AT
"""
LATE_SUBSCRIBER = """order_id,email,first_name,last_name,address1,city,postcode,country
A-4,late@example.org,Lou,Late,3 Quay,Bremen,28195,DE
"""
ORDER = {"order_date": "2026-02-10", "price": "42.00", "start_issue": "12", "length": "4"}
IMPORT = 'masthead import --account acme --source "$SOURCE" --sent-through none'
# What the page assumes: an account with an issue and its subscribers, and a key of the API
SETUP = f"""
masthead account create --name Acme --subdomain acme --currency EUR --owner ann@acme.test
masthead issue create --account acme --number 12 --name Winter --release-date-actual 2026-03-01
masthead source create --account acme --name List --type import --json > source.json
SOURCE=$(python3 -c 'import json; print(json.load(open("source.json"))["id"])')
{IMPORT} subscribers.csv
KEY=$(masthead key create --account acme --user ann@acme.test --scope read_write)
AUTH="Authorization: Bearer $KEY"
JSON="Content-Type: application/json"
"""


def table(text: str) -> str:
    """The rows of a text, each with the same order."""
    header, *rows = text.splitlines()
    lines = [",".join([header, *ORDER]), *(",".join([row, *ORDER.values()]) for row in rows)]
    return "\n".join(lines)


async def run(script: str, folder: Path, environment: dict[str, str]) -> str:
    """What a shell prints to stdout for a script. Fails if a command fails."""
    shell = await asyncio.create_subprocess_exec(
        "bash",
        "-c",
        f"set -eu -o pipefail\n{script}",
        cwd=folder,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(SECONDS):
            out, err = await shell.communicate()
    finally:
        if shell.returncode is None:
            shell.kill()
    assert shell.returncode == 0, f"{out.decode()[-2000:]}\n{err.decode()[-4000:]}"
    return out.decode()


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 60)
@pytest.mark.skipif(
    not (shutil.which("bash") and shutil.which("curl")), reason="needs bash and curl"
)
async def test_every_command_of_the_page_prints_the_shown_response(tmp_path: Path) -> None:
    (tmp_path / "subscribers.csv").write_text(table(SUBSCRIBERS))
    (tmp_path / "late.csv").write_text(table(LATE_SUBSCRIBER))
    url = f"sqlite:///{tmp_path / 'masthead.db'}"
    blocks = list(steps(PAGE))
    first_request = next(place for place, (text, _) in enumerate(blocks) if "curl" in text)
    parts = [SETUP]
    for place, (commands, _) in enumerate(blocks):
        late = f"{IMPORT} late.csv\n" if place == first_request else ""
        parts.append(f"{late}echo '{END}'\n{commands}")
    others = {name: text for name, text in os.environ.items() if "MASTHEAD" not in name}
    with serve(url, tmp_path / "log") as server:
        environment = {
            **others,
            "PATH": f"{Path(sys.executable).parent}:{others['PATH']}",
            "MASTHEAD_DATABASE_URL": url,
            "API": server.url,
        }
        printed = (await run("\n".join(parts), tmp_path, environment)).split(f"{END}\n")[1:]
    answers = [(out, shown) for out, (_, shown) in zip(printed, blocks, strict=True) if shown]
    assert len(answers) >= 5
    for out, shown in answers:
        compare(read(shown), json.loads(out))
    assert "on hold" in printed[first_request - 1] or "undeliverable" in printed[first_request - 1]
    assert json.loads(printed[first_request])["copies"] == 1
    assert (tmp_path / "labels.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "by-country-group.zip").read_bytes().startswith(b"PK")
    assert "Ada Lovelace" in (tmp_path / "replacement.csv").read_text(encoding="utf-8-sig")


ONE_LINE = " ".join(PAGE.split())
LABELS = sorted(set(re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", ONE_LINE)))


@for_each("label", LABELS)
def test_every_quoted_label_appears_on_a_page(label: str) -> None:
    templates = (ROOT / "masthead" / "web" / "templates").rglob("*.html")
    texts = [path.read_text(encoding="utf-8") for path in templates]
    # the built-in profiles of lines and labels have their sizes in the name
    size = re.fullmatch(r"(\d) lines × (\d+) characters|(?:Labels )?(L?\d{4})", label)
    assert size or any(label in " ".join(text.split()) for text in [*texts, texts_in_the_code()])


def test_the_problems_of_addresses_are_those_of_the_preview() -> None:
    rows = re.findall(r"^\| (.+?) \| ", PAGE.split("| The page says |")[1], re.MULTILINE)
    named = {label for row in rows for label in row.split(", ")}
    assert {kind.label for kind in ProblemKind} <= named


def test_the_built_in_profiles_are_described() -> None:
    part = PAGE.split("## 3. Download the file")[1].split("\n## ")[0]
    for profile in BUILT_IN.values():
        short = profile.name.removeprefix("Labels ").partition(" (")[0]
        assert short in part, profile.name


def test_the_pictures_are_small() -> None:
    pictures = list(PICTURES.glob("dispatch-*.png"))
    assert len(pictures) == 5
    for picture in pictures:
        assert f"(pictures/{picture.name})" in PAGE
        assert picture.stat().st_size < MAX_BYTES
