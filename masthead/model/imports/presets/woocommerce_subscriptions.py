"""WooCommerce Subscriptions: the export of its importer and exporter, and the importer's sample."""

from masthead.model.imports.mapping import LEAVE_OUT, NOT_RECURRING, ImportMapping, Rule
from masthead.model.imports.presets.preset import Preset, always, block, first_of
from masthead.model.translations import gettext_noop

ADDRESS = {
    "first_name": "first_name",
    "last_name": "last_name",
    "company": "company",
    "address1": "address_1",
    "address2": "address_2",
    "city": "city",
    "state": "state",
    "postcode": "postcode",
    "country": "country",
}

PRESET = Preset(
    name="woocommerce-subscriptions",
    label="WooCommerce Subscriptions",
    result=gettext_noop(
        "Each subscription becomes a membership that renews. It is paid until the next payment, "
        "or until its end; the period begins one billing interval earlier."
    ),
    export_from=gettext_noop(
        "In WordPress, install the extension “WooCommerce Subscriptions Importer and Exporter”. "
        "Open WooCommerce › Subscription Exporter, keep all columns, and export all statuses."
    ),
    marks=(
        ("subscription_status",),
        ("billing_period",),
        ("billing_interval",),
        ("next_payment_date", "end_date"),
    ),
    columns=(
        *"customer_id customer_username trial_end_date last_payment_date post_parent".split(),
        *"order_shipping order_shipping_tax fee_total fee_tax_total order_tax".split(),
        *"cart_discount_tax payment_method payment_method_title shipping_method".split(),
        *"payment_method_post_meta payment_method_user_meta requires_manual_renewal".split(),
        *"order_notes fee_items tax_items download_permissions".split(),
        "Row Description (Do not import)",
    ),
    order_prefix="WCS-",
    mapping=ImportMapping(
        order_id_from=("customer_email", "billing_email", "start_date", "order_items"),
        price_after_discount=True,
        time_zone="UTC",  # the extension writes and expects moments in UTC
        columns={
            "order_id": first_of("subscription_id"),
            "order_date": first_of("start_date", "date_created"),
            "status": first_of("subscription_status"),
            "cancelled_date": first_of("cancelled_date"),
            "email": first_of("billing_email", "customer_email"),
            **block("shipping_", ADDRESS),
            **block("billing_", ADDRESS, to="billing_"),
            "phone": first_of("shipping_phone", "billing_phone"),
            "type": always("membership"),
            "is_recurring": always("yes"),
            "billing_period": first_of("billing_period"),
            "billing_interval": first_of("billing_interval"),
            "next_payment_date": first_of("next_payment_date", "end_date"),
            "product": Rule(packed="order_items", part="name"),
            "price": first_of("order_total"),
            "currency": first_of("order_currency"),
            "discount_amount": first_of("cart_discount"),
            "promo_code": Rule(packed="coupon_items", part="code"),
            "notes": first_of("customer_note"),
        },
        status={
            "active": "Active",
            "on-hold": "Past due",
            "pending-cancel": "Active - Renewals stopped",
            "cancelled": "Cancelled",
            "expired": NOT_RECURRING,
            "pending": LEAVE_OUT,
            "switched": LEAVE_OUT,
            "trash": LEAVE_OUT,
        },
    ),
)
