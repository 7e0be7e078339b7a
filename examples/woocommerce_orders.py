"""Orders of WooCommerce become subscriptions in masthead.

    WOOCOMMERCE_SECRET=… uvicorn --factory woocommerce_orders:create_app

In WooCommerce, under Settings, Advanced, Webhooks, add two webhooks with this secret, the topics
"Order created" and "Order updated", and the address of this program with `/orders`. WooCommerce
does not send a failed delivery again: save the order once more. See also `shop_orders.py`.
"""

import base64
import hmac
import json
import os
from decimal import Decimal
from functools import partial
from typing import Any

from shop_orders import PRODUCTS, WrongSignature, create_receiver, place
from starlette.datastructures import Headers

from masthead_client import AsyncMasthead, types

PAID = {"processing", "completed"}


def check_signature(body: bytes, headers: Headers) -> None:
    """X-WC-Webhook-Signature is the HMAC-SHA256 of the body, in Base64. Raises: WrongSignature."""
    secret = os.environ["WOOCOMMERCE_SECRET"].encode()
    expected = base64.b64encode(hmac.digest(secret, body, "sha256"))
    sent = headers.get("X-WC-Webhook-Signature", "").encode()
    if not hmac.compare_digest(expected, sent):
        raise WrongSignature


def read_order(order: dict[str, Any], line: dict[str, Any]) -> types.OrderCreate:
    """The order of one article. Digital orders have no shipping address."""
    billing, shipping = order["billing"], order["shipping"]
    address = shipping if shipping.get("country") else billing
    coupons = [each["code"] for each in order.get("coupon_lines", [])]
    return {
        "source": os.environ["MASTHEAD_SOURCE"],
        "order_id": f"woocommerce-{order['id']}-{line['id']}",
        "order_date": order["date_created_gmt"][:10],
        "transaction_id": order["transaction_id"] or None,
        "price": str(Decimal(line["total"]) + Decimal(line["total_tax"])),
        "currency": order["currency"],
        "promo_code": coupons[0] if coupons else None,
        "copies": line["quantity"],
        "email": billing["email"],
        "first_name": address["first_name"],
        "last_name": address["last_name"],
        "company": address["company"],
        "address1": address["address_1"],
        "address2": address["address_2"],
        "city": address["city"],
        "state": address["state"],
        "postcode": address["postcode"],
        "country": address["country"],
        "phone": address.get("phone") or billing["phone"],
    }


async def handle(client: AsyncMasthead, body: bytes, headers: Headers) -> None:
    """Place the order in a request, once it is paid."""
    if body.startswith(b"webhook_id=") and "X-WC-Webhook-Signature" not in headers:
        return  # asks whether the address exists, when the webhook is saved
    check_signature(body, headers)
    order = json.loads(body)
    if order["status"] not in PAID:
        return
    for line in order["line_items"]:
        if line["sku"] in PRODUCTS:
            await place(client, read_order(order, line), line["sku"])


create_app = partial(create_receiver, handle, "WOOCOMMERCE_SECRET")
