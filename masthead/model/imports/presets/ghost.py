"""Ghost: the export of members, with `tiers` or in older versions `products`."""

from masthead.model.imports.mapping import ImportMapping, Rule
from masthead.model.imports.presets.preset import Preset, always, first_of
from masthead.model.translations import gettext_noop

_TIERS = ("tiers", "products")

PRESET = Preset(
    name="ghost-members",
    label="Ghost members",
    result=gettext_noop(
        "Each member with a tier or a complimentary plan becomes a digital membership. Free and "
        "deleted members are left out. The file has neither prices nor periods: prices are 0, and "
        "a period is the current year of the membership, unless you change the mapping."
    ),
    export_from=gettext_noop("In Ghost, open Members, the menu ⋯, then Export members."),
    marks=(
        ("id",),
        ("email",),
        ("subscribed_to_emails",),
        ("complimentary_plan",),
    ),
    columns=("stripe_customer_id", "labels", "gift_id", "error"),
    order_prefix="GHOST-",
    mapping=ImportMapping(
        only={"deleted_at": ("",)},
        has_one_of=("product", "is_comp"),
        columns={
            "order_id": first_of("id"),
            "order_date": first_of("created_at"),
            "email": first_of("email"),
            "full_name": first_of("name"),
            "type": always("membership"),
            "medium": always("Digital"),
            "billing_period": always("year"),
            "anniversary": first_of("created_at"),
            "is_comp": first_of("complimentary_plan"),
            "is_recurring": Rule(
                columns=("complimentary_plan",), table={"true": "no"}, otherwise="yes"
            ),
            "product": first_of(*_TIERS),
            "price": always("0"),
            "notes": first_of("note"),
        },
    ),
)
