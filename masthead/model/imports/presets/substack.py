"""Substack: the list of subscribers of the export, and the newer one of the dashboard."""

from masthead.model.imports.mapping import ImportMapping, Rule
from masthead.model.imports.presets.preset import Preset, always, first_of
from masthead.model.translations import gettext_noop

PRESET = Preset(
    name="substack",
    label="Substack",
    result=gettext_noop(
        "Each paying or complimentary subscriber becomes a digital membership. Free subscribers "
        "are left out. The file has no prices: they are 0 unless you set one for each plan."
    ),
    export_from=gettext_noop(
        "In Substack, open Settings › Import/Export › Export your data; the list of subscribers "
        "is the file email_list in the archive. Or open Subscribers and choose Export."
    ),
    marks=(
        ("email",),
        ("active_subscription", "Stripe plan"),
        ("expiry", "Paid upgrade date"),
    ),
    columns=("Activity", "Subscription source (free)"),
    order_prefix="SUBSTACK-",
    mapping=ImportMapping(
        only={
            "active_subscription": ("true", "yes", "1"),
            "Type": ("paid*", "comp*", "gift*", "founding*"),
        },
        order_id_from=("email",),
        columns={
            "order_date": first_of(
                "first_payment_at", "Paid upgrade date", "created_at", "Start date"
            ),
            "email": first_of("email"),
            "full_name": first_of("Name"),
            "type": always("membership"),
            "medium": always("Digital"),
            "billing_period": Rule(
                columns=("plan", "Stripe plan"),
                table={"monthly*": "month", "yearly*": "year", "annual*": "year"},
                otherwise="year",
            ),
            "next_payment_date": first_of("expiry"),
            "anniversary": first_of(
                "first_payment_at", "Paid upgrade date", "created_at", "Start date"
            ),
            "is_comp": Rule(columns=("Type", "plan"), table={"comp*": "yes"}, otherwise="no"),
            "is_recurring": Rule(
                columns=("Cancel date", "Type", "plan"),
                table={
                    "paid*": "yes",
                    "founding*": "yes",
                    "monthly*": "yes",
                    "yearly*": "yes",
                    "annual*": "yes",
                },
                otherwise="no",
            ),
            "product": first_of("plan", "Stripe plan"),
            "price": always("0"),
            "notes": Rule(
                columns=("email_disabled",),
                table={"true": "Wants no emails (from Substack)."},
                otherwise="",
            ),
        },
    ),
)
