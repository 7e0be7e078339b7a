"""Every page works on both databases: an owner follows all links of an account with all data.

Moments on pages and in files are in the time zone of the account: here, one whose minutes differ
from those of UTC. So a page with a time of UTC was not told the zone.
"""

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import cache
from urllib.parse import urljoin, urlsplit
from zoneinfo import ZoneInfo

import httpx

from masthead.model.clock import account_today, now
from masthead.model.pagination import PageRequest
from masthead.services import accounts
from masthead.store.audit import log
from masthead.store.audit.log import AuditFilter
from masthead.web.downloads.lists import LISTS, SETTINGS_LISTS
from masthead.web.kit.router import PageRoute
from masthead.web.routes import PAGES
from tests.conftest import BY, Cast
from tests.support.billing import make_billing
from tests.support.factories import PLACEHOLDER_DOMAIN, import_row
from tests.support.keyed_requests import PUBLIC_URL
from tests.support.rich_account import NOW, make_rich
from tests.support.webhooks import make_webhook
from tests.web.conftest import Person
from tests.web.test_forms_without_fields import without_fields

LINK = re.compile(r'\b(?:href|src)="(/[^"#]*)')
PER_ROUTE = 2  # addresses of a route, such as those of subscribers, that are opened
ALL_OPENED = "/desk/{subdomain}/money/invoices/{id}/"  # only some are open, or can be collected
# No link leads an owner who is signed in to these, or the account has nothing that needs them:
# an upload, a finished file, a second factor, a merge or note that may be undone.
# Their own tests open them
UNLINKED = """
/desk/
/desk/{subdomain}/chosen/{list}/download/
/desk/{subdomain}/chosen/{list}/hold/
/desk/{subdomain}/chosen/{list}/letter/
/desk/{subdomain}/chosen/{list}/note/
/desk/{subdomain}/chosen/{list}/release/
/desk/{subdomain}/money/reminders/write-off/
/desk/{subdomain}/subscriptions/{id}/refund/{refund}/delete/
/desk/{subdomain}/money/reminders/{stage}/
/desk/{subdomain}/letters/batches/{id}/retry/
/desk/{subdomain}/letters/{stage}/send/
/desk/{subdomain}/copy-key/moved/
/desk/{subdomain}/claims/print/
/desk/{subdomain}/dispatches/{id}/files/{file}/
/desk/{subdomain}/dispatches/{id}/group/
/desk/{subdomain}/imports/{id}/
/desk/{subdomain}/imports/{id}/columns/
/desk/{subdomain}/imports/{id}/delete/
/desk/{subdomain}/imports/{id}/preview/
/desk/{subdomain}/imports/{id}/refused/
/desk/{subdomain}/imports/{id}/rows/
/desk/{subdomain}/dispatches/{id}/undo/
/desk/{subdomain}/imports/{id}/undo/
/desk/{subdomain}/issues/{id}/delete/
/desk/{subdomain}/money/bookkeeping/vat/csv/
/desk/{subdomain}/money/bookkeeping/vat/xlsx/
/desk/{subdomain}/money/bookkeeping/vat-changes/csv/
/desk/{subdomain}/money/bookkeeping/vat-changes/xlsx/
/desk/{subdomain}/money/debits/letters/
/desk/{subdomain}/money/deferred/{id}/compare/
/desk/{subdomain}/money/invoices/{id}/debit/letter/
/desk/{subdomain}/money/invoices/{id}/use-credit/
/desk/{subdomain}/money/invoices/{id}/write-off/
/desk/{subdomain}/claims/copies/
/desk/{subdomain}/returns/copies/
/desk/{subdomain}/returns/files/{id}/
/desk/{subdomain}/returns/files/{id}/report/
/desk/{subdomain}/settings/export/{id}/zip/
/desk/{subdomain}/outbox/
/desk/{subdomain}/outbox/{id}/
/desk/{subdomain}/settings/sandbox/delete/
/desk/{subdomain}/settings/sandbox/reset/
/desk/{subdomain}/settings/self-service/logo/
/desk/{subdomain}/subscribers/{id}/merges/{merge}/undo/
/desk/{subdomain}/subscribers/{id}/notes/
/desk/{subdomain}/subscribers/{id}/notes/{note}/delete/
/desk/{subdomain}/subscribers/suggestions/
/desk/{subdomain}/subscriptions/{id}/reopen/
/link/{token}/
/sign-in/
/sign-in/forgotten-password/
/sign-in/second-step/
/unsubscribe/{token}/
/you/confirm/
/you/two-step/app/remove/
/you/two-step/passkeys/new/
/you/two-step/passkeys/{id}/
/you/two-step/passkeys/{id}/remove/
""".split()


def pattern(path: str) -> re.Pattern[str]:
    """What the addresses of a route look like."""
    return re.compile(re.sub(r"\\\{\w+(?::\w+)?\\\}", "[^/]+", re.escape(path)))


PATTERNS = [(pattern(page.path), page) for page in PAGES]
ROUTES = {page.path for page in PAGES if "GET" in page.methods.split()}


@cache
def pages_of(path: str) -> list[PageRoute]:
    """The pages that a path may be; fixed paths come first, as in the router."""
    fitting = [page for known, page in PATTERNS if known.fullmatch(path)]
    return sorted(fitting, key=lambda page: page.path.count("{"))


def route_of(address: str) -> str | None:
    """The route of a page that an address opens."""
    routes = (page.path for page in pages_of(urlsplit(address).path))
    return next((route for route in routes if route in ROUTES), None)


def links_of(address: str, page: str) -> Iterator[str]:
    """The addresses that a page links to."""
    for match in LINK.finditer(page):
        yield urljoin(address, html.unescape(match[1]))


ZONE = "Asia/Kathmandu"  # UTC+05:45
FIXED = f"{NOW.astimezone(ZoneInfo(ZONE)):%H:%M:%S}"  # whatever the time of the test is
TIME = re.compile(r"\b[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?\b")


def utc_times(text: str, since: datetime) -> list[str]:
    """The times in a text that are those of UTC since a moment."""
    seconds = int((now() - since).total_seconds()) + 2
    moments = [since + timedelta(seconds=n) for n in range(seconds)]
    known = {f"{each:{form}}" for each in moments for form in ("%H:%M:%S", "%H:%M")}
    return sorted({*TIME.findall(text)} & known - {FIXED, FIXED[:5]})


HEAD = re.compile(r"<th [^>]*>(.*?)</th>", re.DOTALL)
CELL = re.compile(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", re.DOTALL)
MARKED = re.compile(r'<span class="status"[^>]*>(.*?)</span>', re.DOTALL)


def small_statuses(page: str) -> list[str]:
    """The statuses that begin with a small letter: marked ones, and those of a column."""
    found = MARKED.findall(page)
    for table in re.findall(r"<table.*?</table>", page, re.DOTALL):
        head, _, body = table.partition("</thead>")
        heads = [text_of(each) for each in HEAD.findall(head)]
        if "Status" in heads:
            cells = [CELL.findall(row) for row in re.findall(r"<tr.*?</tr>", body, re.DOTALL)]
            found += [each[heads.index("Status")] for each in cells if len(each) == len(heads)]
    return [text_of(each) for each in found if text_of(each)[:1].islower()]


def text_of(fragment: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", fragment).split())


# What people have typed, and letters that a page quotes, keep their signs
QUOTED = re.compile(r"<(bdi|pre|textarea|code|script)\b.*?</\1>", re.DOTALL)
HYPHENATED = re.compile(
    r"(?<![\w.-])-[€$£¥]?(?:[A-Z]{3}\s)?[0-9][0-9.,]*|-[€$£]\s?[0-9.,]+|\b[A-Z]{3}-[0-9]+[.,][0-9]{2}"
)


def hyphenated_numbers(page: str) -> list[str]:
    """The numbers below zero whose sign is a hyphen: pages have a minus sign."""
    return HYPHENATED.findall(text_of(QUOTED.sub("", page)))


INLINE = re.compile(r"</?(?:a|b|em|small|span|strong|time|wbr)\b[^>]*>")
GLUED = re.compile(r"\S*[a-zäöüß0-9][.?!][A-ZÄÖÜ€]\S*")


def glued_sentences(page: str) -> list[str]:
    """The sentences that begin without a space after the one before."""
    return GLUED.findall(text_of(INLINE.sub("", QUOTED.sub("", page))))


# Of a subscriber without an email address; only programs see it
PLACEHOLDER = re.compile(rf"[\w.-]+@{re.escape(PLACEHOLDER_DOMAIN)}")
ID = re.compile(r'<[a-z][^>]*?\sid="([^"]+)"')


def repeated_ids(page: str) -> list[str]:
    """The ids that several elements have: a label of one of them belongs to another."""
    return sorted(id for id, count in Counter(ID.findall(page)).items() if count > 1)


NAMED = re.compile(r"""attachment; filename(?:="|\*=UTF-8'')([A-Za-z0-9.-]+|EXTF_\S+\.csv)"?""")
# Named in the audit log only with the record of the entry, which a sample does not have
NAMELESS = re.compile("data-|direct-debits-|reminders?-|renewal-letters-|sample-invoice")
# Documents are called by their number, and DATEV wants a name of its own
SAME = re.compile(r"[A-Z]*[0-9-]+(-factur-x|-xrechnung)?\.(pdf|xml)|EXTF_Buchungsstapel_\S+")


async def check_german_names(owner: Person, names: Mapping[str, str]) -> None:
    """Open files again in German. names: in English, by address."""
    await owner.post("/you/locale/", {"locale": "de_DE"})
    english = {each: name for each, name in names.items() if not SAME.fullmatch(name)}
    german = {each: name_of(await owner.http.get(each)) for each in english}
    assert {*german.values()} & {*english.values()} == set()
    assert len({*german.values()}) == len({*english.values()}) > 60


def name_of(response: httpx.Response) -> str:
    """The name of a file, which has only plain characters."""
    found = NAMED.fullmatch(response.headers["Content-Disposition"])
    assert found is not None, response.headers["Content-Disposition"]
    return found[1]


async def list_unrecorded(cast: Cast, names: Iterable[str]) -> list[str]:
    """The files that were opened and have no entry in the audit log."""
    entries = PageRequest(limit=1_000, after=None, binding=b"")
    async with cast.db.read() as db:
        found = await log.list_log(db, cast.account_id, AuditFilter(), entries)
    known = {str((each.after or {}).get("file")) for each in found.items}
    return sorted(name for name in names if name not in known and not NAMELESS.match(name))


async def test_every_page_opens_and_shows_moments_in_the_time_zone_of_the_account(
    acme: Cast, owner: Person
) -> None:
    since, times = now(), 0
    await accounts.update_account(acme.db, acme.account_id, time_zone=ZONE, by=BY)
    await make_rich(acme)
    await make_billing(acme)
    recent = {"order_date": f"{account_today()}", "refunded": "2.00"}  # pages show twelve months
    await import_row(acme, start_issue="5", length="1", **recent)
    await make_webhook(acme, PUBLIC_URL)
    waiting, seen, opened = [owner.address()], set[str](), Counter[str]()
    wrong, files = [], dict[str, str]()
    while waiting:
        address = waiting.pop()
        route = route_of(address)
        if route is None or address in seen:
            continue
        if opened[route] >= PER_ROUTE and route != ALL_OPENED:
            continue
        seen.add(address)
        opened[route] += 1
        response = await owner.http.get(address)
        if response.status_code not in (200, 303):
            wrong.append(f"{response.status_code} {address}")
        elif "html" in response.headers.get("Content-Type", ""):
            wrong += [f"“{each}” on {address}" for each in small_statuses(response.text)]
            wrong += [f"{each} on {address}" for each in hyphenated_numbers(response.text)]
            wrong += [f"“{each}” on {address}" for each in glued_sentences(response.text)]
            wrong += [f"the id {each} twice on {address}" for each in repeated_ids(response.text)]
            waiting += links_of(address, response.text)
            wrong += [
                f"a form without fields on {address} for {each}"
                for each in without_fields(response.text)
                if not any(page.is_button for page in pages_of(each))
            ]
        if "Content-Disposition" in response.headers:
            files[address] = name_of(response)
        if response.headers.get("Content-Type", "").startswith(("text/html", "text/csv")):
            wrong += [f"{each} on {address}" for each in PLACEHOLDER.findall(response.text)]
            times += len(TIME.findall(response.text))
            wrong += [f"UTC {time} {address}" for time in utc_times(response.text, since)]
    assert not wrong, "\n".join(wrong)
    for place, lists in (([], LISTS), (["settings"], SETTINGS_LISTS)):
        for name in lists.keys() - {"statement-figures", "statement-orders"}:  # of a statement
            file = await owner.http.get(owner.address(*place, "downloads", name, "csv"))
            if file.status_code != 200:
                continue  # some need filters
            files[str(file.url)] = name_of(file)
            wrong += [f"{each} in {name}.csv" for each in PLACEHOLDER.findall(file.text)]
            found = TIME.findall(file.text)
            times += len(found)
            wrong += [f"UTC {time} {name}.csv" for time in utc_times(" ".join(found), since)]
    assert not wrong, "\n".join(wrong)
    assert times > 20  # there were moments to look at
    assert not (left := await list_unrecorded(acme, files.values())), "\n".join(left)
    await check_german_names(owner, files)
    unopened = sorted(ROUTES - opened.keys() - {*UNLINKED})
    assert not unopened, "\n".join(unopened)
