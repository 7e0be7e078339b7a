"""WooCommerce orders: Customer/Order CSV Export, Order Import Export, Advanced Order Export."""

from masthead.model.imports.mapping import (
    IF_PAID,
    LEAVE_OUT,
    NOT_PAID,
    UNSTATED,
    ImportMapping,
    Rule,
)
from masthead.model.imports.presets.preset import Preset, first_of
from masthead.model.imports.presets.woocommerce_subscriptions import ADDRESS
from masthead.model.translations import gettext_noop

# The names of Advanced Order Export
_SPOKEN = {
    "first_name": "First Name",
    "last_name": "Last Name",
    "company": "Company",
    "address1": "Address 1",
    "address2": "Address 2",
    "city": "City",
    "state": "State Code",
    "postcode": "Postcode",
    "country": "Country Code",
}


def _block(prefix: str, where: str, to: str = "") -> dict[str, Rule]:
    rules = {
        f"{to}{field}": first_of(prefix + column, f"{_SPOKEN[field]} ({where})")
        for field, column in ADDRESS.items()
    }
    street = (*rules[f"{to}address1"].columns, f"Address 1&2 ({where})")
    return {**rules, f"{to}address1": first_of(*street)}


PRESET = Preset(
    name="woocommerce-orders",
    label="WooCommerce orders",
    result=gettext_noop(
        "Each order of a subscription becomes a subscription for a number of issues. An order with "
        "two subscriptions becomes two. Orders that are not paid are left out, or become orders by "
        "invoice if you choose that."
    ),
    export_from=gettext_noop(
        "In WordPress, open WooCommerce › Export (the extension “Customer/Order/Coupon Export”), "
        "choose orders and the format “Default”. “Advanced Order Export” and “Order Import "
        "Export” work too. The download under Analytics › Orders has no addresses."
    ),
    marks=(
        ("order_id", "order_number", "Order Number"),
        ("billing_email", "Email (Billing)"),
        ("order_total", "Order Total Amount"),
        ("status", "Order Status", "order_status"),
    ),
    columns=(
        *"order_number_formatted shipping_total shipping_tax_total fee_total".split(),
        *"fee_tax_total tax_total order_discount order_subtotal customer_user".split(),
        *"customer_id payment_method payment_method_title shipping_method wt_import_key".split(),
        *"shipping_items fee_items tax_items refunds order_notes download_permissions".split(),
        *"download_permissions_granted customer_ip_address customer_user_agent".split(),
        *("Item #", "SKU", "Product Variation", "Quantity (- Refund)", "Order Line (w/o tax)"),
        *("Order Line Tax", "Order Line Total Refunded", "Order Line Total (- Refund)"),
        *("Image URL", "Discount Amount", "Discount Amount Tax", "Payment Method Title"),
        *("Coupons Used", "Order Subtotal Amount", "Order Tax Amount", "Total products"),
        *("Order Shipping Amount", "Order Total Tax Amount", "Total items"),
    ),
    order_prefix="WC-",
    mapping=ImportMapping(
        groups=("order_number", "order_id", "Order Number"),
        gifts="ask",
        start_issue_rule="current",
        price_after_discount=True,
        columns={
            "order_id": first_of("order_number", "order_id", "Order Number"),
            "order_date": first_of("date", "order_date", "Order Date"),
            "start_date": first_of("date", "order_date", "Order Date"),
            "status": first_of("status", "order_status", "Order Status"),
            "paid_date": first_of("paid_date", "date_paid", "Paid Date"),
            "email": first_of("billing_email", "customer_email", "Email (Billing)"),
            **_block("shipping_", "Shipping"),
            **_block("billing_", "Billing", to="billing_"),
            "phone": first_of("shipping_phone", "billing_phone", "Phone (Billing)"),
            "product": Rule(
                packed="line_items", part="name", columns=("item_name", "Item Name", "Name")
            ),
            "quantity": Rule(
                packed="line_items", part="quantity", columns=("item_quantity", "Quantity")
            ),
            "item_price": Rule(
                packed="line_items", part="total", columns=("item_total", "Order Line Total")
            ),
            "price": first_of("order_total", "Order Total Amount"),
            "currency": first_of("order_currency", "currency", "Order Currency"),
            "discount_amount": first_of("discount_total", "cart_discount", "Cart Discount Amount"),
            "promo_code": Rule(packed="coupon_items", part="code", columns=("Coupon Code",)),
            "refunded": first_of("refunded_total", "Order Refund Amount"),
            "transaction_id": first_of("transaction_id", "Transaction ID"),
            "notes": first_of("customer_note", "Customer Note"),
        },
        status={
            "completed": UNSTATED,
            "processing": UNSTATED,
            "cancelled": IF_PAID,
            "refunded": "Cancelled",
            "on-hold": NOT_PAID,
            "pending": LEAVE_OUT,  # usually an abandoned checkout
            "pending payment": LEAVE_OUT,
            "failed": LEAVE_OUT,
            "checkout-draft": LEAVE_OUT,
            "trash": LEAVE_OUT,
        },
    ),
)
