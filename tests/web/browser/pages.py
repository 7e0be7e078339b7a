"""The addresses of all pages of the demo publication, by a name for tests and screenshots."""

import re
from functools import lru_cache

import httpx

DESK_PAGES = {
    "home": "",
    "subscribers": "subscribers/",
    "subscribers-found": "subscribers/?search=solheim",
    "subscribers-none": "subscribers/?search=nobody-at-all",
    "subscriber": "subscribers/{subscriber}/",
    "subscriber-edit": "subscribers/{subscriber}/edit/",
    "subscriber-notes": "subscribers/{subscriber}/notes/",
    "subscriber-duplicates": "subscribers/duplicates/",
    "subscriber-dismissed": "subscribers/duplicates/dismissed/",
    "subscriber-merge": "subscribers/{subscriber}/merge/",
    "subscriber-compare": "subscribers/{subscriber}/merge/{other}/",
    "subscriber-address": "subscribers/{subscriber}/address/",
    "subscriptions": "subscriptions/",
    "subscriptions-filtered": "subscriptions/?status=Past+due",
    "chosen-note": "chosen/subscribers/note/?scope=all&search=a",
    "chosen-letter": "chosen/subscribers/letter/?scope=all&search=a",
    "chosen-hold": "chosen/subscriptions/hold/?scope=all&status=Past+due",
    "chosen-download": "chosen/subscriptions/download/?scope=all&status=Past+due",
    "subscription": "subscriptions/{subscription}/",
    "subscriptions-held": "subscriptions/held/",
    "subscription-hold": "subscriptions/{subscription}/hold/",
    "subscription-edit": "subscriptions/{subscription}/edit/",
    "subscription-cancel": "subscriptions/{subscription}/cancel/",
    "subscription-refund": "subscriptions/{subscription}/refund/",
    "subscription-renew": "subscriptions/{subscription}/renew/",
    "subscription-reopen": "subscriptions/{subscription}/reopen/",
    "subscription-skip": "subscriptions/{subscription}/skip/",
    "subscription-terms": "subscriptions/{subscription}/terms/",
    "subscription-new": "subscriptions/new/",
    "imports": "imports/",
    "import-new": "imports/new/",
    "issues": "issues/",
    "issue": "issues/{issue}/",
    "issue-edit": "issues/{issue}/edit/",
    "issue-cover": "issues/{issue}/cover/",
    "issue-delete": "issues/{issue}/delete/",
    "issue-number": "issues/{issue}/number/",
    "issue-new": "issues/new/",
    "dispatches": "dispatches/",
    "freeze": "issues/{issue}/dispatch/",
    "freeze-limited": "issues/{issue}/dispatch/?country=GB&medium=Print",
    "run": "dispatches/{run}/",
    "run-discard": "dispatches/{run}/discard/",
    "why": "issues/{issue}/why/?subscriber={subscriber}",
    "claims": "claims/",
    "returns-found": "returns/copies/?search=solheim",
    "claim-new": "claims/new/",
    "forecast": "forecast/",
    "ending": "ending/",
    "ending-next": "ending/next/",
    "ending-lapsed": "ending/lapsed/?ago=3&sort=name",
    "ending-past-due": "ending/past-due/",
    "ending-memberships": "ending/memberships/",
    "ending-over": "ending/over/",
    "retention": "ending/retention/",
    "retention-list": "ending/retention/list/?issue=15",
    "subscriber-history": "subscribers/{subscriber}/history/",
    "subscription-history": "subscriptions/{subscription}/history/",
    "issue-history": "issues/{issue}/history/",
    "letters": "letters/",
    "letters-stage": "letters/last/",
    "letters-confirm": "letters/last/send/",
    "subscriber-letters": "subscribers/{subscriber}/letters/",
    "subscriber-privacy": "subscribers/{subscriber}/privacy/",
    "subscriber-erase": "subscribers/{subscriber}/erase/",
    "money": "money/",
    "money-all": "money/?from=2026-01&by=all",
    "money-countries": "money/?from=2026-01&by=country-month",
    "money-orders": "money/orders/",
    "money-refunds": "money/refunds/?from=2024-01",
    "money-invoices": "money/invoices/",
    "money-payments": "money/payments/",
    "money-payment-new": "money/payments/new/",
    "money-open": "money/open/",
    "money-reminders": "money/reminders/",
    "subscriber-account": "subscribers/{subscriber}/account/",
    "subscriber-account-edit": "subscribers/{subscriber}/account/edit/",
    "money-deferred": "money/deferred/",
    "money-issues": "money/issues/",
    "money-bookkeeping": "money/bookkeeping/",
    "invoices-send": "money/invoices/send/",
    "bank-statements": "money/statements/",
    "money-debits": "money/debits/",
    "subscriber-mandate-new": "subscribers/{subscriber}/account/mandates/new/",
    "settings-debits": "settings/debits/",
    "settings-billing": "settings/billing/",
    "settings-letterhead": "settings/billing/letterhead/",
    "settings-reminders": "settings/reminders/",
    "settings-reminder-stage": "settings/reminders/1/",
    "settings-vat": "settings/vat/",
    "settings-vat-settings": "settings/vat/settings/",
    "settings-exchange-rates": "settings/vat/exchange-rates/",
    "settings": "settings/",
    "keys": "settings/keys/",
    "key-new": "settings/keys/new/",
    "webhooks": "settings/webhooks/",
    "webhook-new": "settings/webhooks/new/",
    "webhook": "settings/webhooks/{webhook}/",
    "webhook-edit": "settings/webhooks/{webhook}/edit/",
    "webhook-rotate": "settings/webhooks/{webhook}/rotate/",
    "webhook-delete": "settings/webhooks/{webhook}/delete/",
    "sources": "settings/sources/",
    "products": "settings/products/",
    "product-new": "settings/products/new/",
    "replacements": "settings/replacements/",
    "self-service": "settings/self-service/",
    "requests": "requests/",
    "privacy": "settings/privacy/",
    "export": "settings/export/",
    "export-profiles": "settings/export-profiles/",
    "export-profile-new": "settings/export-profiles/new/?from=labels-l7160",
    "account": "settings/account/",
    "welcome-email": "settings/welcome-email/",
    "renewal-letters": "settings/renewal-letters/",
    "renewal-letter": "settings/renewal-letters/last/",
    "users": "settings/users/",
    "log": "settings/log/",
}
OTHER_PAGES = {
    "you": "/you/",
    "two-step": "/you/two-step/",
    "two-step-app": "/you/two-step/app/",
    "confirm": "/you/confirm/",
    "help": "/help/",
    "not-found": "/desk/none/",
}


@lru_cache
def find_ids(url: str, key: str) -> dict[str, str]:
    """The IDs of a subscriber, of one of their subscriptions, and of an issue; its number."""
    with httpx.Client(
        base_url=f"{url}/v1", headers={"Authorization": f"Bearer {key}"}, trust_env=False
    ) as api:
        found = api.get("/subscribers/", params={"search": "solheim marit"}).json()["items"]
        subscriber, other = found[:2]
        held = api.get("/subscriptions/", params={"subscriber": subscriber["id"]}).json()["items"][
            0
        ]
        issue = api.get("/issues/").json()["items"][3]
    return {
        "subscriber": subscriber["id"],
        "other": other["id"],
        "subscription": held["id"],
        "issue": issue["id"],
        "issue_number": str(issue["number"]),
    }


def address_of_page(name: str, subdomain: str, ids: dict[str, str]) -> str:
    """The address of a page, by its name."""
    if name in OTHER_PAGES:
        return OTHER_PAGES[name]
    path = re.sub(r"\{(\w+)\}", lambda match: ids[match[1]], DESK_PAGES[name])
    return f"/desk/{subdomain}/{path}"
