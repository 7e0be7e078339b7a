"""Patreon: the export of members, with the names of columns of several years."""

from masthead.model.imports.mapping import ImportMapping, Rule
from masthead.model.imports.presets.preset import Preset, always, first_of
from masthead.model.translations import gettext_noop

PRESET = Preset(
    name="patreon-members",
    label="Patreon members",
    result=gettext_noop(
        "Each paying member becomes a membership that renews: paid until the next charge, or for "
        "former patrons after the last one. Members without an address are digital. Free members "
        "and followers are left out."
    ),
    export_from=gettext_noop(
        "In Patreon, open Audience › Relationship manager, choose CSV, and export all members. "
        "Addresses are in the file only if the tier asks for them."
    ),
    marks=(
        ("Patron Status",),
        ("Pledge Amount", "Pledge $"),
        ("Patronage Since Date",),
    ),
    columns=(
        *("Twitter", "Discord", "Follows You", "Lifetime Amount", "Lifetime $", "Max Amount"),
        *("Last Charge Status", "Last Updated", "Max Posts", "Subscription Source"),
    ),
    order_prefix="PATREON-",
    mapping=ImportMapping(
        medium_without_address="Digital",
        only={
            "Free Member": ("no", "false", ""),
            "Patron Status": ("active*", "declined*", "former*"),
        },
        columns={
            "order_id": first_of("User ID"),
            "order_date": first_of("Patronage Since Date"),
            "status": first_of("Patron Status"),
            "email": first_of("Email"),
            "full_name": first_of("Addressee", "Name"),
            "address1": first_of("Street"),
            "city": first_of("City"),
            "state": first_of("State"),
            "postcode": first_of("Zip"),
            "country": first_of("Country", "Full country name"),
            "phone": first_of("Phone"),
            "type": always("membership"),
            "is_recurring": always("yes"),
            "billing_period": Rule(
                columns=("Charge Frequency",),
                table={"month*": "month", "annual*": "year", "year*": "year"},
                otherwise="month",
            ),
            "next_payment_date": first_of("Next Charge Date", "Access Expiration"),
            "last_payment_date": first_of("Last Charge Date"),
            "product": first_of("Tier"),
            "price": first_of("Pledge Amount", "Pledge $"),
            "currency": first_of("Currency"),
            "notes": first_of("Additional Details"),
        },
        status={
            "active*": "Active",
            "declined*": "Past due",
            "former*": "Cancelled",
        },
    ),
)
