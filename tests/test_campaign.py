"""`make campaign`: what has passed is not repeated, and the page shows what came of each part."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.serving import ROOT
from tools import campaign, reliability_page
from tools.campaign import Part

PASSES = (sys.executable, "-c", "")
BEGIN, END = "<!-- campaign: begin -->", "<!-- campaign: end -->"
FAILS = (sys.executable, "-c", "import sys; sys.exit(1)")


def notes(file: Path) -> tuple[str, ...]:
    """A command that adds a line to a file."""
    return (sys.executable, "-c", f"open({str(file)!r}, 'a').write('ran\\n')")


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page and a folder that belong to the test, and files that do not change."""
    page = tmp_path / "reliability.md"
    page.write_text(f"# Before\n\n{BEGIN}\n\n{END}\n\nAfter\n")
    monkeypatch.setattr(reliability_page, "PAGE", page)
    monkeypatch.setattr(campaign, "STATE", tmp_path)
    monkeypatch.setattr(campaign, "tree", lambda _command: "the files")
    return page


def row(page: Path, name: str) -> str:
    """The row of a part."""
    return next(line for line in page.read_text().splitlines() if line.startswith(f"| {name} |"))


def test_a_part_is_written_into_the_page(page: Path) -> None:
    assert campaign.run("races", Part("writers that meet", {"one": PASSES}))
    assert "| races | writers that meet | passed | 0 min |" in page.read_text()
    assert page.read_text().startswith("# Before\n")
    assert page.read_text().endswith("\n\nAfter\n")


def test_parts_have_the_order_in_which_they_run(page: Path) -> None:
    for name in ("races", "coverage"):
        campaign.run(name, Part(name, {"one": PASSES}))
    assert page.read_text().index("| coverage |") < page.read_text().index("| races |")


def test_a_step_that_passed_is_not_repeated_and_one_that_failed_is(
    page: Path, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    steps = {"first": notes(ran), "second": FAILS, "third": notes(ran)}
    assert not campaign.run("races", Part("", steps))
    assert "**failed**: second" in row(page, "races")
    assert ran.read_text() == "ran\nran\n"
    assert campaign.run("races", Part("", {**steps, "second": PASSES}))
    assert "| passed |" in row(page, "races")
    assert ran.read_text() == "ran\nran\n"


def test_all_steps_are_repeated_after_a_change(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    campaign.run("races", Part("", {"one": notes(ran)}))
    monkeypatch.setattr(campaign, "tree", lambda _command: "other files")
    campaign.run("races", Part("", {"one": notes(ran)}))
    assert ran.read_text() == "ran\nran\n"


def test_a_change_of_another_test_repeats_no_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "tests/test_own.py": "from tests.deep.test_used import ready\n",
        "tests/deep/test_used.py": "ready = 1\n",
        "tests/deep/test_other.py": "",
        "tests/support/helper.py": "",
        "code.py": "",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    for words in (("init",), ("add", ".")):
        subprocess.run(("git", *words), check=True, capture_output=True, cwd=tmp_path)
    author = ("-c", "user.name=Eva", "-c", "user.email=eva@publisher.test")
    commit = ("git", *author, "commit", "-m", "First")
    subprocess.run(commit, check=True, capture_output=True, cwd=tmp_path)
    monkeypatch.setattr(campaign, "ROOT", tmp_path)
    step, folder = ("pytest", "tests/test_own.py"), ("pytest", "tests/deep")
    repeats = {}
    for path, text in files.items():
        before = [campaign.tree(command) for command in (step, folder, ())]
        (tmp_path / path).write_text(f"{text}# changed\n")
        after = [campaign.tree(command) for command in (step, folder, ())]
        repeats[path] = [a != b for a, b in zip(before, after, strict=True)]
    assert repeats == {
        "tests/test_own.py": [True, False, True],
        "tests/deep/test_used.py": [True, True, True],
        "tests/deep/test_other.py": [False, True, True],
        "tests/support/helper.py": [True, True, True],
        "code.py": [True, True, True],
    }


def test_a_change_of_the_page_alone_leaves_the_commit_without_a_plus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> None:
        author = ("-c", "user.name=Eva", "-c", "user.email=eva@publisher.test")
        subprocess.run(("git", *author, *words), check=True, capture_output=True, cwd=tmp_path)

    page, code = tmp_path / "docs/reliability.md", tmp_path / "code.py"
    page.parent.mkdir()
    page.write_text("a page\n")
    code.write_text("a = 1\n")
    git("init")
    git("add", ".")
    git("commit", "-m", "First")
    monkeypatch.setattr(campaign, "ROOT", tmp_path)
    before, tree = campaign.commit(), campaign.tree()
    page.write_text("a page with a row\n")
    assert (campaign.commit(), campaign.tree()) == (before, tree)
    code.write_text("a = 2\n")
    assert campaign.commit() == f"{before}+"
    assert campaign.tree() != tree


def test_a_campaign_that_was_stopped_is_not_finished(page: Path) -> None:
    steps = {"first": PASSES, "second": ("/no/such/program",)}
    with pytest.raises(OSError, match="No such file"):
        campaign.run("races", Part("", steps))
    assert "| not finished |" in row(page, "races")


def test_a_part_without_its_variables_is_left_out(
    page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("MASTHEAD_TEST_CITUS", raising=False)
    monkeypatch.setenv("MASTHEAD_TEST_POSTGRES", "postgresql://127.0.0.1:1/none")
    monkeypatch.setattr(sys, "argv", ["campaign", "citus"])
    assert campaign.main() == 0
    assert "citus is left out: MASTHEAD_TEST_CITUS is not set" in capsys.readouterr().out
    assert "citus" not in page.read_text()


def test_an_unknown_part_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["campaign", "ghosts"])
    with pytest.raises(SystemExit):
        campaign.main()
    assert "no part is called 'ghosts'; there are coverage, " in capsys.readouterr().err


def test_every_file_of_tests_is_in_a_part() -> None:
    steps = [step for part in campaign.parts().values() for step in part.steps.values()]
    named = {ROOT / word for step in steps for word in step if word.startswith("tests/")}
    files = [*(ROOT / "tests").rglob("test_*.py")]
    assert files
    assert [file for file in files if not named & {file, *file.parents}] == []


@pytest.mark.parametrize(
    "mark,expression",
    [
        ("faults", "faults or crash"),
        ("crash", "faults or crash"),
        ("races", "races"),
        ("fuzz", "fuzz"),
    ],
)
def test_every_test_with_a_mark_is_in_a_part_that_runs_those(mark: str, expression: str) -> None:
    steps = [step for part in campaign.parts().values() for step in part.steps.values()]
    named = {
        ROOT / word
        for step in steps
        if expression in step
        for word in step
        if word.startswith("tests/")
    }
    files = [
        file
        for file in (ROOT / "tests").rglob("test_*.py")
        if f"pytest.mark.{mark}" in file.read_text(encoding="utf-8")
    ]
    assert files
    assert [file for file in files if not named & {file, *file.parents}] == []
