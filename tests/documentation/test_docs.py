"""Settings, commands, routes, fields, codes and decisions are documented; links and paths exist."""

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import msgspec
import pytest
from cyclopts import App
from msgspec import UNSET, Struct, structs

from masthead.api.authentication import Access
from masthead.api.http.codec import decode_json_body, decode_query_string
from masthead.api.route import Route
from masthead.api.routes import ROUTES
from masthead.cli import app
from masthead.model import inputs, resources, sandboxes
from masthead.model.addresses import changes as planned
from masthead.model.addresses.change_resources import AddressChangeResource, AddressChangeResult
from masthead.model.billing.resources import InvoiceResource, PaymentResource
from masthead.model.billing.terms import BILLING_OFF
from masthead.model.claims import inputs as claim_inputs, rules as claims
from masthead.model.dispatch import line_resources, run_inputs, run_resources
from masthead.model.error_resources import ApiError
from masthead.model.errors import CHANGED_MEANWHILE
from masthead.model.events import resources as events
from masthead.model.imports.targets import COLUMNS
from masthead.model.orders.entry import OrderResults, PlacedOrder
from masthead.model.orders.product_resources import OfferedProduct
from masthead.model.returns import report_inputs, report_resources
from masthead.model.subscribers.corrections import EMAIL_TAKEN, MERGED_MEANWHILE, SubscriberUpdate
from masthead.model.subscriptions.billed_changes import (
    COSTS_MORE,
    IS_ON_INVOICE,
    LESS_THAN_REFUNDED,
)
from masthead.model.subscriptions.refunds import RefundList
from masthead.model.subscriptions.renewals import RenewalCreate
from masthead.model.timeline import answers as why
from masthead.model.webhooks.resources import Webhook, WebhookDelivery, WebhookResent, WebhookSecret
from masthead.services.subscriptions.move import ADDRESS_PLANNED, SAME_SUBSCRIBER
from masthead.settings import Settings
from tests.golden.reference import rewritten
from tests.support.cases import for_each

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / ".github").rglob("*.md")])
DECISIONS = sorted((DOCS / "decisions").glob("[0-9]*.md"))
MAX_LINE = 99  # characters
SECTIONS = ("Context", "Decision", "Consequences", "Alternatives", "Enforced by")

API = (DOCS / "api.md").read_text(encoding="utf-8")
SETTINGS = (DOCS / "settings.md").read_text(encoding="utf-8")
OPERATIONS = (DOCS / "operations.md").read_text(encoding="utf-8")
WEB = (DOCS / "web.md").read_text(encoding="utf-8")

# Structs whose fields are in a table of the API reference, under a heading with their name
TABLES: tuple[type[Struct], ...] = (
    resources.Me,
    resources.Source,
    resources.Subscriber,
    resources.Subscription,
    resources.ShippingAddress,
    resources.SubscriptionPeriod,
    resources.SubscriptionState,
    resources.Issue,
    resources.Copy,
    resources.MarkedSent,
    claims.Claim,
    events.EventPage,
    sandboxes.SandboxClock,
    sandboxes.SandboxMove,
    sandboxes.KeptEmail,
    events.Event,
    events.EventActor,
    events.EventRecord,
    why.IssueAnswer,
    why.SubscriptionAnswer,
    why.DispatchRef,
    ApiError,
    inputs.SubscriptionCreate,
    inputs.SubscriptionUpdate,
    inputs.SubscriptionCancel,
    SubscriberUpdate,
    RenewalCreate,
    inputs.IssueCreate,
    inputs.IssueUpdate,
    inputs.MarkSent,
    inputs.MarkSentDate,
    run_resources.DispatchRun,
    line_resources.DispatchRunLine,
    line_resources.IssueAddress,
    run_inputs.DispatchCreate,
    claim_inputs.ClaimCreate,
    inputs.NoFields,
    report_inputs.DeliveryReportCreate,
    report_inputs.DeliveryReportsCreate,
    report_inputs.CarrierReportResult,
    report_inputs.CarrierReportResults,
    report_resources.DeliveryReportResource,
    PlacedOrder,
    InvoiceResource,
    PaymentResource,
    OrderResults,
    AddressChangeResource,
    WebhookSecret,
    AddressChangeResult,
    OfferedProduct,
    WebhookResent,
    Webhook,
    WebhookDelivery,
    RefundList,
)
# The same for structs that add fields to another one: the table has the added fields
EXTENSIONS: tuple[tuple[type[Struct], type[Struct]], ...] = (
    (run_resources.DispatchRunDetail, run_resources.DispatchRun),
    (claims.CreatedClaim, claims.Claim),
)
EXAMPLES = re.findall(r"^```json (\w+)\n(.*?)^```$", API, re.MULTILINE | re.DOTALL)


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def section(page: str, heading: str) -> str:
    """The text under a heading, up to the next heading of the same or a higher level."""
    found = re.search(rf"^(#+) {re.escape(heading)}$", page, re.MULTILINE)
    assert found, f"no heading `{heading}`"
    rest = page[found.end() :]
    end = re.search(rf"^#{{1,{len(found[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def first_column(text: str) -> list[str]:
    """The code quotes in the first column of the tables in a text."""
    return re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)


def anchor(heading: str) -> str:
    """The anchor that GitHub generates for a heading."""
    plain = re.sub(r"[^\w\- ]", "", heading.lower())
    return plain.replace(" ", "-")


def prose(page: str) -> str:
    """A page without its code blocks."""
    return re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)


def wrappable_lines(page: str) -> Iterator[str]:
    """The lines of a page, without tables and without code that is not a shell command.

    A row of a table cannot be wrapped, and neither can the output of a program.
    """
    language: str | None = None
    for line in page.splitlines():
        if fence := re.match(r" *```(\w*)", line):
            language = fence[1] if language is None else None
        elif not line.startswith("|") and language in (None, "sh"):
            yield line


def commands(parent: App, names: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command, as a tuple of its words."""
    for name in parent:
        if not name.startswith("-"):
            command = parent[name]
            words = (*names, name)
            inner = list(commands(command, words))
            yield from inner or [words]


@cache
def codes_in_the_code() -> set[str]:
    """The codes of all errors: class attributes and `code=` arguments."""
    found = set()
    for source in sources():
        for node in ast.walk(ast.parse(source)) if re.search(r"\bcode\b", source) else ():
            values: list[ast.expr | None] = []
            if isinstance(node, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == "code" for target in node.targets
            ):
                values.append(node.value)
            if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "code":
                values.append(node.value)
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Invalid":
                values += [word.value for word in node.keywords if word.arg == "code"]
            if isinstance(node, ast.FunctionDef):
                pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
                values += [default for name, default in pairs if name.arg == "code"]
            found |= {
                value.value
                for value in values
                if isinstance(value, ast.Constant) and isinstance(value.value, str)
            }
    return found


def sources() -> Iterator[str]:
    """The text of each module of the package."""
    return (path.read_text(encoding="utf-8") for path in (ROOT / "masthead").rglob("*.py"))


@cache
def texts_in_the_code() -> str:
    """All string literals of the package, without backticks, one per line."""
    found: list[str] = []
    for source in sources():
        nodes = ast.walk(ast.parse(source))
        constants = (node.value for node in nodes if isinstance(node, ast.Constant))
        found += (value for value in constants if isinstance(value, str))
    return "\n".join(found).replace("`", "")


def quoted_messages() -> Iterator[str]:
    """The events and messages in the first column of the tables about logs and problems."""
    for heading in ("Logs", "Security log", "Troubleshooting"):
        for cell in re.findall(r"^\| ([^|]+) \|", section(OPERATIONS, heading), re.MULTILINE):
            quotes = re.findall(r"`([^`]+)`", cell)
            yield from (
                quote for quote in quotes if " " in quote and not quote.startswith("masthead ")
            )


@for_each("message", sorted(set(quoted_messages())))
def test_every_quoted_message_is_in_the_code(message: str) -> None:
    texts = texts_in_the_code()
    for part in filter(None, (part.strip(" ;:,.") for part in message.split("…"))):
        assert part in texts


LABELS = sorted(set(re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", WEB)))


def test_every_quoted_label_appears_on_a_page() -> None:
    templates = (ROOT / "masthead" / "web" / "templates").rglob("*.html")
    texts = [path.read_text(encoding="utf-8") for path in templates] + [texts_in_the_code()]
    texts = [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts]
    assert LABELS
    assert [label for label in LABELS if not any(label in text for text in texts)] == []


@for_each("name", [field.name for field in fields(Settings)])
def test_every_setting_is_documented_with_its_default_and_meaning(name: str) -> None:
    field = next(field for field in fields(Settings) if field.name == name)
    default = str(field.default).lower() if field.type in (bool, "bool") else str(field.default)
    row = f"| `MASTHEAD_{name.upper()}` | " + (f"`{default}`" if default else "*(empty)*") + " | "
    assert row in SETTINGS
    meaning = SETTINGS.partition(row)[2].partition("\n")[0]
    assert re.split("[:;,]", field.metadata["line"])[0] in meaning


def test_every_documented_setting_exists() -> None:
    known = {f"MASTHEAD_{field.name.upper()}" for field in fields(Settings)}
    assert set(first_column(SETTINGS)) == known


@for_each("words", sorted(commands(app)), ids=" ".join)
def test_every_command_is_documented(words: tuple[str, ...]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pattern = r"\bmasthead\s+" + r"\s+".join(words) + r"\b"
    # `masthead demo` is what `make demo` calls
    assert re.search(pattern, OPERATIONS) or (words == ("demo",) and "make demo" in readme)


def test_the_check_finds_the_commands() -> None:
    assert {("serve",), ("key", "create"), ("import",)} <= set(commands(app))


# The last word `masthead` is the command: `sudo -u masthead masthead check`
COMMAND_LINE = r"(?:^|[ (/])masthead (?!masthead )([a-z-].*?)(?: > \S+| &|\))?$"


def command_lines() -> Iterator[str]:
    """The arguments of every masthead command in the shell blocks of the documents."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            for line in block.replace("\\\n", " ").splitlines():
                found = re.search(COMMAND_LINE, line)
                if found and not re.match("sudo (systemctl|useradd|-u postgres) ", line):
                    yield found[1]


@for_each("line", sorted(set(command_lines())))
def test_every_command_line_is_valid(line: str) -> None:
    words = shlex.split(line)
    if words != ["--version"]:
        app.parse_args(words, exit_on_error=False, print_error=False)


def test_the_check_finds_command_lines() -> None:
    assert {"migrate", "serve --port 8000", "daily"} <= set(command_lines())


@for_each("route", ROUTES, ids=str)
def test_every_route_is_documented_with_its_parameters(route: Route) -> None:
    part = section(API, f"`{route}`")
    assert "curl " in part
    own = {field.name for field in structs.fields(route.query)} - {"cursor", "limit"}
    documented = set(first_column(part)) if "\n| Parameter | " in part else set()
    assert documented == own
    if route.body is not None:
        assert f"[{route.body.__name__}](#{route.body.__name__.lower()})" in part
    assert ("201" in part) == (route.status == 201)


@for_each("route", ROUTES, ids=str)
def test_every_curl_command_matches_its_route(route: Route) -> None:
    part = section(API, f"`{route}`")
    for line in re.findall(r"^curl .*?(?=^```|^curl )", part, re.MULTILINE | re.DOTALL):
        method = re.search(r"-X (\w+)", line)
        assert (method[1] if method else "POST" if "-d" in line else "GET") == route.method
        address = re.search(r'\$API([^\s"?]+)(?:\?([^\s"]*))?', line)
        assert address
        assert re.fullmatch(re.sub(r"\{\w+\}", "[0-9A-Z]+", route.path), address[1])
        decode_query_string(
            (address[2] or "").encode(), route.query
        )  # raises if the API would refuse it
        body = re.search(r"-d '(.*?)'", line, re.DOTALL)
        assert (body is not None) == (route.body is not None and route.requires_body)
        if body and route.body:
            decode_json_body(body[1].encode(), b"application/json", route.body)
        assert ("$AUTH" in line) == (route.access is not Access.PUBLIC)
        assert ("$JSON" in line) == (body is not None)


def route_of(method: str, path: str) -> Route:
    """The route of a request."""
    (found,) = (
        route
        for route in ROUTES
        if route.method == method
        and re.fullmatch(re.sub(r"\{\w+\}", "[0-9A-Z]+", route.path), path)
    )
    return found


def requests_of(text: str) -> Iterator[tuple[str, str, str, str | None]]:
    """Method, path, query string and body of every curl command in a text."""
    for line in re.findall(r"^curl .*?(?=^```|^curl )", text, re.MULTILINE | re.DOTALL):
        method = re.search(r"-X (\w+)", line)
        address = re.search(r'\$API([^\s"?]+)(?:\?([^\s"]*))?', line)
        body = re.search(r"-d '(.*?)'", line, re.DOTALL)
        assert address
        assert "$AUTH" in line
        assert ("$JSON" in line) == (body is not None)
        yield (
            method[1] if method else "POST" if body else "GET",
            address[1],
            address[2] or "",
            body[1] if body else None,
        )


def test_the_requests_of_the_complete_example_are_valid() -> None:
    names = []
    for method, path, query, body in requests_of(section(API, "Sending out an issue")):
        route = route_of(method, path)
        decode_query_string(query.encode(), route.query)
        if body is not None:
            assert route.body is not None
            decode_json_body(body.encode(), b"application/json", route.body)
        names.append(route.name)
    assert names == [
        "create_dispatch",
        "list_dispatch_lines",
        "mark_dispatch_sent",
        "undo_dispatch",
    ]


def test_every_documented_route_exists() -> None:
    headings = re.findall(r"^### `([A-Z]+ /\S+)`$", API, re.MULTILINE)
    assert headings == [str(route) for route in ROUTES]
    access = {Access.PUBLIC: "none", Access.READ: "any", Access.WRITE: "read-write"}
    rows = re.findall(r"^\| \[`([^`]+)`\]\(#[^)]+\) \| ([a-z-]+) \|", API, re.MULTILINE)
    assert rows == [(str(route), access[route.access]) for route in ROUTES]


@for_each("struct", TABLES, ids=lambda struct: struct.__name__)
def test_every_field_is_documented_in_order(struct: type[Struct]) -> None:
    assert first_column(section(API, struct.__name__)) == [f.name for f in structs.fields(struct)]


@for_each("struct, base", EXTENSIONS, ids=lambda struct: struct.__name__)
def test_added_fields_are_documented_in_order(struct: type[Struct], base: type[Struct]) -> None:
    names = [field.name for field in structs.fields(struct)]
    own = names[len(structs.fields(base)) :]
    assert first_column(section(API, struct.__name__)) == own
    assert f"[{base.__name__}](#{base.__name__.lower()})" in section(API, struct.__name__)


@for_each("name, text", EXAMPLES)
def test_every_example_has_the_fields_of_its_struct(name: str, text: str) -> None:
    known = (*TABLES, *(extension for extension, _ in EXTENSIONS))
    struct = next(each for each in known if each.__name__ == name)
    example = msgspec.json.decode(text)
    assert list(example) == [
        field.name
        for field in structs.fields(struct)
        if field.name in example or field.default is not UNSET  # left out elsewhere
    ]
    assert msgspec.to_builtins(msgspec.convert(example, struct)) == example


@pytest.mark.check
def test_the_reference_says_the_same_as_the_openapi_document() -> None:
    assert rewritten(API) == API, "run `make openapi`"


def test_the_check_finds_the_examples() -> None:
    assert len(EXAMPLES) > 5


# Codes of errors that no operation of the API can have: the pages decide by them
PAGE_CODES = {
    "complete",
    "unsuitable_profile",
    # of credit, and of bank statements and their lines
    *"more_than_credit no_credit no_payment no_return is_return damaged_file empty_file".split(),
    *"password too_large too_many_lines unknown_columns unsafe_file wrong_balance".split(),
    *"wrong_format missing_number".split(),
    # of collections
    *"cannot_collect not_a_company nothing_due too_early too_many".split(),
}
# Codes of planned addresses: constants, because the pages compare with them too
CHANGE_CODES = {
    planned.ALREADY_CANCELLED,
    planned.ALREADY_DONE,
    planned.ISSUES_ARE_OVER,
    planned.OVERLAPS,
    planned.SAME_ADDRESS,
    planned.TEMPORARY_PLANNED,
}


def test_exactly_the_existing_codes_are_documented() -> None:
    assert codes_in_the_code() >= PAGE_CODES
    codes = (
        (codes_in_the_code() - PAGE_CODES)
        | {EMAIL_TAKEN, MERGED_MEANWHILE, BILLING_OFF, CHANGED_MEANWHILE}
        | CHANGE_CODES
        | {SAME_SUBSCRIBER, ADDRESS_PLANNED, LESS_THAN_REFUNDED, COSTS_MORE, IS_ON_INVOICE}
    )
    assert {"read_only_key", "invalid_cursor", "internal_error"} <= codes
    table = section(API, "Errors")
    assert set(re.findall(r"^\| \d{3} \| `(\w+)` \|", table, re.MULTILINE)) == codes


def test_every_column_of_an_import_is_documented_in_order() -> None:
    assert first_column(section(OPERATIONS, "Columns")) == list(COLUMNS)


@for_each("page", PAGES, ids=named)
def test_links_between_documents_lead_to_existing_targets(page: Path) -> None:
    text = prose(page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, fragment = target.partition("#")
        if path.startswith("https://"):
            continue
        goal = (page.parent / path).resolve() if path else page
        assert goal.exists(), target
        if fragment:
            headings = re.findall(r"^#+ (.+)$", prose(goal.read_text(encoding="utf-8")), re.M)
            assert fragment in {anchor(heading) for heading in headings}, target


@for_each("page", PAGES, ids=named)
def test_lines_have_at_most_100_characters(page: Path) -> None:
    lines = wrappable_lines(page.read_text(encoding="utf-8"))
    assert [line for line in lines if len(line) > MAX_LINE] == []


def test_the_check_finds_long_lines() -> None:
    text, row = "word " * 20, f"| {'cell ' * 20}|"
    page = "\n".join((text, row, "```sh", text, "```", "```json", text, "```"))
    assert list(wrappable_lines(page)) == [text, text]


@for_each("page", DECISIONS, ids=named)
def test_every_decision_has_all_sections_and_is_in_the_index(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# {page.name[:4]} ")
    places = [text.index(f"\n## {part}\n") for part in SECTIONS]
    assert places == sorted(places)
    assert section(text, "Decision").lstrip().startswith("> ")
    index = (DOCS / "decisions" / "README.md").read_text(encoding="utf-8")
    assert f"[{page.name[:4]}]({page.name}) | {text.splitlines()[0][7:]} |" in index


@for_each("page", PAGES, ids=named)
def test_files_named_in_documents_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:tests|masthead|docs|tools)/[\w/.-]+)`", text):
        assert (ROOT / name).exists(), name


@for_each("page", DECISIONS, ids=named)
def test_every_decision_names_a_test_or_a_lint_rule(page: Path) -> None:
    enforced = section(page.read_text(encoding="utf-8"), "Enforced by")
    assert re.search(r"`(tests/[\w/]+\.py|pyproject\.toml)`", enforced)


def test_every_row_of_decision_0008_names_a_test() -> None:
    text = (DOCS / "decisions" / "0008-where-the-specification-is-silent.md").read_text()
    rows = [line for line in section(text, "Decision").splitlines() if line.startswith("| ")]
    rows = [row for row in rows if not row.startswith("| Topic")]
    assert len(rows) > 80
    for row in rows:
        tests = re.findall(r"`([\w/]+/test_\w+\.py)`", row.split(" | ")[-1])
        assert tests, row
        assert all((ROOT / "tests" / name).exists() for name in tests), row


def test_decisions_are_numbered_consecutively() -> None:
    index = (DOCS / "decisions" / "README.md").read_text(encoding="utf-8")
    folded = re.findall(r"^\| (\d{4}) \| [^|]+ \| part of \[", index, re.MULTILINE)
    numbers = sorted([page.name[:4] for page in DECISIONS] + folded)
    assert [int(number) for number in numbers] == list(range(1, len(numbers) + 1))


def test_comments_refer_to_existing_decisions() -> None:
    known = {page.name[:4] for page in DECISIONS}
    for path in (ROOT / "masthead").rglob("*.py"):
        for number in re.findall(r"decisions?[ /](\d{4})", path.read_text(encoding="utf-8")):
            assert number in known, path


def test_modules_named_in_documents_exist() -> None:
    pattern = r"`((?:api|cli|model|services|serving|store)/[\w/]+\.py)`"
    for page in PAGES:
        for name in re.findall(pattern, page.read_text(encoding="utf-8")):
            below = (ROOT / "masthead" / name, ROOT / "tests" / name)
            assert any(each.exists() for each in below), name


def test_documented_layers_match_the_import_contract() -> None:
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    layers = re.search(r"^layers = \[(.*?)^\]", pyproject, re.MULTILINE | re.DOTALL)
    assert layers
    steps = [set(re.findall(r"\w+", line)) for line in re.findall(r'"(.*?)"', layers[1])]
    place = {name: number for number, step in enumerate(steps) for name in step}
    for page in (DOCS / "architecture.md", DECISIONS[1]):
        told = re.search(r"cli → .* → model", page.read_text(encoding="utf-8"))
        assert told
        order = [place[name] for name in re.findall(r"\w+", told[0])]
        assert order == sorted(order)
