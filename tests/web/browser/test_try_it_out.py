"""In `/docs`, each request can be sent, and sent again, as the page fills it in."""

import asyncio
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page

from masthead.model.billing.settings import BillingInput
from masthead.model.validation import decode_input
from masthead.services.billing.settings import save_rate, save_settings
from masthead.store.accounts import find_account
from masthead.store.engine.database import connect
from tests.conftest import BY
from tests.support.billing import RATES, SETTINGS
from tests.support.honest_errors import HONEST_ERRORS
from tests.support.keyed_requests import PUBLIC_URL
from tests.support.openapi import described
from tests.support.waiting import PATIENCE
from tests.web.browser.conftest import Publication, Stage, in_thread


async def turn_on_billing(stage: Stage, publication: Publication) -> None:
    """Let the account write invoices."""
    db = await connect(stage.database_url)
    try:
        account = await find_account(db, publication.subdomain)
        assert account
        await save_settings(db, account.id, decode_input(BillingInput, SETTINGS), by=BY)
        for rate in RATES:
            await save_rate(db, account.id, rate, by=BY)
    finally:
        await db.close()


class Records:
    """An account with a record of each kind. key: read-write."""

    def __init__(self, stage: Stage, publication: Publication) -> None:
        account, owner = ("--account", publication.subdomain), publication.owner
        made = stage.run("key", "create", *account, "--user", owner, "--scope", "read_write")
        self.key, self._url = made["key"], stage.server.url
        source = stage.run("source", "create", *account, "--name", "Shop", "--type", "shop")
        issue = self._post("/v1/issues/", {"number": 1})
        order = {
            "source": source["id"],
            "order_date": "2026-01-15",
            "start_issue": 1,
            "length": 4,
            "price": "42",
            "first_name": "Ada",
            "country": "DE",
        }
        self._post("/v1/subscriptions/", {**order, "order_id": "first"})
        second = self._post("/v1/subscriptions/", {**order, "order_id": "second"})
        [held] = self._ask("GET", f"/v1/copies/?subscription={second['id']}")["items"]
        copy = held["id"]
        self._post("/v1/copies/mark-sent/", {"ids": [copy]})
        address = {"address1": "Lange Straße 5", "city": "Bremen", "country": "DE"}
        moved = {"reports": [{"copy": copy, "kind": "moved", **address}]}
        report = self._post("/v1/delivery-reports/", moved)["items"][0]
        claim = self._post("/v1/claims/", {"copy": copy, "reason": "damaged"})
        run = self._post("/v1/dispatches/", {"issue": issue["id"]})
        planned = {"subscriptions": [second["id"]], "first_issue": 50, **address}
        change = self._post("/v1/address-changes/", planned)["items"][0]
        webhook = self._post("/v1/webhooks/", {"url": PUBLIC_URL})
        in_thread(lambda: asyncio.run(turn_on_billing(stage, publication)))
        billed = {**order, **address, "order_id": "third", "is_billed": True}
        [invoice] = self._post("/v1/orders/", billed)["invoices"]
        payer = self._ask("GET", f"/v1/invoices/{invoice}/")["payer"]["id"]
        paid = self._post("/v1/payments/", {"amount": "10", "payer": payer})
        self._ids = {
            "subscriber": second["subscriber"]["id"],
            "copy_id": copy,
            "subscribers": second["subscriber"]["id"],
            "subscriptions": second["id"],
            "issues": issue["id"],
            "dispatches": run["id"],
            "delivery-reports": report["id"],
            "claims": claim["id"],
            "products": second["product"]["id"],
            "address-changes": change["id"],
            "webhooks": webhook["id"],
            "invoices": invoice,
            "payments": paid["id"],
        }

    def id_of(self, parameter: str, tag: str) -> str:
        """The id that a person types for a required parameter of an operation."""
        return str(self._ids.get(parameter) or self._ids[tag])

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        return self._ask("POST", path, json=body)

    def _ask(self, method: str, path: str, json: dict[str, Any] | None = None) -> Any:
        headers, url = {"Authorization": f"Bearer {self.key}"}, self._url + path
        with httpx.Client(headers=headers, timeout=PATIENCE, trust_env=False) as client:
            return client.request(method, url, json=json).raise_for_status().json()


@pytest.mark.slow  # all operations in a large page
@pytest.mark.timeout(3600)
def test_each_button_can_be_pressed_twice(
    stage: Stage, publication: Publication, script_page: Page
) -> None:
    page, records = script_page, Records(stage, publication)
    page.goto(f"{stage.server.url}/docs")
    page.locator(".btn.authorize").first.click()
    page.locator("input[aria-label='auth-bearer-value']").fill(records.key)
    page.locator(".auth-btn-wrapper .authorize").click()
    page.locator(".auth-btn-wrapper .btn-done").click()

    found: dict[str, list[str]] = {}
    for operation in (each for path in described()["paths"].values() for each in path.values()):
        name, tag = operation["operationId"], operation["tags"][0]
        block = page.locator(f"#operations-{tag}-{name}")
        block.locator(".opblock-summary-control").dispatch_event("click")
        block.locator(".try-out__btn").dispatch_event("click")
        for parameter in operation["parameters"]:
            if parameter.get("required"):
                field = block.locator(f"tr[data-param-name='{parameter['name']}'] input")
                field.fill(records.id_of(parameter["name"], tag))
                field.blur()  # until then, the page waits for more
        found[name] = []
        for _ in range(2):
            with page.expect_response(lambda response: "/v1/" in response.url) as answered:
                block.locator(".execute").click()  # once the page stands still
            response = answered.value
            found[name].append("" if response.ok else response.json()["code"])
        block.locator(".opblock-summary-control").dispatch_event("click")  # open ones take time
    expected = {name: HONEST_ERRORS.get(name, ["", ""]) for name in found}
    if found["resend_webhook_events"] == ["", ""]:  # the events of the example: the first account's
        expected["resend_webhook_events"] = ["", ""]
    assert found == expected
