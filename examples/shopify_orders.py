"""Orders of Shopify become subscriptions in masthead.

    SHOPIFY_SECRET=… uvicorn --factory shopify_orders:create_app

In Shopify, under Settings, Notifications, Webhooks, create a webhook for "Order payment" in JSON,
with the address of this program and `/orders`; the secret is shown below the list of webhooks. For
a webhook of an app, it is the client secret of the app. Shopify sends a failed delivery again,
eight times in four hours. See also `shop_orders.py`.
"""

import base64
import datetime
import hmac
import json
import os
from decimal import Decimal
from functools import partial
from typing import Any

from shop_orders import PRODUCTS, WrongSignature, create_receiver, place
from starlette.datastructures import Headers

from masthead_client import AsyncMasthead, types


def check_signature(body: bytes, headers: Headers) -> None:
    """X-Shopify-Hmac-Sha256 is the HMAC-SHA256 of the body, in Base64. Raises: WrongSignature."""
    secret = os.environ["SHOPIFY_SECRET"].encode()
    expected = base64.b64encode(hmac.digest(secret, body, "sha256"))
    if not hmac.compare_digest(expected, headers.get("X-Shopify-Hmac-Sha256", "").encode()):
        raise WrongSignature


def price_of(order: dict[str, Any], line: dict[str, Any]) -> str:
    """What was paid for an article: without its discounts, and with its taxes."""
    price = Decimal(line["price"]) * line["quantity"]
    price -= sum(Decimal(each["amount"]) for each in line["discount_allocations"])
    if not order["taxes_included"]:
        price += sum(Decimal(each["price"]) for each in line["tax_lines"])
    return str(price)


def read_order(order: dict[str, Any], line: dict[str, Any]) -> types.OrderCreate:
    """The order of one article. Digital orders have no shipping address."""
    address = order["shipping_address"] or order["billing_address"]
    created = datetime.datetime.fromisoformat(order["created_at"]).astimezone(datetime.UTC)
    codes = [each["code"] for each in order["discount_codes"]]
    return {
        "source": os.environ["MASTHEAD_SOURCE"],
        "order_id": f"shopify-{order['id']}-{line['id']}",
        "order_date": created.date(),
        "price": price_of(order, line),
        "currency": order["currency"],
        "promo_code": codes[0] if codes else None,
        "copies": line["quantity"],
        "email": order["email"] or None,
        "first_name": address["first_name"],
        "last_name": address["last_name"],
        "company": address["company"],
        "address1": address["address1"],
        "address2": address["address2"],
        "city": address["city"],
        "state": address["province_code"],
        "postcode": address["zip"],
        "country": address["country_code"],
        "phone": address["phone"],
    }


async def handle(client: AsyncMasthead, body: bytes, headers: Headers) -> None:
    """Place the order in a request. Orders of a test are left out."""
    check_signature(body, headers)
    order = json.loads(body)
    if headers.get("X-Shopify-Topic") != "orders/paid" or order["test"]:
        return
    for line in order["line_items"]:
        if line["sku"] in PRODUCTS:
            await place(client, read_order(order, line), line["sku"])


create_app = partial(create_receiver, handle, "SHOPIFY_SECRET")
