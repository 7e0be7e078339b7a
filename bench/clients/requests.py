"""The measured requests: reads and writes of every endpoint, for the load generator."""

import json
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from bench.clients.client import Client
from bench.databases import Built
from bench.servers.processes import Server

PAGES = 5  # of 200 ids each, for requests of single records
CREATION = "create subscription"
BULK = 1_000  # copies marked by one request


class Case(Struct, frozen=True):
    """One measured request. template: its path in the routes; ids: used in turn for `{id}`.

    body: as JSON, with `{id}`, `{n}`, a number that is used once, and `{day}`, a different date
    each time.
    """

    name: str
    method: str
    template: str
    ids: Sequence[str] = ("",)
    query: str = ""
    body: str = ""

    @property
    def route(self) -> str:
        """The method and path, as in masthead's routes."""
        return f"{self.method} {self.template}"

    @property
    def paths(self) -> list[str]:
        """Path and query of each request."""
        place = self.template[self.template.find("{") : self.template.find("}") + 1] or "\0"
        ending = f"?{self.query}" if self.query else ""
        return [self.template.replace(place, id) + ending for id in self.ids]

    @property
    def limit(self) -> int:
        """The items on the page: 50 unless the query has a limit, 0 if it is not a list."""
        if self.template.endswith("{id}/") or self.name in ("me", "status"):
            return 0
        return int(self.query.partition("limit=")[2] or 50)

    @property
    def lines(self) -> list[str]:
        """The requests for load.lua."""
        return [
            f"{self.method} {path} {self.body.replace('{id}', id)}".rstrip()
            for path, id in zip(self.paths, self.ids, strict=True)
        ]


def walk(client: Client, path: str, pages: int = PAGES, limit: int = 200) -> list[dict[str, Any]]:
    """The items of the first pages of a list."""
    items: list[dict[str, Any]] = []
    cursor = ""
    for _ in range(pages):
        mark = "&" if "?" in path else "?"
        page = client.get(f"{path}{mark}limit={limit}{cursor}")
        items += page["items"]
        if not page["has_more"]:
            break
        cursor = f"&cursor={page['cursor']}"
    return items


def ids(items: Sequence[dict[str, Any]]) -> list[str]:
    """The ids of some records, as written in paths."""
    return [str(item["id"]) for item in items]


def reads(server: Server, built: Built) -> list[Case]:
    """The endpoints that read, those with targets first."""
    client = Client(server.address, built.key)
    subscriptions = ids(walk(client, "/v1/subscriptions/"))
    subscribers = ids(walk(client, "/v1/subscribers/"))
    issues = ids(walk(client, "/v1/issues/"))
    lists = {
        "subscriptions, 50": Case("", "GET", "/v1/subscriptions/", query="limit=50"),
        "subscriptions, 200": Case("", "GET", "/v1/subscriptions/", query="limit=200"),
        "subscribers": Case("", "GET", "/v1/subscribers/", query="limit=50"),
        "issues": Case("", "GET", "/v1/issues/", query="limit=50"),
        "copies": Case("", "GET", "/v1/copies/", query="limit=50"),
        "copies of an issue": Case(
            "", "GET", "/v1/issues/{id}/copies/", ids=issues, query="limit=50"
        ),
        "sources": Case("", "GET", "/v1/sources/", query="limit=50"),
    }
    return [
        Case("me", "GET", "/v1/me/"),
        Case("status", "GET", "/v1/subscriptions/{id}/status/", subscriptions),
        Case("get subscription", "GET", "/v1/subscriptions/{id}/", subscriptions),
        *(
            Case(f"list {name}", case.method, case.template, case.ids, case.query)
            for name, case in lists.items()
        ),
        Case("get subscriber", "GET", "/v1/subscribers/{id}/", subscribers),
        Case("get issue", "GET", "/v1/issues/{id}/", issues),
    ]


def order(source: str) -> str:
    """A manual subscription of 24 issues, with a new order id and subscriber."""
    return json.dumps(
        {
            "source": source,
            "start_issue": 1,
            "length": 24,
            "email": "new.reader.{n}@readers.example",
            "first_name": "New",
            "last_name": "Reader",
            "address1": "12 Harbour Street",
            "city": "Bergen",
            "postcode": "5003",
            "country": "NO",
            "order_id": "NEW-{n}",
            "order_date": "2025-06-01",
            "price": "96.00",
        }
    )


def creation(built: Built) -> Case:
    """The one write that has a target."""
    source = built.sources["Web shop"]
    return Case(CREATION, "POST", "/v1/subscriptions/", body=order(source))


def writes(server: Server, built: Built) -> list[Case]:
    """The endpoints that write; copies to be marked are not sent yet."""
    client = Client(server.address, built.key)
    subscriptions = ids(walk(client, "/v1/subscriptions/", pages=50))
    issues = ids(walk(client, "/v1/issues/"))
    unsent = unsent_copies(client)
    # Each measurement has separate subscriptions, as long as there are enough
    third = max(len(subscriptions) // 3, 1)
    return [
        creation(built),
        Case(
            "change notes",
            "PATCH",
            "/v1/subscriptions/{id}/",
            subscriptions[:third],
            body='{"notes": "note {n}"}',
        ),
        Case(
            "change country",
            "PATCH",
            "/v1/subscriptions/{id}/",
            subscriptions[third : 2 * third],
            body='{"country": "NO", "city": "Bergen {n}"}',
        ),
        Case(
            "cancel",
            "POST",
            "/v1/subscriptions/{id}/cancel/",
            subscriptions[-third:],
            body='{"mode": "cancel"}',
        ),
        Case("create issue", "POST", "/v1/issues/", body='{"number": {n}}'),
        Case("rename issue", "PATCH", "/v1/issues/{id}/", issues[:1], body='{"name": "Issue {n}"}'),
        Case(
            "mark 1 copy sent",
            "POST",
            "/v1/copies/{copy_id}/mark-sent/",
            unsent,
            body='{"date": "{day}"}',
        ),
        mark_many(server, built),
    ]


def unsent_copies(client: Client) -> list[str]:
    """Copies that can be marked."""
    return ids(walk(client, "/v1/copies/?status=Not+sent", pages=100))


def mark_many(server: Server, built: Built) -> Case:
    """Requests that mark a thousand copies."""
    unsent = unsent_copies(Client(server.address, built.key))
    batches = [unsent[at : at + BULK] for at in range(0, len(unsent), BULK)]
    return Case(
        f"mark {BULK:,} copies sent",
        "POST",
        "/v1/copies/mark-sent/",
        [", ".join(batch) for batch in batches],
        body='{"ids": [{id}], "date": "{day}"}',
    )
