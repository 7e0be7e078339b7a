"""Squarespace: the export of orders. Its columns are like those of Shopify."""

from msgspec import structs

from masthead.model.imports.mapping import Rule
from masthead.model.imports.presets import shopify, subsail
from masthead.model.imports.presets.preset import Preset, first_of
from masthead.model.translations import gettext_noop

PRESET = Preset(
    name="squarespace-orders",
    label="Squarespace orders",
    result=shopify.PRESET.result,
    export_from=gettext_noop(
        "In Squarespace, open Selling › Orders, choose Export, then “All orders” as CSV."
    ),
    marks=(
        ("Order ID",),
        ("Financial Status",),
        ("Lineitem name",),
        ("Lineitem variant", "Amount Refunded", "Private Notes"),
    ),
    columns=(
        *("Paid at", "Fulfillment Status", "Fulfilled at", "Subtotal", "Shipping", "Taxes"),
        *("Shipping Method", "Lineitem sku", "Lineitem requires shipping", "Lineitem taxable"),
        *("Lineitem fulfillment status", "Payment Method", "Channel Type", "Channel Name"),
    ),
    order_prefix="SQSP-",
    mapping=structs.replace(
        shopify.PRESET.mapping,
        date_order="month_first",
        columns={
            **{
                field: rule
                for field, rule in shopify.PRESET.mapping.columns.items()
                if field not in ("company", "billing_company")
            },
            "order_id": first_of("Order ID"),
            "phone": first_of("Shipping Phone", "Billing Phone"),
            "product": Rule(join=("Lineitem name", "Lineitem variant"), separator=" - "),
            "refunded": first_of("Amount Refunded"),
            "transaction_id": first_of("Payment Reference"),
            "notes": first_of("Private Notes"),
            # columns that publishers add for Subsail
            **{
                field: subsail.PRESET.mapping.columns[field]
                for field in ("start_issue", "length", "sent_issues", "sent_dates")
            },
        },
    ),
)
