"""Subsail: lists in the format of its import, with start issue, length and sent issues."""

from masthead.model.imports.mapping import ImportMapping
from masthead.model.imports.presets.preset import Preset, first_of
from masthead.model.translations import gettext_noop

PRESET = Preset(
    name="subsail",
    label="Subsail",
    result=gettext_noop(
        "Each row becomes a subscription for its number of issues, from its start issue. Issues "
        "that were sent are marked as sent."
    ),
    export_from=gettext_noop(
        "In Subsail, open Subscriptions and choose Export. Spreadsheets in the format of "
        "Subsail's import work too."
    ),
    marks=(
        ("Start issue",),
        ("Length", "Total length"),
        ("Sent issues", "Order ID", "Order number"),
    ),
    columns=("Status", "Source", "Product", "Issues left", "Last issue"),
    order_prefix="SUBSAIL-",
    mapping=ImportMapping(
        columns={
            "order_id": first_of("Order ID", "Order number", "Order", "ID"),
            "order_date": first_of("Order date", "Date", "Created at"),
            "email": first_of("Email", "Email address"),
            "first_name": first_of("First name"),
            "last_name": first_of("Last name"),
            "full_name": first_of("Name", "Full name", "Customer name"),
            "company": first_of("Company"),
            "phone": first_of("Phone", "Phone number"),
            "address1": first_of("Address 1", "Address1", "Address line 1", "Address", "Street"),
            "address2": first_of("Address 2", "Address2", "Address line 2"),
            "city": first_of("City", "Town"),
            "state": first_of("State", "State/Province", "County", "Province"),
            "postcode": first_of("Postcode", "Zip", "Zip code", "Postal code"),
            "country": first_of("Country", "Country code"),
            "start_issue": first_of("Start issue"),
            "length": first_of("Length", "Total length"),
            "sent_issues": first_of("Sent issues"),
            "sent_dates": first_of("Sent dates"),
            "is_recurring": first_of("Recurring", "Is recurring", "Renewing"),
            "is_comp": first_of("Complimentary", "Comp", "Is comp"),
            "is_gift": first_of("Gift", "Is gift"),
            "gifter_name": first_of("Gifter name", "Gifter"),
            "gifter_email": first_of("Gifter email"),
            "price": first_of("Price", "Total", "Amount"),
            "currency": first_of("Currency"),
            "discount_amount": first_of("Discount amount", "Discount"),
            "refunded": first_of("Refunded"),
            "promo_code": first_of("Promo code", "Discount code"),
            "transaction_id": first_of("Transaction ID"),
            "medium": first_of("Medium"),
            "notes": first_of("Notes", "Note"),
        }
    ),
)
