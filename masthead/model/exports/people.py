"""The files of an export about the account and its subscribers."""

from masthead.model.exports.export_files import ExportFile, columns

_COUNTER = "a counter of the search index, which is made again"

ACCOUNT = (
    ExportFile(
        name="account",
        table="account",
        about="The settings of the account; one row.",
        account="t.id",
        source="account t JOIN account_state s ON s.account_id = t.id",
        expressions={"daily_date": "s.daily_date"},
        columns=columns(
            "id name subdomain currency country locale time_zone postal_address is_active "
            "requires_second_factor max_replacements max_replacements_issues spare_percent "
            "welcome_subject welcome_text daily_date created_at grace_copies is_sandbox "
            "spare_copies country_languages welcome_translations"
        ),
    ),
    ExportFile(
        name="users",
        table="account_user",
        about="A person who can sign in to the account. Passwords are in no export.",
        key=("user_id",),
        source="account_user t JOIN app_user u ON u.id = t.user_id",
        expressions={"email": "u.email", "full_name": "u.full_name"},
        columns=columns("user_id email role is_pending created_at full_name rights"),
        stays="passwords are in no export: add the users again",
    ),
    ExportFile(
        name="api_keys",
        table="api_key",
        about="An API key, without its secret: make new keys on another server.",
        columns=columns(
            "id user_id name scope prefix created_by replaced_by created_at last_used_at "
            "expires_at revoked_at rights"
        ),
        left_out={"digest": "with it, a key could be guessed"},
        stays="their secrets are in no export: make new keys",
    ),
    ExportFile(
        name="sources",
        table="source",
        about="Where orders come from: a shop, an import or masthead's own checkout.",
        columns=columns("id name type is_active created_at"),
    ),
)

PRODUCTS_AND_TEXTS = (
    ExportFile(
        name="products",
        table="product",
        about="What is sold. The first row is the product of orders that name none.",
        columns=columns("id name type length interval_months benefits is_active created_at"),
    ),
    ExportFile(
        name="product_prices",
        table="product_price",
        about="The first price of a product for a medium, a group of countries and a currency.",
        key=("product_id", "medium", "country_group", "currency"),
        columns=columns("product_id medium country_group currency price"),
        amounts={"price": "currency"},
    ),
    ExportFile(
        name="dated_prices",
        table="dated_price",
        about="The prices of a product from a day on. Without a price, it is not sold there.",
        key=("product_id", "currency", "first_day", "medium", "country_group"),
        columns=columns("product_id currency first_day medium country_group price"),
        amounts={"price": "currency"},
    ),
    ExportFile(
        name="price_rises",
        table="price_rise",
        about="What a renewal without a price costs more from a day on than the last order before "
        "it: an amount, or a rate in hundredths of a percent.",
        key=("product_id", "currency", "first_day", "medium", "country_group"),
        columns=columns("product_id currency first_day medium country_group amount rate"),
        amounts={"amount": "currency"},
    ),
    ExportFile(
        name="export_profiles",
        table="export_profile",
        about="The columns and the layout of address files, as JSON.",
        columns=columns("id name settings is_active created_at updated_at"),
        texts_with_ids=("settings",),
    ),
    ExportFile(
        name="renewal_stages",
        table="renewal_stage",
        about="The text of a renewal letter, and whether it is sent automatically.",
        key=("stage",),
        columns=columns("stage subject text is_automatic updated_at translations"),
    ),
    ExportFile(
        name="retention_rules",
        table="retention_rule",
        about="How long a kind of personal data is kept.",
        key=("kind",),
        columns=columns("kind months is_automatic position updated_at"),
    ),
    ExportFile(
        name="import_mappings",
        table="import_mapping",
        about="A saved mapping of the columns of a file.",
        key=("name",),
        columns=columns("name mapping updated_at"),
        texts_with_ids=("mapping",),
    ),
)

SUBSCRIBERS = (
    ExportFile(
        name="subscribers",
        table="subscriber",
        about="A subscriber: one for each email address. `merged_into` names the subscriber that "
        "a merged one belongs to now.",
        source="subscriber t JOIN account a ON a.id = t.account_id",
        expressions={"ltv_currency": "a.currency"},
        columns=columns(
            "id email is_placeholder salutation title first_name last_name company address1 "
            "address2 city state postcode country merged_into "
            "subscription_count has_active_subscription latest_order_date latest_country ltv "
            "ltv_currency unsubscribed_at bounced_at bounce_reason created_at language"
        ),
        amounts={"ltv": "ltv_currency"},
        left_out={
            "n": _COUNTER,
            "email_key": "it follows from `email`",
            "changed_at": "it belongs to the writes of this server",
        },
        texts_with_ids=("merged_into",),
    ),
    ExportFile(
        name="notes",
        table="subscriber_note",
        about="A note about a subscriber.",
        columns=columns(
            "id subscriber_id text created_at actor_kind actor_id deleted_at deleted_by_kind "
            "deleted_by_id"
        ),
    ),
    ExportFile(
        name="merges",
        table="subscriber_merge",
        about="Two subscribers that were joined. `moved` has what they had before, as JSON.",
        columns=columns(
            "id kept_id merged_id moved created_at actor_kind actor_id undone_at undone_by_kind "
            "undone_by_id"
        ),
        texts_with_ids=("moved",),
    ),
    ExportFile(
        name="subscriber_requests",
        table="subscriber_request",
        about="What a subscriber did or asked for on their page.",
        columns=columns(
            "id subscriber_id action status copy_id reason notes created_at closed_at actor_kind "
            "actor_id"
        ),
    ),
    ExportFile(
        name="dismissed_pairs",
        table="dismissed_pair",
        about="Two subscribers who are not the same person, as a user said.",
        key=("subscriber_id", "other_id"),
        columns=columns("subscriber_id other_id created_at actor_kind actor_id"),
    ),
    ExportFile(
        name="erasures",
        table="erasure",
        about="A subscriber whose personal data was erased. `kept` says what was kept, as JSON.",
        columns=columns("id subscriber_id kept cleaned_at created_at actor_kind actor_id"),
        texts_with_ids=("kept",),
    ),
    ExportFile(
        name="erasure_digests",
        table="erasure_digest",
        about="A digest by which an erased subscriber is recognized, so that no import brings "
        "them back.",
        key=("digest", "erasure_id"),
        columns=columns("digest erasure_id"),
    ),
)
