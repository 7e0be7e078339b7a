"""Files that are uploaded on the pages of imports."""

import re
from collections.abc import Mapping
from pathlib import Path

import httpx

from tests.web.conftest import Person, fields_of

FILES = Path(__file__).parents[2] / "files" / "imports"
FORM = re.compile(r'<form[^>]*method="post"[^>]*action="(?P<action>[^"]*)".*?</form>', re.DOTALL)
UNKNOWN = (
    "Wer;Wohin;PLZ;Ort;Land;Was;Ab;Betrag;Wann\n"
    "Ann Fox;Kai 1;20457;Hamburg;Deutschland;Jahresabo 4 Ausgaben;12;42,00 €;13.01.2026\n"
    "Bo Lund;Gade 2;2100;København;Danmark;Probeheft;12;9,50 €;02.02.2026\n"
).encode()
CHOSEN = {
    "column-full_name": "c0",
    "column-address1": "c1",
    "column-postcode": "c2",
    "column-city": "c3",
    "column-country": "c4",
    "column-product": "c5",
    "column-start_issue": "c6",
    "column-price": "c7",
    "column-order_date": "c8",
    "column-medium": "=Print",
    "constant-length": "4",
    "order_prefix": "LIST-",
    "create_issues": "yes",
}


async def upload(
    person: Person, content: bytes, name: str = "list.csv", **fields: str
) -> httpx.Response:
    """Send a file as the form does; the answer."""
    return await person.http.post(
        person.address("imports", "new"),
        data={"source": "new", "source_name": "Shop", **fields},
        files={"file": (name, content, "text/csv")},
        headers={"Sec-Fetch-Site": "same-origin"},
    )


async def uploaded(person: Person, content: bytes, name: str = "list.csv", **fields: str) -> str:
    """The id of the import of an uploaded file, which is readable."""
    sent = await upload(person, content, name, **fields)
    assert sent.status_code == 303, sent.text
    return sent.headers["Location"].split("/")[-3]


def form_of(page: str, action: str) -> dict[str, str]:
    """The values of the form with an action."""
    for found in FORM.finditer(page):
        if found["action"] == action:
            return fields_of(found[0])
    raise AssertionError(action)


async def choose(
    person: Person, id: str, fields: Mapping[str, str], button: str = "preview"
) -> httpx.Response:
    """Fill in the form of the columns; the page that follows, or the form with its errors."""
    address = person.address("imports", id, "columns")
    shown = form_of(await person.text("imports", id, "columns"), address)
    sent = await person.post(address, {**shown, button: "yes", **fields})
    if sent.status_code != 303:
        return sent
    return await person.http.get(sent.headers["Location"])
