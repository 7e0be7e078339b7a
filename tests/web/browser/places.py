"""The pages to look at in the demo publication, by what they are called in tests and pictures."""

import re
from functools import lru_cache

import httpx

PLACES = {
    "home": "",
    "subscribers": "subscribers/",
    "subscribers-found": "subscribers/?search=solheim",
    "subscribers-none": "subscribers/?search=nobody-at-all",
    "subscriber": "subscribers/{subscriber}/",
    "subscriptions": "subscriptions/",
    "subscriptions-filtered": "subscriptions/?status=Past+due",
    "subscription": "subscriptions/{subscription}/",
    "subscription-edit": "subscriptions/{subscription}/edit/",
    "subscription-cancel": "subscriptions/{subscription}/cancel/",
    "subscription-new": "subscriptions/new/",
    "issues": "issues/",
    "issue": "issues/{issue}/",
    "issue-edit": "issues/{issue}/edit/",
    "issue-new": "issues/new/",
    "forecast": "forecast/",
    "ending": "ending/",
    "ending-over": "ending/over/",
    "settings": "settings/",
    "keys": "settings/keys/",
    "key-new": "settings/keys/new/",
    "sources": "settings/sources/",
    "products": "settings/products/",
    "account": "settings/account/",
    "welcome-email": "settings/welcome-email/",
    "users": "settings/users/",
    "log": "settings/log/",
}
OUTSIDE = {
    "you": "/you/",
    "two-step": "/you/two-step/",
    "two-step-app": "/you/two-step/app/",
    "confirm": "/you/confirm/",
    "help": "/help/",
    "not-found": "/desk/none/",
}


@lru_cache
def ids_of(url: str, key: str) -> dict[str, str]:
    """The ids of a subscriber with a story, of one of their subscriptions, and of an issue."""
    with httpx.Client(
        base_url=f"{url}/v1", headers={"Authorization": f"Bearer {key}"}, trust_env=False
    ) as api:
        reader = api.get("/subscribers/", params={"search": "solheim marit"}).json()["items"][0]
        held = api.get("/subscriptions/", params={"subscriber": reader["id"]}).json()["items"][0]
        issue = api.get("/issues/").json()["items"][3]
    return {"subscriber": reader["id"], "subscription": held["id"], "issue": issue["id"]}


def address_of(name: str, subdomain: str, ids: dict[str, str]) -> str:
    """The address of a place."""
    if name in OUTSIDE:
        return OUTSIDE[name]
    path = re.sub(r"\{(\w+)\}", lambda match: ids[match[1]], PLACES[name])
    return f"/desk/{subdomain}/{path}"
