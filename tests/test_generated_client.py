"""A client that openapi-python-client makes of the description does a full round."""

import datetime
import importlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from masthead.api.routes import ROUTES
from masthead.settings import Settings
from tests.conftest import Cast, make_account, migrated, serving
from tests.golden import OPENAPI
from tests.support.serving import serve

PACKAGE = "publisher_client"
SPRING = datetime.date(2026, 3, 1)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The generated package, which can be imported meanwhile."""
    folder = tmp_path_factory.mktemp("generated")
    config = folder / "config.yaml"
    config.write_text("post_hooks: []\n")
    words = ["generate", "--meta", "none", "--fail-on-warning", "--path", str(OPENAPI)]
    words += ["--config", str(config), "--output-path", str(folder / PACKAGE)]
    made = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield folder / PACKAGE
        for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
            del sys.modules[name]


@dataclass
class Office:
    """An account on a running server, and the generated client to ask for it."""

    url: str
    cast: Cast
    models: Any
    library: Any

    def call(self, operation: str, *ids: object, key: str | None = None, **options: Any) -> Any:
        """The whole response to an operation, asked with the read-write key or another."""
        client = self.library.AuthenticatedClient(
            base_url=self.url,
            token=key or self.cast.key,
            raise_on_unexpected_status=True,
            httpx_args={"trust_env": False},
        )
        with client:
            return ask(operation).sync_detailed(*ids, client=client, **options)

    def get(self, operation: str, *ids: object, **options: Any) -> Any:
        """The typed answer of an operation that succeeds."""
        response = self.call(operation, *ids, **options)
        assert response.status_code in {HTTPStatus.OK, HTTPStatus.CREATED}, response.content
        return response.parsed


def ask(operation: str) -> Any:
    """The generated module of an operation."""
    path = next(route.path for route in ROUTES if route.name == operation)
    return importlib.import_module(f"{PACKAGE}.api.{path.split('/')[2]}.{operation}")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Settings]]:
    """Where a server listens, and its settings."""
    folder = tmp_path_factory.mktemp("office")
    settings = Settings(database_url=migrated(f"sqlite:///{folder / 'masthead.db'}"))
    with serve(settings.database_url, folder / "log") as server:
        yield server.url, settings


@pytest.fixture
async def office(package: Path, running: tuple[str, Settings]) -> Office:
    """A publisher's office, still empty."""
    url, settings = running
    async with serving(settings) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
    library = importlib.import_module(package.name)
    return Office(url, cast, importlib.import_module(f"{package.name}.models"), library)


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize("operation", [route.name for route in ROUTES])
def test_client_has_every_operation(operation: str) -> None:
    assert callable(ask(operation).sync)
    assert callable(ask(operation).asyncio)


def test_client_can_use_the_main_operations(office: Office) -> None:
    models = office.models
    me = office.get("get_me")
    assert isinstance(me, models.Me)
    assert (me.account.name, me.scope) == ("Acme", models.Scope.READ_WRITE)

    sources = office.get("list_sources")
    assert isinstance(sources, models.SourcePage)
    shop = next(each for each in sources.items if each.id == office.cast.shop)
    assert (shop.type_, shop.is_active) == (models.SourceType.SHOP, True)

    issue = office.get(
        "create_issue", body=models.IssueCreate(number=1, release_date_actual=SPRING)
    )
    assert isinstance(issue, models.Issue)
    assert (issue.name, issue.release_date_actual) == ("Issue 1", SPRING)
    assert issue.newsstand_ean is None

    issue = office.get("update_issue", issue.id, body=models.IssueUpdate(release_date_actual=None))
    assert (issue.name, issue.release_date_actual) == ("Issue 1", None)
    assert office.get("get_issue", issue.id) == issue
    assert office.get("list_issues").items == [issue]

    made = office.get(
        "create_subscription",
        body=models.SubscriptionCreate(
            source=shop.id,
            start_issue=1,
            length=4,
            first_name="Ada",
            email="ada@acme.test",
            country=models.CountryCode.DE,
            order_id="SHOP-1",
            order_date=SPRING,
            price="42",
            medium=models.Medium.PRINT_DIGITAL,
        ),
    )
    assert isinstance(made, models.Subscription)
    assert (made.status, made.type_) == (
        models.SubscriptionStatus.ACTIVE,
        models.SubscriptionType.SUBSCRIPTION,
    )
    assert (made.price, made.currency, made.order_date) == ("42.00", "EUR", SPRING)
    assert (made.total_length, made.length, made.interval_months) == (4, 4, None)
    assert made.medium is models.Medium.PRINT_DIGITAL
    assert made.shipping_address.country_name == "Germany"
    assert made.start_issue.number == 1
    assert made.periods[0].issue_list == [1, 2, 3, 4]
    assert made.gifter is None

    assert office.get("get_subscription", made.id) == made
    page = office.get("list_subscriptions", search="ada", is_gift=False, limit=1)
    assert (page.items, page.has_more, page.cursor) == ([made], False, None)

    reader = office.get("get_subscriber", made.subscriber.id)
    assert isinstance(reader, models.Subscriber)
    assert (reader.email, reader.ltv, reader.subscription_count) == ("ada@acme.test", "42.00", 1)
    assert office.get("list_subscribers", search="ada").items == [reader]

    moved = office.get(
        "update_subscription",
        made.id,
        body=models.SubscriptionUpdate(city="Paris", country=models.CountryCode.FR),
    )
    assert (moved.shipping_address.city, moved.shipping_address.country) == ("Paris", "FR")
    assert moved.first_name == "Ada"

    (copy,) = office.get("list_copies", status=models.CopyStatus.NOT_SENT, country="FR").items
    assert isinstance(copy, models.Copy)
    assert (copy.issue.number, copy.date_sent, copy.subscription_id) == (1, None, made.id)
    assert office.get("list_issue_copies", issue.id, subscription=made.id).items == [copy]

    marked = office.get("mark_copies_sent", body=models.MarkSent(ids=[copy.id], date=SPRING))
    assert isinstance(marked, models.MarkedSent)
    assert (marked.error, marked.updated_count) == (False, 1)
    assert marked.items[0].date_sent == SPRING
    marked = office.get("mark_copy_sent", copy.id, body=models.MarkSentDate(date=None))
    assert (marked.items[0].date_sent, marked.items[0].status) == (None, models.CopyStatus.SENT)
    assert office.get("mark_copy_sent", copy.id).updated_count == 1, "the body can be left out"

    gone = office.get(
        "cancel_subscription",
        made.id,
        body=models.SubscriptionCancel(mode=models.CancelMode.CANCEL),
    )
    assert gone.status is models.SubscriptionStatus.CANCELLED
    with office.library.Client(base_url=office.url) as nobody:
        state = ask("get_subscription_status").sync(made.id, client=nobody)
    assert isinstance(state, models.SubscriptionState)
    assert state.status is models.SubscriptionStatus.CANCELLED


def test_client_reads_lists_to_their_end(office: Office) -> None:
    for number in range(1, 6):
        office.get("create_issue", body=office.models.IssueCreate(number=number))
    page = office.get("list_issues", limit=2)
    numbers = [issue.number for issue in page.items]
    while page.has_more:
        page = office.get("list_issues", limit=2, cursor=page.cursor)
        numbers += [issue.number for issue in page.items]
    assert numbers == [5, 4, 3, 2, 1]


def test_client_understands_errors(office: Office) -> None:
    models = office.models
    body = models.IssueCreate(number=1)

    refused = office.call("create_issue", body=body, key=office.cast.read_only_key)
    assert refused.status_code == HTTPStatus.FORBIDDEN
    assert isinstance(refused.parsed, models.ApiError)
    assert refused.parsed.code == "read_only_key"

    office.get("create_issue", body=body)
    refused = office.call("create_issue", body=body)
    assert refused.status_code == HTTPStatus.BAD_REQUEST
    assert (refused.parsed.error, refused.parsed.code) == (True, "duplicate_issue_number")

    refused = office.call("get_issue", "NOSUCHISSUE")
    assert refused.status_code == HTTPStatus.NOT_FOUND
    assert refused.parsed.code == "not_found"

    refused = office.call("get_me", key="mh_wrong")
    assert (refused.status_code, refused.parsed) == (HTTPStatus.UNAUTHORIZED, None)
    assert refused.content == b""
