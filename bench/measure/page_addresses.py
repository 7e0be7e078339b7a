# ruff: noqa: S608 - our own names
"""The addresses of all pages: those that links lead to, and those with filters and searches."""

import html
import json
import re
from collections.abc import Iterable, Mapping
from urllib.parse import urlencode, urljoin, urlsplit

from bench import data
from bench.clients.in_process import Asker
from bench.databases import Built
from bench.servers.ready import ask_database
from masthead.model.renewals.lapsed import RenewalStage
from masthead.web.downloads.lists import LISTS
from masthead.web.routes import PAGES
from masthead.web.subscriber_pages.routes import MY_PAGES

DESK, MY = "/desk/bench/", "/my/bench/"
LINK = re.compile(r'\b(?:href|src)="(/[^"#]*)')
LATE = re.compile(r"[?&](?:cursor|before|after|copies)=")
LATER = 20  # pages of a list, to the one that counts as late
FILES = (
    *("/csv/", "/xlsx/", "/pdf/", "/download/", "/datev/", "/zip/", "/addresses/", "/file/"),
    *("/factur-x/", "/xrechnung/", "/report/", "/refused/", "/{format}/", "/files/{file}/"),
    "/{part}/",
)
# Of other pages than those of the publication: they have the data of one user
ELSEWHERE = ("/you/", "/sign-in/", "/link/", "/help/", "/unsubscribe/")
# What the data does not have: uploaded files, sandboxes, pictures, and links of an hour
MISSING = """
/desk/bench/copy-key/moved/ /desk/bench/dispatches/{id}/files/{file}/ /desk/bench/imports/{id}/
/desk/bench/imports/{id}/columns/ /desk/bench/imports/{id}/delete/ /desk/bench/imports/{id}/preview/
/desk/bench/imports/{id}/refused/ /desk/bench/imports/{id}/rows/ /desk/bench/imports/{id}/undo/
/desk/bench/issues/{id}/cover/{sha256}/ /desk/bench/issues/{id}/delete/
/desk/bench/letters/batches/{id}/pdf/{part}/ /desk/bench/letters/batches/{id}/retry/
/desk/bench/money/deferred/{id}/compare/ /desk/bench/money/reminders/rounds/{id}/pdf/
/desk/bench/outbox/ /desk/bench/outbox/{id}/ /desk/bench/returns/files/{id}/
/desk/bench/returns/files/{id}/report/ /desk/bench/settings/billing/letterhead/{number}/
/desk/bench/settings/export/{id}/zip/ /desk/bench/settings/sandbox/
/desk/bench/settings/sandbox/delete/ /desk/bench/settings/sandbox/reset/
/desk/bench/settings/self-service/logo/ /desk/bench/settings/webhooks/{id}/
/desk/bench/settings/webhooks/{id}/delete/ /desk/bench/settings/webhooks/{id}/edit/
/desk/bench/settings/webhooks/{id}/rotate/
/desk/bench/subscribers/{id}/account/mandates/{mandate}/file/
/desk/bench/subscribers/{id}/merges/{merge}/undo/ /desk/bench/subscribers/{id}/notes/{note}/delete/
/my/bench/confirm/{token}/ /my/bench/link/{token}/ /my/bench/logo/ /my/bench/read/{token}/
""".split()


def routes() -> list[str]:
    """The routes of all pages of the publication and of its subscribers, from the routers."""
    every = [*((p.path, p.methods) for p in PAGES), *((p.path, p.methods) for p in MY_PAGES)]
    found = [path for path, methods in every if "GET" in methods.split()]
    return [
        path.replace("{subdomain}", "bench") for path in found if not path.startswith(ELSEWHERE)
    ]


def _pattern(route: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(route)))


class Addresses:
    """The addresses of each route: of a list, the first page, a late one, and filtered ones."""

    def __init__(self) -> None:
        known = sorted(routes(), key=lambda route: route.count("{"))
        self._patterns = [(_pattern(route), route) for route in known]
        self.found: dict[str, dict[str, str]] = {route: {} for route in known}

    def route_of(self, address: str) -> str | None:
        """The route that an address opens; fixed parts come first."""
        path = urlsplit(address).path
        return next((route for known, route in self._patterns if known.fullmatch(path)), None)

    def add(self, address: str, name: str = "") -> bool:
        """Remember an address, unless its route has one of the kind. name: of a filtered one."""
        route = self.route_of(address)
        if route is None:
            return False
        kind = name or ("late" if LATE.search(address) else "")
        if not kind and urlsplit(address).query and self.found[route]:
            return False
        if kind in self.found[route]:
            return False
        self.found[route][kind] = address
        return True

    def named(self) -> dict[str, str]:
        """All addresses by what the page says of them."""
        return {
            f"{route.removeprefix(DESK) or 'home'}{f' ({kind})' if kind else ''}": address
            for route, by_kind in self.found.items()
            for kind, address in sorted(by_kind.items())
        }

    def missing(self) -> list[str]:
        """Routes without an address that are not known to have none."""
        return sorted({name for name, known in self.found.items() if not known} - {*MISSING})


async def follow_links(asker: Asker, cookie: str, addresses: Addresses) -> None:
    """Open every page that has no parameters, and the pages that they link to."""
    for route in list(addresses.found):
        if "{" not in route:
            addresses.add(route)
    waiting = [each for known in addresses.found.values() for each in known.values()]
    seen = set[str]()
    while waiting:
        address = waiting.pop(0)
        if address in seen or (addresses.route_of(address) or "").endswith(FILES):
            continue
        seen.add(address)
        answer = await asker.get(address, cookie)
        if "text/html" in answer.headers.get("content-type", ""):
            waiting.extend(link for link in _links(address, answer.body) if addresses.add(link))
    for route, known in addresses.found.items():
        if "late" in known:
            known["late"] = await _later(asker, cookie, route, known["late"], addresses)


async def _later(asker: Asker, cookie: str, route: str, address: str, addresses: Addresses) -> str:
    """The page some pages after one of a list."""
    for _ in range(LATER):
        answer = await asker.get(address, cookie)
        following = [
            link
            for link in _links(address, answer.body)
            if LATE.search(link) and addresses.route_of(link) == route and "before=" not in link
        ]
        if not following or following[-1] == address:
            break
        address = following[-1]
    return address


def _links(address: str, body: bytes) -> Iterable[str]:
    for match in LINK.finditer(body.decode()):
        link = urljoin(address, html.unescape(match[1]))
        yield link
        if link.startswith(f"{MY}copies/"):  # only the code on a label leads to its page
            yield link.replace("/copies/", "/label/")


def add_asked(addresses: Addresses, built: Built) -> None:
    """Add what no link of a page leads to: filters, searches, and forms of a known record."""
    one = _Ids(built)
    issue = built.issues[data.DESK.issues - data.WAITING_ISSUES + 1]
    sent = built.issues[data.DESK.issues - data.WAITING_ISSUES]
    queries: Mapping[str, list[dict[str, str]]] = {
        "money/": [{"from": "2024-01", "to": "2026-12"}, {"by": "country"}],
        "money/orders/": [{"from": "2024-01-01", "to": "2026-12-31"}],
        "money/bookkeeping/": [{"from": "2026-01-01", "to": "2026-12-31"}],
        "money/invoices/": [
            {"search": "B-77777"}, {"search": "Anna Schmidt"}, {"search": "schmidt"},
            {"status": "open"}, {"status": "overdue"}, {"shown": "open"}, {"shown": "overdue"},
        ],
        "money/payments/": [{"search": "Anna Schmidt"}, {"shown": "unused"}],
        "money/payments/new/": [{"find": "schmidt"}, {"invoice": "B-77777"}],
        "money/statements/": [{"status": "matched"}, {"status": "open"}],
        "subscribers/": [
            {"search": "springfield"}, {"search": "an"}, {"search": "quillfeather"},
            {"search": "schmitd"}, {"sort": "name"}, {"sort": "-name"},
        ],
        "subscribers/suggestions/": [{"search": "schm"}, {"search": "anna schmitd"}],
        "subscriptions/": [
            {"search": "springfield"}, {"status": "Active"}, {"status": "Past due"},
            {"status": "Cancelled", "country": data.COUNTRIES[0]}, {"sort": "name"},
        ],
        "subscriptions/new/": [{"find": "anna schmidt"}, {"find": "ana schmitd"}],
        "ending/": [{"sort": "name"}, {"country": data.COUNTRIES[0]}],
        "ending/lapsed/": [{"ago": "2"}, {"ago": "2", "country": data.COUNTRIES[0]}],
        "ending/retention/list/": [{"issue": "30"}, {"issue": "30", "renewed": "no"}],
        "claims/": [{"status": "closed"}],
        "copy-key/": [{"key": "ABCDEFGHJ"}],
        f"issues/{issue}/": [{"status": "Not sent"}, {"status": "Not sent", "country": "GL"}],
        f"issues/{issue}/dispatch/": [{"countries": "DE"}, {"check": "1"}],
        f"issues/{sent}/why/": [{"subscriber": one["subscriber"]}],
        "settings/log/": [
            {"type": "invoice.issue"}, {"search": "schmidt"}, {"action": "subscription.cancel"},
        ],
        "letters/last/send/": [{"channel": "email"}],
    }  # fmt: skip
    for name, asked in queries.items():
        addresses.add(f"{DESK}{name}")
        for query in asked:
            text = urlencode(query)
            addresses.add(f"{DESK}{name}?{text}", text)
    for stage in RenewalStage:
        for name in ("letters/{}/", "letters/{}/send/", "settings/renewal-letters/{}/"):
            addresses.add(DESK + name.format(stage), stage)
    for number in "123":
        addresses.add(f"{DESK}money/reminders/{number}/", number)
    chosen = urlencode([("id", id) for id in one.several("subscription")])
    for action in ("note", "letter", "hold", "release", "download"):
        addresses.add(f"{DESK}chosen/subscriptions/{action}/?{chosen}", "50 chosen")
        addresses.add(f"{DESK}chosen/subscriptions/{action}/?all=1&status=Active", "all active")
    for listed in LISTS:
        addresses.add(f"{DESK}downloads/{listed}/csv/", listed)
    for route, table in FORMS.items():
        if id := one[table]:
            addresses.add(DESK + route.replace("{id}", id))
    addresses.add(f"{DESK}subscribers/{one['subscriber']}/merge/{one.several('subscriber')[7]}/")
    addresses.add(f"{DESK}subscribers/{one['subscriber']}/privacy/csv/")


# Forms that only some records link to
FORMS = {
    "money/invoices/{id}/": "invoice",
    "money/invoices/{id}/use-credit/": "invoice",
    "money/invoices/{id}/write-off/": "invoice",
    "money/invoices/{id}/credit/": "invoice",
    "money/invoices/{id}/replace/": "invoice",
    "money/invoices/{id}/debit/": "invoice",
    "money/invoices/{id}/reminders/": "invoice",
    "money/invoices/{id}/email/": "invoice",
    "money/payments/{id}/undo/": "payment",
    "money/statements/lines/{id}/": "bank_line",
    "money/reminders/letters/{id}/": "reminder",
    "money/reminders/letters/{id}/pdf/": "reminder",
    "money/reminders/write-off/": "invoice",
    "subscriptions/{id}/reopen/": "cancelled",
    "subscriptions/{id}/release/": "held",
    "subscribers/{id}/account/pay-back/": "credited",
    "subscribers/{id}/account/": "payer",
    "subscribers/{id}/account/edit/": "payer",
    "subscribers/{id}/account/reminders/": "payer",
    "subscribers/{id}/account/csv/": "payer",
    "subscribers/{id}/account/xlsx/": "payer",
    "subscribers/{id}/account/mandates/new/": "payer",
    "subscribers/{id}/privacy/": "subscriber",
    "subscribers/{id}/erase/": "subscriber",
    "subscribers/{id}/merge/": "subscriber",
    "subscribers/{id}/notes/": "subscriber",
}
_IDS = {
    "invoice": "SELECT max(id) AS id FROM invoice WHERE account_id = :account_id AND kind ="
    " 'invoice' AND open_amount > 0",
    "bank_line": "SELECT max(id) AS id FROM bank_line WHERE account_id = :account_id AND status ="
    " 'open'",
    "cancelled": "SELECT id FROM subscription WHERE account_id = :account_id AND status ="
    " 'Cancelled' LIMIT 1",
    "held": "SELECT subscription_id AS id FROM subscription_hold WHERE account_id = :account_id AND"
    " ended_at IS NULL LIMIT 1",
    "credited": "SELECT payer_id AS id FROM payment WHERE account_id = :account_id AND"
    " unused_amount > 0 LIMIT 1",
    "payer": "SELECT subscriber_id AS id FROM payer WHERE account_id = :account_id LIMIT 1",
}


class _Ids(dict[str, str]):
    """The id of a record, by its table or what is special of it; empty if there is none."""

    def __init__(self, built: Built) -> None:
        super().__init__()
        self._built = built

    def __missing__(self, name: str) -> str:
        sql = _IDS.get(name, f"SELECT id FROM {name} WHERE account_id = :account_id LIMIT 1")
        row = ask_database(self._built.url, sql, account_id=self._built.account_id)
        self[name] = str(row["id"]) if row and row["id"] else ""
        return self[name]

    def several(self, table: str) -> list[str]:
        """Fifty ids, or all."""
        sql = f"SELECT json_group_array(id) AS ids FROM (SELECT id FROM {table}"
        sql += " WHERE account_id = :account_id ORDER BY id DESC LIMIT 50) AS few"
        row = ask_database(self._built.url, sql, account_id=self._built.account_id)
        return list(json.loads(row["ids"])) if row else []
