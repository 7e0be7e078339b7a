"""Payments with Stripe Checkout become subscriptions in masthead, and later ones renew them.

    STRIPE_SECRET=whsec_… uvicorn --factory stripe_orders:create_app

In Stripe, create a webhook endpoint for the address of this program and `/orders`, with the events
`checkout.session.completed`, `checkout.session.async_payment_succeeded` and `invoice.paid`, and API
version 2025-03-31 or later. Create Checkout Sessions with `metadata: {sku: "MAGAZINE-4"}`, also in
`subscription_data`. Stripe repeats a failed event for three days. See also `shop_orders.py`.
"""

import hmac
import json
import os
import time
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from typing import Any

from shop_orders import PRODUCTS, WrongSignature, create_receiver, once, place
from starlette.datastructures import Headers

from masthead_client import AsyncMasthead, MastheadError, types

NO_DECIMALS = set("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split())


def check_signature(body: bytes, headers: Headers) -> None:
    """Stripe-Signature has a time and an HMAC-SHA256 of both, in hex. Raises: WrongSignature."""
    parts = [each.partition("=") for each in headers.get("Stripe-Signature", "").split(",")]
    moment = next((value for name, _, value in parts if name == "t"), "")
    secret = os.environ["STRIPE_SECRET"].encode()
    expected = hmac.new(secret, f"{moment}.".encode() + body, "sha256").hexdigest().encode()
    sent = (value.encode() for name, _, value in parts if name == "v1")
    is_signed = any(hmac.compare_digest(expected, each) for each in sent)
    if not is_signed or abs(time.time() - int(moment)) > 300:
        raise WrongSignature


def read_amount(amount: int, currency: str) -> str:
    """Stripe counts in the smallest unit: 4200 is `42.00` euros, or `4200` yen."""
    return str(amount if currency.upper() in NO_DECIMALS else Decimal(amount).scaleb(-2))


def read_session(session: dict[str, Any]) -> types.OrderCreate:
    """The order of a Checkout Session; one that renews has the id of the subscription of Stripe."""
    customer = session["customer_details"]
    recipient = (session["collected_information"] or {}).get("shipping_details") or customer
    address = recipient["address"]
    first, _, last = recipient["name"].strip().rpartition(" ")
    return {
        "source": os.environ["MASTHEAD_SOURCE"],
        "order_id": session["subscription"] or session["id"],
        "order_date": datetime.fromtimestamp(session["created"], UTC).date(),
        "price": read_amount(session["amount_total"], session["currency"]),
        "currency": session["currency"],
        "is_recurring": session["mode"] == "subscription",
        "email": customer["email"],
        "first_name": first or last,
        "last_name": last if first else None,
        "address1": address["line1"],
        "address2": address["line2"],
        "city": address["city"],
        "state": address["state"],
        "postcode": address["postal_code"],
        "country": address["country"],
    }


async def renew(client: AsyncMasthead, invoice: dict[str, Any], order_id: str) -> None:
    """Add the order of a paid invoice to the subscription with the order id of the first one."""
    subscription = await client.subscriptions.list(order_id=order_id).first()
    if subscription is None:
        raise MastheadError(f"There is no subscription with the order id {order_id} yet.")
    order: types.RenewalCreate = {
        "source": os.environ["MASTHEAD_SOURCE"],
        "order_id": invoice["id"],
        "order_date": datetime.fromtimestamp(invoice["created"], UTC).date(),
        "price": read_amount(invoice["amount_paid"], invoice["currency"]),
        "currency": invoice["currency"],
    }
    await once(client.subscriptions.renew(subscription["id"], **order))


async def handle(client: AsyncMasthead, body: bytes, headers: Headers) -> None:
    """Act on an event: a payment through Checkout, or one that renews."""
    check_signature(body, headers)
    event = json.loads(body)
    record, kind = event["data"]["object"], event["type"]
    paid = (record.get("parent") or {}).get("subscription_details") or record
    if (sku := paid["metadata"].get("sku")) not in PRODUCTS:
        return
    if kind.startswith("checkout.session.") and record["payment_status"] != "unpaid":
        await place(client, read_session(record), sku)
    elif kind == "invoice.paid" and record["billing_reason"] == "subscription_cycle":
        await renew(client, record, paid["subscription"])


create_app = partial(create_receiver, handle, "STRIPE_SECRET")
