"""Stripe: the export of subscriptions."""

from masthead.model.imports.mapping import ASK, LEAVE_OUT, ImportMapping, Rule
from masthead.model.imports.presets.preset import Preset, always, first_of
from masthead.model.translations import gettext_noop


def _kept(*names: str) -> Rule:
    """What a shop may have kept in the metadata of a subscription, by its usual names."""
    return first_of(*(f"{name} (metadata)" for name in names))


PRESET = Preset(
    name="stripe-subscriptions",
    label="Stripe subscriptions",
    result=gettext_noop(
        "Each subscription becomes a membership that renews, for its current period. Stripe knows "
        "an address only if your shop stored it as metadata; without one, it is digital."
    ),
    export_from=gettext_noop(
        "In Stripe, open Billing › Subscriptions, choose Export, then all columns."
    ),
    marks=(
        ("id",),
        ("Customer Email",),
        ("Current Period Start (UTC)",),
        ("Current Period End (UTC)",),
    ),
    columns=(
        *("Customer ID", "Customer Description", "Quantity", "Start (UTC)", "Start Date (UTC)"),
        *("Trial Start (UTC)", "Trial End (UTC)", "Application Fee Percent", "Tax Percent"),
        *("Ended At (UTC)", "Cancel At Period End", "Cancellation Reason", "Customer Business"),
        *("Product", "Plan", "Price ID", "Product ID"),
    ),
    order_prefix="STRIPE-",
    mapping=ImportMapping(
        time_zone="UTC",
        medium_without_address="Digital",
        columns={
            "order_id": first_of("id"),
            "order_date": first_of("Created (UTC)", "Start Date (UTC)", "Start (UTC)"),
            "status": first_of("Status"),
            "cancelled_date": first_of("Canceled At (UTC)", "Ended At (UTC)"),
            "email": first_of("Customer Email"),
            "full_name": first_of("Customer Name", "name (metadata)", "shipping_name (metadata)"),
            "company": _kept("company", "shipping_company"),
            "address1": _kept(
                *("address1", "address_1", "address_line1", "address_line_1", "line1", "address"),
                *("shipping_address1", "shipping_address_1", "shipping_address_line1", "street"),
            ),
            "address2": _kept(
                *("address2", "address_2", "address_line2", "address_line_2", "line2"),
                *("shipping_address2", "shipping_address_2", "shipping_address_line2"),
            ),
            "city": _kept("city", "shipping_city", "town"),
            "state": _kept("state", "shipping_state", "region", "county"),
            "postcode": _kept(
                *("postcode", "postal_code", "zip", "zip_code", "plz"),
                *("shipping_postcode", "shipping_postal_code", "shipping_zip"),
            ),
            "country": _kept("country", "shipping_country", "country_code"),
            "phone": first_of("Customer Phone", "phone (metadata)"),
            "type": always("membership"),
            "is_recurring": always("yes"),
            "billing_period": first_of("Interval"),
            "billing_interval": first_of("Interval Count"),
            "period_start": first_of("Current Period Start (UTC)"),
            "next_payment_date": first_of("Current Period End (UTC)"),
            "product": first_of("Product Name", "Product", "Plan Name", "Plan"),
            "price": first_of("Amount"),
            "currency": first_of("Currency"),
            "promo_code": first_of("Coupon"),
        },
        status={
            "active": "Active",
            "past_due": "Past due",
            "unpaid": "Past due",
            "canceled": "Cancelled",
            "trialing": ASK,
            "paused": "Active - Renewals stopped",
            "incomplete": LEAVE_OUT,
            "incomplete_expired": LEAVE_OUT,
        },
    ),
)
