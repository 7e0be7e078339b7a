"""Shopify: the export of orders."""

from masthead.model.imports.mapping import LEAVE_OUT, NOT_PAID, UNSTATED, ImportMapping
from masthead.model.imports.presets.preset import Preset, block, first_of
from masthead.model.translations import gettext_noop

ADDRESS = {
    "full_name": "Name",
    "company": "Company",
    "address1": "Address1",
    "address2": "Address2",
    "city": "City",
    "state": "Province",
    "postcode": "Zip",
    "country": "Country",
}
# Financial Status of Shopify and Squarespace
FINANCIAL_STATUS = {
    "paid": UNSTATED,
    "partially_paid": UNSTATED,
    "partially_refunded": UNSTATED,
    "authorized": UNSTATED,
    "refunded": "Cancelled",
    "pending": NOT_PAID,
    "voided": LEAVE_OUT,  # cancelled before anything was paid
    "expired": LEAVE_OUT,
    "unpaid": NOT_PAID,
}

PRESET = Preset(
    name="shopify-orders",
    label="Shopify orders",
    result=gettext_noop(
        "Each order of a subscription becomes a subscription for a number of issues. An order with "
        "two subscriptions becomes two. Orders that are not paid are left out, or become orders by "
        "invoice if you choose that."
    ),
    export_from=gettext_noop(
        "In Shopify, open Orders, choose Export, then all orders and “CSV for Excel, Numbers, or "
        "other spreadsheet programs”. Shopify sends large exports by email."
    ),
    marks=(
        ("Name",),
        ("Financial Status",),
        ("Lineitem name",),
        ("Shipping Zip", "Shipping Name"),
    ),
    columns=(
        *("Paid at", "Fulfillment Status", "Fulfilled at", "Accepts Marketing", "Subtotal"),
        *("Shipping", "Taxes", "Shipping Method", "Lineitem compare at price", "Lineitem sku"),
        *("Lineitem requires shipping", "Lineitem taxable", "Lineitem fulfillment status"),
        *("Lineitem discount", "Billing Street", "Shipping Street", "Note Attributes"),
        *("Payment Method", "Vendor", "Outstanding Balance", "Employee", "Location"),
        *("Device ID", "Tags", "Risk Level", "Source", "Receipt Number", "Duties"),
        *("Billing Province Name", "Shipping Province Name", "Payment Terms Name"),
        *(f"Tax {number} {what}" for number in range(1, 6) for what in ("Name", "Value")),
        "Next Payment Due At",
    ),
    order_prefix="SHOPIFY-",
    mapping=ImportMapping(
        continues="Financial Status",
        gifts="ask",
        start_issue_rule="current",
        price_after_discount=True,
        columns={
            "order_id": first_of("Id", "Name"),
            "order_date": first_of("Created at"),
            "start_date": first_of("Created at"),
            "status": first_of("Financial Status"),
            "cancelled_date": first_of("Cancelled at", "Canceled at"),
            "email": first_of("Email"),
            **block("Shipping ", ADDRESS),
            **block("Billing ", ADDRESS, to="billing_"),
            "phone": first_of("Shipping Phone", "Billing Phone", "Phone"),
            "product": first_of("Lineitem name"),
            "quantity": first_of("Lineitem quantity"),
            "item_price": first_of("Lineitem price"),
            "price": first_of("Total"),
            "currency": first_of("Currency"),
            "discount_amount": first_of("Discount Amount"),
            "promo_code": first_of("Discount Code"),
            "refunded": first_of("Refunded Amount"),
            "transaction_id": first_of("Payment Reference", "Payment References", "Payment ID"),
            "notes": first_of("Notes"),
        },
        status=FINANCIAL_STATUS,
    ),
)
