"""SECURITY.md answers every requirement of OWASP ASVS and names only existing files."""

import re
import tomllib
from collections import Counter
from pathlib import Path

from masthead.web.routes import PAGES
from tests.support.cases import for_each

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ASSESSMENT = PAGE.partition("## OWASP ASVS 5.0, level 2")[2]
ROW = re.compile(r"^\| (\d+\.\d+\.\d+) \| (\S+) \| (.+) \|$", re.MULTILINE)
ANSWERS = {"met": "met", "partly": "partly", "**no**": "no", "operator": "operator", "–": "–"}
# The number of requirements of levels 1 and 2 in each chapter, including OAuth and WebRTC
REQUIREMENTS = {1: 27, 2: 11, 3: 19, 4: 10, 5: 9, 6: 35, 7: 18, 8: 7, 9: 7} | {
    10: 29,
    11: 14,
    12: 9,
    13: 13,
    14: 9,
    15: 13,
    16: 16,
    17: 7,
}


def test_every_requirement_has_one_answer() -> None:
    names = [name for name, _, _ in ROW.findall(ASSESSMENT)]
    assert len(names) == len(set(names))
    assert Counter(int(name.partition(".")[0]) for name in names) == REQUIREMENTS


def test_the_totals_match_the_rows() -> None:
    counted = Counter(ANSWERS[answer] for _, answer, _ in ROW.findall(ASSESSMENT))
    header, totals = re.findall(r"^\| (met .*|\d+ .*) \|$", ASSESSMENT, re.MULTILINE)[:2]
    shown = dict(zip(header.split(" | "), map(int, totals.split(" | ")), strict=True))
    assert shown == counted


EVIDENCE = re.compile(
    r"`(?:masthead|tests|requirements)[\w./]*`|docs/[\w/-]+\.md|\(#[\w-]+\)|ruff (?:S\d+)"
)


def test_every_requirement_that_is_met_names_what_shows_it() -> None:
    without = [
        name
        for name, answer, text in ROW.findall(ASSESSMENT)
        if ANSWERS[answer] in ("met", "partly") and not EVIDENCE.search(text)
    ]
    assert without == []


# Answers that name no test: what they say is a decision, the docs, or one place in the code. An
# answer leaves this list with its test; none joins it.
WITHOUT_TEST = set(
    "1.2.2 1.2.3 1.2.9 1.4.1 1.4.3 2.1.3 3.5.3 3.5.4 4.1.1 5.3.2 6.1.1 6.1.2 6.1.3 "
    "6.2.5 6.2.6 6.2.10 6.3.2 6.3.4 6.4.2 7.2.2 7.4.4 7.6.2 9.2.4 11.1.1 11.1.2 11.2.1 "
    "11.4.1 11.6.1 12.3.2 13.2.1 13.2.4 13.4.2 14.1.1 15.1.1 15.1.3 15.2.1 15.3.1 15.3.6 "
    "16.1.1 16.2.2 16.2.3 16.4.1".split()
)


def test_an_answer_names_a_test_or_a_rule_of_ruff() -> None:
    without = {
        name
        for name, answer, text in ROW.findall(ASSESSMENT)
        if ANSWERS[answer] in ("met", "partly") and not re.search(r"`tests/|ruff S\d+", text)
    }
    assert without == WITHOUT_TEST


# What answers say is not in the code, by requirement: files, a pattern, and files that may have it
NOT_IN_CODE: dict[str, tuple[str, str, set[str]]] = {
    "1.3.7": ("*.py", r"\bfrom_string\(", set()),
    "3.2.2": (
        "web/static/*.js",
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function",
        {"find.js"},  # shows a part of a page that masthead has rendered
    ),
    "11.3.1": ("*.py", r"\bCipher\b|AESGCM|Fernet|\bAES\b|ChaCha20", set()),
    "11.3.2": ("*.py", r"\bCipher\b|AESGCM|Fernet|\bAES\b|ChaCha20", set()),
    "14.3.3": ("web/static/*.js", r"localStorage|sessionStorage|indexedDB", set()),
}


@for_each("name", sorted(NOT_IN_CODE))
def test_what_answers_say_is_not_in_the_code_is_not_there(name: str) -> None:
    glob, pattern, allowed = NOT_IN_CODE[name]
    paths = list((ROOT / "masthead").rglob(glob))
    assert paths
    found = {path.name for path in paths if re.search(pattern, path.read_text(encoding="utf-8"))}
    assert found == allowed
    (answer,) = (text for each, _, text in ROW.findall(ASSESSMENT) if each == name)
    assert "tests/documentation/test_security_page.py" in answer


def test_each_cookie_is_signed_with_a_salt_of_its_own() -> None:
    code = (ROOT / "masthead/web/kit/cookies.py").read_text(encoding="utf-8")
    salts = re.findall(r'Signer\(secret, salt="(\w+)"\)|Serializer\(secret, salt="(\w+)"\)', code)
    assert len(salts) == len(set(salts)) == len(re.findall(r"(?:Signer|Serializer)\(", code)) > 5


def test_what_the_answers_name_exists() -> None:
    headings = {
        heading.lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)
    }
    assert set(re.findall(r"\(#([\w-]+)\)", PAGE)) <= headings
    named = set(re.findall(r"docs/[\w/-]+\.md", PAGE))
    assert [path for path in named if not (ROOT / path).exists()] == []
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"][
        "lint"
    ]
    rules = set(re.findall(r"\bS\d{3}\b", ASSESSMENT))
    assert "S" in lint["select"]
    assert rules.isdisjoint(lint["ignore"])


@for_each("path", sorted(set(re.findall(r"`((?:masthead|tests|requirements)/[\w./]+)`", PAGE))))
def test_every_file_that_the_page_names_exists(path: str) -> None:
    assert (ROOT / path).exists()


# What the page says of files: the pages that accept one, by the word in its sentence
UPLOADS = {
    "imports": "/imports/",
    "carriers": "/returns/",
    "bank statements": "/money/statements/",
    "signed mandates": "/account/mandates/",
    "covers": "/cover/",
    "letterheads": "/letterhead/",
    "logos": "/logo/",
}


def test_the_page_names_every_page_that_accepts_a_file() -> None:
    sentence = " ".join(PAGE.partition("with a field for a file accept one: those of")[2].split())
    sentence = sentence.partition(".")[0]
    assert [word for word in UPLOADS if word not in sentence] == []
    paths = [page.path for page in PAGES if page.max_file]
    assert [path for path in paths if not any(part in path for part in UPLOADS.values())] == []
    assert [part for part in UPLOADS.values() if not any(part in path for path in paths)] == []


UNITS = {"MB": 10**6, "MiB": 2**20}
# Of each kind in the answer: the parts of the paths, and the page of the docs that says the size
KINDS = {
    "imports": (["/imports/"], "moving-in"),
    "carriers": (["/returns/"], "sending-an-issue"),
    "bank statements": (["/money/statements/"], "bank-statements"),
    "signed mandates": (["/account/mandates/"], "direct-debit"),
    "pictures": (["/cover/", "/letterhead/", "/logo/"], "web"),
}


def test_the_answer_and_the_docs_have_the_largest_size_of_each_kind_of_file() -> None:
    (answer,) = (text for name, _, text in ROW.findall(ASSESSMENT) if name == "5.1.1")
    assert {part for parts, _ in KINDS.values() for part in parts} == set(UPLOADS.values())
    for kind, (parts, name) in KINDS.items():
        size = re.search(rf"{kind}[^0-9]*(\d+) (Mi?B)", answer)
        assert size is not None, kind
        found = {
            page.max_file
            for page in PAGES
            if page.max_file and any(each in page.path for each in parts)
        }
        assert found == {int(size[1]) * UNITS[size[2]]}, kind
        assert f"docs/{name}.md" in answer
        docs = " ".join((ROOT / f"docs/{name}.md").read_text(encoding="utf-8").split())
        assert re.search(rf"(?:up to|at most) {size[1]} MB", docs), kind


# Modules that connect to another machine, and the words for where they lead
CONNECT = {
    "api/monitoring/traces.py": "collector of traces",
    "background/webhooks/client.py": "webhooks",
    "mail.py": "email server",
    "store/engine": "database",
}
CONNECTING = re.compile(
    r"open_connection\(|create_connection\(|aiosmtplib|OTLPSpanExporter|"
    r"asyncpg\.(?:connect|create_pool)"
)
ITSELF = {"serving/supervisor.py"}  # looks whether its own workers answer


def test_the_page_names_everything_that_masthead_connects_to() -> None:
    found = {
        str(path.relative_to(ROOT / "masthead"))
        for path in (ROOT / "masthead").rglob("*.py")
        if CONNECTING.search(path.read_text(encoding="utf-8"))
    } - ITSELF
    assert [each for each in found if not each.startswith(tuple(CONNECT))] == []
    sentence = PAGE.partition("While it runs, masthead connects only to")[2].partition("(")[0]
    assert [words for words in CONNECT.values() if words not in sentence] == []
