-- The schema of a new SQLite database, after all migrations, in alphabetical order.
-- `make schema` writes this file; docs/architecture.md shows the most important tables.

CREATE TABLE account (
    id bigint NOT NULL,
    name text NOT NULL,
    subdomain text NOT NULL,
    currency text NOT NULL,
    is_active boolean NOT NULL,
    welcome_subject text NOT NULL,
    welcome_text text NOT NULL,
    created_at timestamptz NOT NULL,
    locale text NOT NULL DEFAULT 'en_GB',
    requires_second_factor boolean NOT NULL DEFAULT false,
    country text,
    max_replacements bigint NOT NULL DEFAULT 2,
    max_replacements_issues bigint NOT NULL DEFAULT 6,
    postal_address text NOT NULL DEFAULT '',
    spare_percent bigint NOT NULL DEFAULT 0,
    time_zone text NOT NULL DEFAULT 'UTC',
    grace_copies bigint NOT NULL DEFAULT 0,
    is_sandbox boolean NOT NULL DEFAULT false,
    spare_copies bigint NOT NULL DEFAULT 0,
    country_languages text NOT NULL DEFAULT '',
    welcome_translations text NOT NULL DEFAULT '',
    CONSTRAINT account_pk PRIMARY KEY (id),
    CONSTRAINT account_subdomain UNIQUE (subdomain)
);

CREATE TABLE account_export (
    account_id bigint NOT NULL,
    id text NOT NULL,
    status text NOT NULL,
    row_count bigint,
    bytes bigint,
    sha256 text,
    error text,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    ready_at timestamptz,
    CONSTRAINT account_export_pk PRIMARY KEY (account_id, id),
    CONSTRAINT account_export_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX account_export_by_status ON account_export (status, created_at);

CREATE TABLE account_export_part (
    account_id bigint NOT NULL,
    export_id text NOT NULL,
    part bigint NOT NULL,
    content bytea NOT NULL,
    CONSTRAINT account_export_part_pk PRIMARY KEY (account_id, export_id, part),
    CONSTRAINT account_export_part_export FOREIGN KEY (account_id, export_id)
        REFERENCES account_export (account_id, id)
);

CREATE TABLE account_state (
    account_id bigint NOT NULL,
    writes bigint NOT NULL,
    last_copy bigint NOT NULL,
    last_period bigint NOT NULL,
    last_entry bigint NOT NULL,
    daily_date date NOT NULL,
    trend_writes bigint NOT NULL DEFAULT -1,
    trend_at timestamptz,
    last_line bigint NOT NULL DEFAULT 0,
    owed_copies bigint NOT NULL DEFAULT 0,
    owed_date date,
    last_event bigint NOT NULL DEFAULT 0,
    changed_at timestamptz NOT NULL DEFAULT '1970-01-01T00:00:00.000000+00:00',
    trend_date date,
    CONSTRAINT account_state_pk PRIMARY KEY (account_id),
    CONSTRAINT account_state_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE account_user (
    account_id bigint NOT NULL,
    user_id text NOT NULL,
    role text NOT NULL,
    created_at timestamptz NOT NULL,
    is_pending boolean NOT NULL DEFAULT false,
    rights text,
    CONSTRAINT account_user_pk PRIMARY KEY (account_id, user_id),
    CONSTRAINT account_user_account FOREIGN KEY (account_id) REFERENCES account (id),
    CONSTRAINT account_user_user FOREIGN KEY (user_id) REFERENCES app_user (id)
);
CREATE INDEX account_user_by_user ON account_user (user_id);

CREATE TABLE address_change (
    account_id bigint NOT NULL,
    id text NOT NULL,
    group_id text NOT NULL,
    subscriber_id text NOT NULL,
    subscription_id text NOT NULL,
    first_issue bigint NOT NULL,
    last_issue bigint,
    first_name text,
    last_name text,
    company text,
    address1 text,
    address2 text,
    city text,
    state text,
    postcode text,
    country text NOT NULL,
    phone text,
    status text NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    ended_at timestamptz,
    move_first_issue bigint,
    first_day date,
    last_day date,
    CONSTRAINT address_change_pk PRIMARY KEY (account_id, id),
    CONSTRAINT address_change_subscription FOREIGN KEY (account_id, subscription_id)
        REFERENCES subscription (account_id, id)
);
CREATE INDEX address_change_by_status ON address_change (account_id, status, first_issue);
CREATE INDEX address_change_by_subscriber ON address_change (account_id, subscriber_id, id);
CREATE INDEX address_change_by_subscription ON address_change (account_id, subscription_id,
    status, first_issue);

CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE api_key (
    account_id bigint NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    name text NOT NULL,
    scope text NOT NULL,
    prefix text NOT NULL,
    digest text NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz,
    created_by text,
    replaced_by text,
    rights text,
    CONSTRAINT api_key_pk PRIMARY KEY (account_id, id),
    CONSTRAINT api_key_digest UNIQUE (account_id, digest),
    CONSTRAINT api_key_account FOREIGN KEY (account_id) REFERENCES account (id),
    CONSTRAINT api_key_user FOREIGN KEY (user_id) REFERENCES app_user (id)
);

CREATE TABLE app_user (
    id text NOT NULL,
    email text NOT NULL,
    email_key text NOT NULL,
    created_at timestamptz NOT NULL,
    password_hash text,
    has_shortcuts boolean NOT NULL DEFAULT true,
    seen_at timestamptz,
    passkey_handle text,
    locale text,
    full_name text,
    CONSTRAINT app_user_pk PRIMARY KEY (id),
    CONSTRAINT app_user_email UNIQUE (email_key)
);

CREATE TABLE audit (
    account_id bigint NOT NULL,
    id bigint NOT NULL,
    happened_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    action text NOT NULL,
    subject_type text NOT NULL,
    subject_id text NOT NULL,
    before text,
    after text,
    CONSTRAINT audit_pk PRIMARY KEY (account_id, id),
    CONSTRAINT audit_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX audit_by_action ON audit (account_id, action, id);
CREATE INDEX audit_by_actor ON audit (account_id, actor_id, action, id);
CREATE INDEX audit_by_subject ON audit (account_id, subject_type, subject_id, id);

CREATE TABLE authenticator_app (
    user_id text NOT NULL,
    secret text NOT NULL,
    last_step bigint NOT NULL,
    created_at timestamptz NOT NULL,
    used_at timestamptz,
    CONSTRAINT authenticator_app_pk PRIMARY KEY (user_id),
    CONSTRAINT authenticator_app_user FOREIGN KEY (user_id) REFERENCES app_user (id)
);

CREATE TABLE bank_line (
    account_id bigint NOT NULL,
    id text NOT NULL,
    statement_id text NOT NULL,
    digest text NOT NULL,
    booking_date date NOT NULL,
    value_date date,
    amount bigint NOT NULL,
    currency text NOT NULL,
    name text NOT NULL,
    iban text NOT NULL,
    reference text NOT NULL,
    text text NOT NULL,
    return_reason text NOT NULL,
    original_amount bigint,
    status text NOT NULL,
    payment_id text,
    reason text NOT NULL,
    decided_at timestamptz,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    ultimate_name text NOT NULL DEFAULT '',
    CONSTRAINT bank_line_pk PRIMARY KEY (account_id, id),
    CONSTRAINT bank_line_digest UNIQUE (account_id, digest),
    CONSTRAINT bank_line_statement FOREIGN KEY (account_id, statement_id)
        REFERENCES bank_statement (account_id, id),
    CONSTRAINT bank_line_payment FOREIGN KEY (account_id, payment_id)
        REFERENCES payment (account_id, id)
);
CREATE INDEX bank_line_by_iban ON bank_line (account_id, iban, id) WHERE payment_id IS NOT NULL;
CREATE INDEX bank_line_by_payment ON bank_line (account_id, payment_id) WHERE payment_id IS NOT
    NULL;
CREATE INDEX bank_line_by_statement ON bank_line (account_id, statement_id, status, id);
CREATE INDEX bank_line_by_status ON bank_line (account_id, status, id);

CREATE TABLE bank_statement (
    account_id bigint NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    sha256 text NOT NULL,
    part bigint NOT NULL,
    format text NOT NULL,
    iban text NOT NULL,
    currency text NOT NULL,
    opening bigint,
    closing bigint,
    first_date date,
    last_date date,
    lines bigint NOT NULL,
    kept bigint NOT NULL,
    known bigint NOT NULL,
    pending bigint NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    CONSTRAINT bank_statement_pk PRIMARY KEY (account_id, id),
    CONSTRAINT bank_statement_file UNIQUE (account_id, sha256, part),
    CONSTRAINT bank_statement_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE billed_order (
    account_id bigint NOT NULL,
    period_id bigint NOT NULL,
    payer_id text NOT NULL,
    order_reference text NOT NULL,
    due_days bigint NOT NULL,
    invoice_id text,
    created_at timestamptz NOT NULL,
    is_debited boolean,
    CONSTRAINT billed_order_pk PRIMARY KEY (account_id, period_id),
    CONSTRAINT billed_order_period FOREIGN KEY (account_id, period_id)
        REFERENCES period (account_id, id),
    CONSTRAINT billed_order_payer FOREIGN KEY (account_id, payer_id)
        REFERENCES payer (account_id, subscriber_id)
);
CREATE INDEX billed_order_by_invoice ON billed_order (account_id, invoice_id, period_id);
CREATE INDEX billed_order_by_payer ON billed_order (account_id, payer_id, period_id);

CREATE TABLE billed_sum (
    account_id bigint NOT NULL,
    issue_date date NOT NULL,
    currency text NOT NULL,
    kind text NOT NULL,
    country text NOT NULL,
    category text NOT NULL,
    rate bigint NOT NULL,
    net bigint NOT NULL,
    vat bigint NOT NULL,
    CONSTRAINT billed_sum_pk PRIMARY KEY (account_id, issue_date, currency, kind, country,
        category, rate),
    CONSTRAINT billed_sum_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX billed_sum_amounts ON billed_sum ( account_id, issue_date, currency, kind, country,
    category, rate, net, vat );

CREATE TABLE billing (
    account_id bigint NOT NULL,
    name text NOT NULL,
    street text NOT NULL,
    postcode text NOT NULL,
    city text NOT NULL,
    country text NOT NULL,
    vat_id text NOT NULL,
    tax_number text NOT NULL,
    email text NOT NULL,
    phone text NOT NULL,
    bank text NOT NULL,
    iban text NOT NULL,
    bic text NOT NULL,
    footer text NOT NULL,
    is_small_business boolean NOT NULL,
    prices_include_vat boolean NOT NULL,
    digital_percent bigint NOT NULL,
    due_days bigint NOT NULL,
    series text NOT NULL,
    updated_at timestamptz NOT NULL,
    letterhead bigint NOT NULL DEFAULT 0,
    CONSTRAINT billing_pk PRIMARY KEY (account_id),
    CONSTRAINT billing_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE cancellation (
    account_id bigint NOT NULL,
    id text NOT NULL,
    subscription_id text NOT NULL,
    cancelled_date date NOT NULL,
    reason text NOT NULL,
    notes text,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    status_before text NOT NULL,
    reopened_date date,
    reopened_at timestamptz,
    CONSTRAINT cancellation_pk PRIMARY KEY (account_id, id),
    CONSTRAINT cancellation_subscription FOREIGN KEY (account_id, subscription_id)
        REFERENCES subscription (account_id, id)
);
CREATE INDEX cancellation_by_subscription ON cancellation (account_id, subscription_id, id);

CREATE TABLE carrier_file (
    account_id bigint NOT NULL,
    id text NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    bytes bigint NOT NULL,
    summary text,
    created_at timestamptz NOT NULL,
    imported_at timestamptz,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    CONSTRAINT carrier_file_pk PRIMARY KEY (account_id, id),
    CONSTRAINT carrier_file_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE carrier_file_part (
    account_id bigint NOT NULL,
    file_id text NOT NULL,
    kind text NOT NULL,
    part bigint NOT NULL,
    content bytea NOT NULL,
    CONSTRAINT carrier_file_part_pk PRIMARY KEY (account_id, file_id, kind, part),
    CONSTRAINT carrier_file_part_file FOREIGN KEY (account_id, file_id)
        REFERENCES carrier_file (account_id, id)
);

CREATE TABLE claim (
    account_id bigint NOT NULL,
    id text NOT NULL,
    copy_id bigint NOT NULL,
    subscription_id text NOT NULL,
    subscriber_id text NOT NULL,
    issue_number bigint NOT NULL,
    country text NOT NULL,
    reason text NOT NULL,
    notes text,
    wants_replacement boolean NOT NULL,
    status text NOT NULL,
    dispatch_id text,
    date_sent date,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    closed_at timestamptz,
    CONSTRAINT claim_pk PRIMARY KEY (account_id, id),
    CONSTRAINT claim_copy FOREIGN KEY (account_id, copy_id) REFERENCES copy (account_id, id)
);
CREATE INDEX claim_by_copy ON claim (account_id, copy_id, id);
CREATE INDEX claim_by_dispatch ON claim (account_id, dispatch_id, id) WHERE dispatch_id IS NOT
    NULL;
CREATE INDEX claim_by_issue ON claim (account_id, issue_number, status, id);
CREATE INDEX claim_by_status ON claim (account_id, status, id);
CREATE INDEX claim_by_subscriber ON claim (account_id, subscriber_id, id);

CREATE TABLE collection (
    account_id bigint NOT NULL,
    id text NOT NULL,
    number bigint NOT NULL,
    collect_date date NOT NULL,
    currency text NOT NULL,
    debits bigint NOT NULL,
    total bigint NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    sent_at timestamptz,
    cancelled_at timestamptz,
    is_b2b boolean,
    CONSTRAINT collection_pk PRIMARY KEY (account_id, id),
    CONSTRAINT collection_number UNIQUE (account_id, number),
    CONSTRAINT collection_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE collection_file (
    account_id bigint NOT NULL,
    collection_id text NOT NULL,
    content bytea NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT collection_file_pk PRIMARY KEY (account_id, collection_id),
    CONSTRAINT collection_file_collection FOREIGN KEY (account_id, collection_id)
        REFERENCES collection (account_id, id)
);

CREATE TABLE copy (
    account_id bigint NOT NULL,
    id bigint NOT NULL,
    subscription_id text NOT NULL,
    period_id bigint NOT NULL,
    subscriber_id text NOT NULL,
    issue_id text NOT NULL,
    issue_number bigint NOT NULL,
    status text NOT NULL,
    date_sent date,
    country text NOT NULL,
    dispatch_id text,
    CONSTRAINT copy_pk PRIMARY KEY (account_id, id),
    CONSTRAINT copy_once UNIQUE (account_id, subscription_id, issue_number),
    CONSTRAINT copy_subscription FOREIGN KEY (account_id, subscription_id)
        REFERENCES subscription (account_id, id),
    CONSTRAINT copy_issue FOREIGN KEY (account_id, issue_id) REFERENCES issue (account_id, id)
);
CREATE INDEX copy_by_country ON copy (account_id, country, status, id);
CREATE INDEX copy_by_dispatch ON copy (account_id, dispatch_id, id) WHERE dispatch_id IS NOT NULL;
CREATE INDEX copy_by_issue ON copy (account_id, issue_number, status, id);
CREATE INDEX copy_by_issue_country ON copy (account_id, issue_number, country, status, id);
CREATE INDEX copy_by_status ON copy (account_id, status, id);
CREATE INDEX copy_by_subscriber ON copy (account_id, subscriber_id, id);
CREATE INDEX copy_by_subscription ON copy (account_id, subscription_id, id);
CREATE INDEX copy_free ON copy (account_id, issue_number, status, dispatch_id, subscription_id)
    WHERE dispatch_id IS NULL AND status = 'Not sent';

CREATE TABLE dated_price (
    account_id bigint NOT NULL,
    product_id text NOT NULL,
    currency text NOT NULL,
    first_day date NOT NULL,
    medium text NOT NULL,
    country_group text NOT NULL,
    price bigint,
    CONSTRAINT dated_price_pk PRIMARY KEY (account_id, product_id, currency, first_day, medium,
        country_group),
    CONSTRAINT dated_price_product FOREIGN KEY (account_id, product_id)
        REFERENCES product (account_id, id)
);

CREATE TABLE debit (
    account_id bigint NOT NULL,
    id text NOT NULL,
    invoice_id text NOT NULL,
    mandate_id text NOT NULL,
    collect_date date NOT NULL,
    status text NOT NULL,
    collection_id text,
    sequence_type text NOT NULL,
    amount bigint,
    payment_id text,
    line_id text,
    return_reason text NOT NULL,
    returned_date date,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    fee_id text,
    CONSTRAINT debit_pk PRIMARY KEY (account_id, id),
    CONSTRAINT debit_invoice FOREIGN KEY (account_id, invoice_id)
        REFERENCES invoice (account_id, id),
    CONSTRAINT debit_mandate FOREIGN KEY (account_id, mandate_id)
        REFERENCES mandate (account_id, id),
    CONSTRAINT debit_collection FOREIGN KEY (account_id, collection_id)
        REFERENCES collection (account_id, id),
    CONSTRAINT debit_payment FOREIGN KEY (account_id, payment_id)
        REFERENCES payment (account_id, id)
);
CREATE INDEX debit_by_collection ON debit (account_id, collection_id, id);
CREATE INDEX debit_by_fee ON debit (account_id, fee_id) WHERE fee_id IS NOT NULL;
CREATE INDEX debit_by_invoice ON debit (account_id, invoice_id, id);
CREATE INDEX debit_by_line ON debit (account_id, line_id) WHERE line_id IS NOT NULL;
CREATE INDEX debit_by_mandate ON debit (account_id, mandate_id, id);
CREATE INDEX debit_by_payment ON debit (account_id, payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX debit_by_status ON debit (account_id, status, collect_date, id);
CREATE UNIQUE INDEX debit_in_progress ON debit (account_id, invoice_id) WHERE status IN
    ('waiting', 'collected');

CREATE TABLE debit_settings (
    account_id bigint NOT NULL,
    creditor_id text NOT NULL,
    notice_days bigint NOT NULL,
    updated_at timestamptz NOT NULL,
    marks_first boolean,
    charges_bank_fee boolean,
    CONSTRAINT debit_settings_pk PRIMARY KEY (account_id),
    CONSTRAINT debit_settings_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE delivery_report (
    account_id bigint NOT NULL,
    id text NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    line_id bigint,
    copy_id bigint NOT NULL,
    subscription_id text NOT NULL,
    subscriber_id text NOT NULL,
    issue_number bigint NOT NULL,
    reason text,
    report_date date,
    old_address text NOT NULL,
    new_address text,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    resolved_at timestamptz,
    CONSTRAINT delivery_report_pk PRIMARY KEY (account_id, id),
    CONSTRAINT delivery_report_subscription FOREIGN KEY (account_id, subscription_id)
        REFERENCES subscription (account_id, id)
);
CREATE INDEX delivery_report_by_copy ON delivery_report (account_id, copy_id, id);
CREATE INDEX delivery_report_by_status ON delivery_report (account_id, status, kind, id);
CREATE INDEX delivery_report_by_subscription ON delivery_report (account_id, subscription_id,
    status, kind);

CREATE TABLE dismissed_pair (
    account_id bigint NOT NULL,
    subscriber_id text NOT NULL,
    other_id text NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    CONSTRAINT dismissed_pair_pk PRIMARY KEY (account_id, subscriber_id, other_id),
    CONSTRAINT dismissed_pair_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX dismissed_pair_by_other ON dismissed_pair (account_id, other_id);

CREATE TABLE dispatch (
    account_id bigint NOT NULL,
    id text NOT NULL,
    issue_id text NOT NULL,
    issue_number bigint NOT NULL,
    number bigint NOT NULL,
    status text NOT NULL,
    selection text NOT NULL,
    layout text NOT NULL,
    first_line bigint NOT NULL,
    lines bigint NOT NULL,
    copies bigint NOT NULL,
    replacements bigint NOT NULL,
    fingerprint text NOT NULL,
    date_sent date,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    marked_at timestamptz,
    undone_at timestamptz,
    discarded_at timestamptz,
    grace_copies bigint NOT NULL DEFAULT 0,
    group_id text,
    CONSTRAINT dispatch_pk PRIMARY KEY (account_id, id),
    CONSTRAINT dispatch_number UNIQUE (account_id, issue_number, number),
    CONSTRAINT dispatch_issue FOREIGN KEY (account_id, issue_id) REFERENCES issue (account_id, id)
);
CREATE INDEX dispatch_by_group ON dispatch (account_id, group_id) WHERE group_id IS NOT NULL;

CREATE TABLE dispatch_file (
    account_id bigint NOT NULL,
    id text NOT NULL,
    dispatch_id text NOT NULL,
    format text NOT NULL,
    profile_id text NOT NULL,
    profile_name text NOT NULL,
    settings text NOT NULL,
    name text NOT NULL,
    status text NOT NULL,
    attempts bigint NOT NULL,
    progress bigint NOT NULL,
    lines bigint NOT NULL,
    bytes bigint NOT NULL,
    totals text,
    sha256 text,
    error text,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    ready_at timestamptz,
    CONSTRAINT dispatch_file_pk PRIMARY KEY (account_id, id),
    CONSTRAINT dispatch_file_dispatch FOREIGN KEY (account_id, dispatch_id)
        REFERENCES dispatch (account_id, id)
);
CREATE INDEX dispatch_file_by_dispatch ON dispatch_file (account_id, dispatch_id, id);
CREATE INDEX dispatch_file_by_status ON dispatch_file (status, created_at);

CREATE TABLE dispatch_file_part (
    account_id bigint NOT NULL,
    file_id text NOT NULL,
    part bigint NOT NULL,
    content bytea NOT NULL,
    CONSTRAINT dispatch_file_part_pk PRIMARY KEY (account_id, file_id, part),
    CONSTRAINT dispatch_file_part_file FOREIGN KEY (account_id, file_id)
        REFERENCES dispatch_file (account_id, id)
);

CREATE TABLE dispatch_line (
    account_id bigint NOT NULL,
    id bigint NOT NULL,
    dispatch_id text NOT NULL,
    copy_id bigint NOT NULL,
    claim_id text NOT NULL,
    subscription_id text NOT NULL,
    subscriber_id text NOT NULL,
    issue_number bigint NOT NULL,
    medium text NOT NULL,
    first_name text,
    last_name text,
    company text,
    address1 text,
    address2 text,
    city text,
    state text,
    postcode text,
    country text NOT NULL,
    status text NOT NULL,
    left_reason text,
    left_at timestamptz,
    shipped_date date,
    salutation text,
    title text,
    is_grace boolean,
    CONSTRAINT dispatch_line_pk PRIMARY KEY (account_id, id),
    CONSTRAINT dispatch_line_dispatch FOREIGN KEY (account_id, dispatch_id)
        REFERENCES dispatch (account_id, id)
);
CREATE INDEX dispatch_line_by_copy ON dispatch_line (account_id, copy_id, id);
CREATE INDEX dispatch_line_by_dispatch ON dispatch_line (account_id, dispatch_id, id);

CREATE TABLE erasure (
    account_id bigint NOT NULL,
    id text NOT NULL,
    subscriber_id text NOT NULL,
    kept text NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    cleaned_at timestamptz,
    CONSTRAINT erasure_pk PRIMARY KEY (account_id, id),
    CONSTRAINT erasure_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX erasure_by_subscriber ON erasure (account_id, subscriber_id);

CREATE TABLE erasure_digest (
    account_id bigint NOT NULL,
    digest text NOT NULL,
    erasure_id text NOT NULL,
    CONSTRAINT erasure_digest_pk PRIMARY KEY (account_id, digest, erasure_id),
    CONSTRAINT erasure_digest_erasure FOREIGN KEY (account_id, erasure_id)
        REFERENCES erasure (account_id, id)
);

CREATE TABLE event (
    account_id bigint NOT NULL,
    number bigint NOT NULL,
    type text NOT NULL,
    record_id text NOT NULL,
    happened_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    data text,
    CONSTRAINT event_pk PRIMARY KEY (account_id, number),
    CONSTRAINT event_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX event_by_record ON event (account_id, record_id, number);
CREATE INDEX event_by_type ON event (account_id, type, number);

CREATE TABLE exchange_rate (
    account_id bigint NOT NULL,
    first_day date NOT NULL,
    base_currency text NOT NULL,
    quote_currency text NOT NULL,
    rate text NOT NULL,
    CONSTRAINT exchange_rate_pk PRIMARY KEY (account_id, first_day, base_currency, quote_currency),
    CONSTRAINT exchange_rate_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE export_profile (
    account_id bigint NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    settings text NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT export_profile_pk PRIMARY KEY (account_id, id),
    CONSTRAINT export_profile_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE grace_copy (
    account_id bigint NOT NULL,
    id bigint NOT NULL,
    subscription_id text NOT NULL,
    issue_number bigint NOT NULL,
    dispatch_id text NOT NULL,
    status text NOT NULL,
    date_sent date,
    CONSTRAINT grace_copy_pk PRIMARY KEY (account_id, id),
    CONSTRAINT grace_copy_subscription FOREIGN KEY (account_id, subscription_id)
        REFERENCES subscription (account_id, id),
    CONSTRAINT grace_copy_dispatch FOREIGN KEY (account_id, dispatch_id)
        REFERENCES dispatch (account_id, id)
);
CREATE INDEX grace_copy_by_dispatch ON grace_copy (account_id, dispatch_id, id);
CREATE INDEX grace_copy_by_subscription ON grace_copy (account_id, subscription_id, id);
CREATE UNIQUE INDEX grace_copy_once ON grace_copy (account_id, subscription_id, issue_number)
    WHERE status <> 'left';

CREATE TABLE heartbeat (
    name text NOT NULL,
    seen_at timestamptz NOT NULL,
    boot_id text NOT NULL,
    uptime_ms bigint NOT NULL,
    CONSTRAINT heartbeat_pk PRIMARY KEY (name)
);

CREATE TABLE import_batch (
    account_id bigint NOT NULL,
    id text NOT NULL,
    number bigint,
    name text NOT NULL,
    sha256 text NOT NULL,
    bytes bigint NOT NULL,
    status text NOT NULL,
    source_id text,
    options text NOT NULL,
    decisions text NOT NULL,
    layout text NOT NULL,
    counts text NOT NULL,
    reasons text NOT NULL,
    error text,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    started_at timestamptz,
    finished_at timestamptz,
    undone_at timestamptz,
    undone_by_kind text,
    undone_by_id text,
    issues text NOT NULL DEFAULT '[]',
    CONSTRAINT import_batch_pk PRIMARY KEY (account_id, id),
    CONSTRAINT import_batch_number UNIQUE (account_id, number),
    CONSTRAINT import_batch_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX import_batch_by_status ON import_batch (status, created_at);

CREATE TABLE import_file_part (
    account_id bigint NOT NULL,
    batch_id text NOT NULL,
    part bigint NOT NULL,
    content bytea NOT NULL,
    CONSTRAINT import_file_part_pk PRIMARY KEY (account_id, batch_id, part),
    CONSTRAINT import_file_part_batch FOREIGN KEY (account_id, batch_id)
        REFERENCES import_batch (account_id, id)
);

CREATE TABLE import_mapping (
    account_id bigint NOT NULL,
    name text NOT NULL,
    mapping text NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT import_mapping_pk PRIMARY KEY (account_id, name),
    CONSTRAINT import_mapping_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE import_row (
    account_id bigint NOT NULL,
    batch_id text NOT NULL,
    line bigint NOT NULL,
    part bigint NOT NULL,
    outcome text NOT NULL,
    order_id text,
    subscription_id text,
    subscriber_id text,
    period_id bigint,
    made text,
    reasons text,
    cells text,
    said text,
    CONSTRAINT import_row_pk PRIMARY KEY (account_id, batch_id, line, part),
    CONSTRAINT import_row_batch FOREIGN KEY (account_id, batch_id)
        REFERENCES import_batch (account_id, id)
);
CREATE INDEX import_row_by_outcome ON import_row (account_id, batch_id, outcome, line);
CREATE INDEX import_row_by_subscriber ON import_row (account_id, subscriber_id);
CREATE INDEX import_row_by_subscription ON import_row (account_id, subscription_id);

CREATE TABLE invoice (
    account_id bigint NOT NULL,
    id text NOT NULL,
    kind text NOT NULL,
    series text NOT NULL,
    series_number bigint NOT NULL,
    number text NOT NULL,
    payer_id text NOT NULL,
    payer_name text NOT NULL,
    issue_date date NOT NULL,
    due_date date NOT NULL,
    currency text NOT NULL,
    net bigint NOT NULL,
    vat bigint NOT NULL,
    total bigint NOT NULL,
    open_amount bigint NOT NULL,
    corrects_id text,
    document text NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    reminder_stage bigint NOT NULL DEFAULT 0,
    reminded_date date,
    CONSTRAINT invoice_pk PRIMARY KEY (account_id, id),
    CONSTRAINT invoice_number UNIQUE (account_id, number),
    CONSTRAINT invoice_series UNIQUE (account_id, series, series_number),
    CONSTRAINT invoice_payer FOREIGN KEY (account_id, payer_id)
        REFERENCES payer (account_id, subscriber_id)
);
CREATE INDEX invoice_by_corrected ON invoice (account_id, corrects_id) WHERE corrects_id IS NOT
    NULL;
CREATE INDEX invoice_by_date ON invoice (account_id, issue_date, id);
CREATE INDEX invoice_by_due_date ON invoice ( account_id, due_date, id, currency, payer_id,
    open_amount ) WHERE open_amount <> 0;
CREATE INDEX invoice_by_open_amount ON invoice (account_id, open_amount, id) WHERE open_amount > 0;
CREATE INDEX invoice_by_payer ON invoice (account_id, payer_id, id);
CREATE INDEX invoice_by_payer_name ON invoice (account_id, lower(payer_name));
CREATE INDEX invoice_credit ON invoice (account_id, payer_id, open_amount) WHERE open_amount < 0;
CREATE INDEX invoice_open_by_payer ON invoice (account_id, payer_id, currency, open_amount,
    due_date) WHERE open_amount <> 0;
CREATE INDEX invoice_overdue ON invoice ( account_id, payer_id, currency, due_date, id,
    open_amount, reminder_stage, reminded_date, kind ) WHERE (kind = 'invoice' AND open_amount >
    0) IS TRUE;
CREATE INDEX invoice_sums ON invoice ( account_id, issue_date, currency, kind, total, id );

CREATE TABLE invoice_line (
    account_id bigint NOT NULL,
    invoice_id text NOT NULL,
    line bigint NOT NULL,
    period_id bigint NOT NULL,
    country text NOT NULL,
    category text NOT NULL,
    rate bigint NOT NULL,
    net bigint NOT NULL,
    vat bigint NOT NULL,
    CONSTRAINT invoice_line_pk PRIMARY KEY (account_id, invoice_id, line),
    CONSTRAINT invoice_line_invoice FOREIGN KEY (account_id, invoice_id)
        REFERENCES invoice (account_id, id)
);
CREATE INDEX invoice_line_amounts ON invoice_line ( account_id, invoice_id, country, category,
    rate, net, vat );
CREATE INDEX invoice_line_by_period ON invoice_line (account_id, period_id);

CREATE TABLE issue (
    account_id bigint NOT NULL,
    id text NOT NULL,
    number bigint NOT NULL,
    name text NOT NULL,
    release_date_actual date,
    release_date_fuzzy text,
    date_as_start_issue date,
    recurring_charge_date date,
    newsstand_ean text,
    created_at timestamptz NOT NULL,
    changed_at timestamptz,
    CONSTRAINT issue_pk PRIMARY KEY (account_id, id),
    CONSTRAINT issue_number UNIQUE (account_id, number),
    CONSTRAINT issue_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE issue_cover (
    account_id bigint NOT NULL,
    issue_id text NOT NULL,
    media_type text NOT NULL,
    width bigint NOT NULL,
    height bigint NOT NULL,
    sha256 text NOT NULL,
    content bytea NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT issue_cover_pk PRIMARY KEY (account_id, issue_id),
    CONSTRAINT issue_cover_issue FOREIGN KEY (account_id, issue_id)
        REFERENCES issue (account_id, id)
);

CREATE TABLE known_browser (
    digest text NOT NULL,
    user_id text NOT NULL,
    created_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    CONSTRAINT known_browser_pk PRIMARY KEY (digest, user_id),
    CONSTRAINT known_browser_user FOREIGN KEY (user_id) REFERENCES app_user (id)
);
CREATE INDEX known_browser_by_user ON known_browser (user_id, seen_at);

CREATE TABLE lease (
    name text NOT NULL,
    holder text NOT NULL,
    until_at timestamptz NOT NULL,
    until_tick bigint NOT NULL DEFAULT 0,
    CONSTRAINT lease_pk PRIMARY KEY (name)
);

CREATE TABLE ledger_account (
    account_id bigint NOT NULL,
    name text NOT NULL,
    number text NOT NULL,
    CONSTRAINT ledger_account_pk PRIMARY KEY (account_id, name),
    CONSTRAINT ledger_account_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE letter_batch (
    account_id bigint NOT NULL,
    id text NOT NULL,
    stage text NOT NULL,
    channel text NOT NULL,
    issue_number bigint NOT NULL,
    letters bigint NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    stopped_at timestamptz,
    stopped bigint NOT NULL DEFAULT 0,
    round_id text,
    CONSTRAINT letter_batch_pk PRIMARY KEY (account_id, id),
    CONSTRAINT letter_batch_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX letter_batch_by_round ON letter_batch (account_id, round_id) WHERE round_id IS NOT
    NULL;

CREATE TABLE letter_exclusion (
    account_id bigint NOT NULL,
    stage text NOT NULL,
    period_id bigint NOT NULL,
    subscription_id text NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    CONSTRAINT letter_exclusion_pk PRIMARY KEY (account_id, stage, period_id),
    CONSTRAINT letter_exclusion_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE letterhead (
    account_id bigint NOT NULL,
    number bigint NOT NULL,
    media_type text NOT NULL,
    width bigint NOT NULL,
    height bigint NOT NULL,
    content bytea NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT letterhead_pk PRIMARY KEY (account_id, number),
    CONSTRAINT letterhead_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE mandate (
    account_id bigint NOT NULL,
    id text NOT NULL,
    payer_id text NOT NULL,
    reference text NOT NULL,
    iban text NOT NULL,
    bic text NOT NULL,
    holder text NOT NULL,
    is_recurring boolean NOT NULL,
    signed_date date NOT NULL,
    last_used_date date,
    revoked_date date,
    revoke_reason text NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    is_b2b boolean,
    CONSTRAINT mandate_pk PRIMARY KEY (account_id, id),
    CONSTRAINT mandate_payer FOREIGN KEY (account_id, payer_id)
        REFERENCES payer (account_id, subscriber_id)
);
CREATE INDEX mandate_by_payer ON mandate (account_id, payer_id, id);
CREATE UNIQUE INDEX mandate_by_reference ON mandate (account_id, upper(reference));

CREATE TABLE mandate_file (
    account_id bigint NOT NULL,
    mandate_id text NOT NULL,
    media_type text NOT NULL,
    content bytea NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT mandate_file_pk PRIMARY KEY (account_id, mandate_id),
    CONSTRAINT mandate_file_mandate FOREIGN KEY (account_id, mandate_id)
        REFERENCES mandate (account_id, id)
);

CREATE TABLE number_series (
    account_id bigint NOT NULL,
    series text NOT NULL,
    last_number bigint NOT NULL,
    CONSTRAINT number_series_pk PRIMARY KEY (account_id, series),
    CONSTRAINT number_series_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE outbox (
    account_id bigint NOT NULL,
    id text NOT NULL,
    message_id text NOT NULL,
    recipient text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    status text NOT NULL,
    attempts bigint NOT NULL,
    last_error text,
    created_at timestamptz NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    sent_at timestamptz,
    is_secret boolean NOT NULL DEFAULT false,
    sending_at timestamptz,
    link_digest text,
    subscriber_id text,
    letter_id text,
    unsubscribe_url text,
    invoice_id text,
    reminder_id text,
    CONSTRAINT outbox_pk PRIMARY KEY (account_id, id),
    CONSTRAINT outbox_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX outbox_by_account ON outbox (account_id, status, id);
CREATE INDEX outbox_by_invoice ON outbox (account_id, invoice_id) WHERE invoice_id IS NOT NULL;
CREATE INDEX outbox_by_letter ON outbox (account_id, letter_id) WHERE letter_id IS NOT NULL;
CREATE INDEX outbox_by_recipient ON outbox (account_id, lower(recipient));
CREATE INDEX outbox_by_status ON outbox (status, next_attempt_at);
CREATE INDEX outbox_by_subscriber ON outbox (account_id, subscriber_id) WHERE subscriber_id IS NOT
    NULL;
CREATE INDEX outbox_secret ON outbox (status, next_attempt_at) WHERE is_secret = true;

CREATE TABLE paid_sum (
    account_id bigint NOT NULL,
    payment_date date NOT NULL,
    currency text NOT NULL,
    source_id text NOT NULL,
    product_id text NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT paid_sum_pk PRIMARY KEY (account_id, payment_date, currency, source_id, product_id),
    CONSTRAINT paid_sum_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE passkey (
    id text NOT NULL,
    user_id text NOT NULL,
    name text NOT NULL,
    public_key text NOT NULL,
    sign_count bigint NOT NULL,
    created_at timestamptz NOT NULL,
    used_at timestamptz,
    CONSTRAINT passkey_pk PRIMARY KEY (id),
    CONSTRAINT passkey_user FOREIGN KEY (user_id) REFERENCES app_user (id)
);
CREATE INDEX passkey_by_user ON passkey (user_id);

CREATE TABLE passkey_challenge (
    digest text NOT NULL,
    browser text NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT passkey_challenge_pk PRIMARY KEY (digest)
);

CREATE TABLE payer (
    account_id bigint NOT NULL,
    subscriber_id text NOT NULL,
    number bigint NOT NULL,
    vat_id text NOT NULL,
    bills_together boolean NOT NULL,
    created_at timestamptz NOT NULL,
    reminders_stopped_at timestamptz,
    reminders_stop_reason text,
    department text,
    CONSTRAINT payer_pk PRIMARY KEY (account_id, subscriber_id),
    CONSTRAINT payer_number UNIQUE (account_id, number),
    CONSTRAINT payer_subscriber FOREIGN KEY (account_id, subscriber_id)
        REFERENCES subscriber (account_id, id)
);
CREATE INDEX payer_not_reminded ON payer (account_id, subscriber_id) WHERE reminders_stopped_at IS
    NOT NULL;

CREATE TABLE payment (
    account_id bigint NOT NULL,
    id text NOT NULL,
    payer_id text,
    payment_date date NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    method text NOT NULL,
    reference text NOT NULL,
    source_id text,
    product_id text,
    unused_amount bigint NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    undone_at timestamptz,
    CONSTRAINT payment_pk PRIMARY KEY (account_id, id),
    CONSTRAINT payment_payer FOREIGN KEY (account_id, payer_id)
        REFERENCES payer (account_id, subscriber_id)
);
CREATE INDEX payment_by_date ON payment ( account_id, payment_date, currency, source_id,
    product_id, amount, undone_at );
CREATE INDEX payment_by_payer ON payment (account_id, payer_id, id);
CREATE INDEX payment_undone ON payment (account_id, id) WHERE undone_at IS NOT NULL;
CREATE INDEX payment_unused ON payment (account_id, payer_id, id) WHERE unused_amount <> 0;

CREATE TABLE pending_sign_in (
    digest text NOT NULL,
    user_id text NOT NULL,
    stamp text NOT NULL,
    failures bigint NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT pending_sign_in_pk PRIMARY KEY (digest),
    CONSTRAINT pending_sign_in_user FOREIGN KEY (user_id) REFERENCES app_user (id)
);
CREATE INDEX pending_sign_in_by_user ON pending_sign_in (user_id);

CREATE TABLE period (
    account_id bigint NOT NULL,
    id bigint NOT NULL,
    subscription_id text NOT NULL,
    order_id text NOT NULL,
    order_date date,
    is_complete boolean NOT NULL,
    first_issue bigint,
    last_issue bigint,
    length bigint,
    interval_months bigint,
    period_start date,
    period_end date,
    price bigint NOT NULL,
    discount_amount bigint NOT NULL,
    refunded bigint NOT NULL,
    currency text NOT NULL,
    promo_code text,
    transaction_id text,
    created_at timestamptz NOT NULL,
    source_id text,
    product_id text,
    payment_method text,
    is_billed boolean,
    CONSTRAINT period_pk PRIMARY KEY (account_id, id),
    CONSTRAINT period_order UNIQUE (account_id, order_id),
    CONSTRAINT period_subscription FOREIGN KEY (account_id, subscription_id)
        REFERENCES subscription (account_id, id)
);
CREATE INDEX period_billed ON period ( account_id, order_date, currency, source_id, product_id,
    price, discount_amount ) WHERE is_billed;
CREATE INDEX period_by_currency ON period (account_id, currency);
CREATE INDEX period_by_end ON period (account_id, period_end, id) WHERE period_end IS NOT NULL;
CREATE INDEX period_by_last ON period (account_id, last_issue, id, subscription_id);
CREATE INDEX period_by_order_date ON period (account_id, order_date, currency, source_id,
    product_id, price, discount_amount, subscription_id);
CREATE INDEX period_by_subscription ON period (account_id, subscription_id, id);
CREATE INDEX period_paid_at_once ON period ( account_id, order_date, currency, source_id,
    product_id, price, discount_amount, subscription_id, is_billed ) WHERE is_billed IS NOT TRUE;

CREATE TABLE price_rise (
    account_id bigint NOT NULL,
    product_id text NOT NULL,
    currency text NOT NULL,
    first_day date NOT NULL,
    medium text NOT NULL,
    country_group text NOT NULL,
    amount bigint NOT NULL,
    rate bigint NOT NULL,
    CONSTRAINT price_rise_pk PRIMARY KEY (account_id, product_id, currency, first_day, medium,
        country_group),
    CONSTRAINT price_rise_product FOREIGN KEY (account_id, product_id)
        REFERENCES product (account_id, id)
);

CREATE TABLE product (
    account_id bigint NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    benefits text NOT NULL,
    created_at timestamptz NOT NULL,
    is_active boolean NOT NULL DEFAULT true,
    type text NOT NULL DEFAULT 'subscription',
    length bigint,
    interval_months bigint,
    CONSTRAINT product_pk PRIMARY KEY (account_id, id),
    CONSTRAINT product_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE product_price (
    account_id bigint NOT NULL,
    product_id text NOT NULL,
    medium text NOT NULL,
    country_group text NOT NULL,
    currency text NOT NULL,
    price bigint NOT NULL,
    CONSTRAINT product_price_pk PRIMARY KEY (account_id, product_id, medium, country_group,
        currency),
    CONSTRAINT product_price_product FOREIGN KEY (account_id, product_id)
        REFERENCES product (account_id, id)
);

CREATE TABLE recovery_code (
    user_id text NOT NULL,
    digest text NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT recovery_code_pk PRIMARY KEY (user_id, digest),
    CONSTRAINT recovery_code_user FOREIGN KEY (user_id) REFERENCES app_user (id)
);

CREATE TABLE refund (
    account_id bigint NOT NULL,
    id text NOT NULL,
    subscription_id text NOT NULL,
    period_id bigint NOT NULL,
    refund_date date NOT NULL,
    amount bigint NOT NULL,
    reason text NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    CONSTRAINT refund_pk PRIMARY KEY (account_id, id),
    CONSTRAINT refund_period FOREIGN KEY (account_id, period_id)
        REFERENCES period (account_id, id)
);
CREATE INDEX refund_by_date ON refund (account_id, refund_date, id);
CREATE INDEX refund_by_period ON refund (account_id, period_id, id);

CREATE TABLE reminder (
    account_id bigint NOT NULL,
    id text NOT NULL,
    round_id text NOT NULL,
    payer_id text NOT NULL,
    stage bigint NOT NULL,
    reminded_date date NOT NULL,
    channel text NOT NULL,
    status text NOT NULL,
    reason text,
    currency text NOT NULL,
    total bigint NOT NULL,
    fee_id text,
    encloses_invoices boolean NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    address text NOT NULL,
    created_at timestamptz NOT NULL,
    ended_at timestamptz,
    locale text,
    CONSTRAINT reminder_pk PRIMARY KEY (account_id, id),
    CONSTRAINT reminder_of_round FOREIGN KEY (account_id, round_id)
        REFERENCES reminder_round (account_id, id),
    CONSTRAINT reminder_payer FOREIGN KEY (account_id, payer_id)
        REFERENCES payer (account_id, subscriber_id)
);
CREATE INDEX reminder_by_fee ON reminder (account_id, fee_id) WHERE fee_id IS NOT NULL;
CREATE INDEX reminder_by_payer ON reminder (account_id, payer_id, id);
CREATE INDEX reminder_by_round ON reminder (account_id, round_id, id);

CREATE TABLE reminder_item (
    account_id bigint NOT NULL,
    reminder_id text NOT NULL,
    invoice_id text NOT NULL,
    stage bigint NOT NULL,
    due_date date NOT NULL,
    open_amount bigint NOT NULL,
    CONSTRAINT reminder_item_pk PRIMARY KEY (account_id, reminder_id, invoice_id),
    CONSTRAINT reminder_item_reminder FOREIGN KEY (account_id, reminder_id)
        REFERENCES reminder (account_id, id),
    CONSTRAINT reminder_item_invoice FOREIGN KEY (account_id, invoice_id)
        REFERENCES invoice (account_id, id)
);
CREATE INDEX reminder_item_by_invoice ON reminder_item (account_id, invoice_id, reminder_id);

CREATE TABLE reminder_round (
    account_id bigint NOT NULL,
    id text NOT NULL,
    stage bigint NOT NULL,
    name text NOT NULL,
    letters bigint NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    stopped_at timestamptz,
    stopped bigint NOT NULL,
    CONSTRAINT reminder_round_pk PRIMARY KEY (account_id, id),
    CONSTRAINT reminder_round_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE reminder_setting (
    account_id bigint NOT NULL,
    least_amount bigint NOT NULL,
    hold_stage bigint NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT reminder_setting_pk PRIMARY KEY (account_id),
    CONSTRAINT reminder_setting_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE reminder_stage (
    account_id bigint NOT NULL,
    stage bigint NOT NULL,
    name text NOT NULL,
    days bigint NOT NULL,
    fee bigint NOT NULL,
    subject text NOT NULL,
    text text NOT NULL,
    encloses_invoices boolean NOT NULL,
    is_printed boolean NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT reminder_stage_pk PRIMARY KEY (account_id, stage),
    CONSTRAINT reminder_stage_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE reminder_term (
    account_id bigint NOT NULL,
    invoice_id text NOT NULL,
    promised_date date,
    is_stopped boolean NOT NULL,
    is_disputed boolean NOT NULL,
    reason text NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT reminder_term_pk PRIMARY KEY (account_id, invoice_id),
    CONSTRAINT reminder_term_invoice FOREIGN KEY (account_id, invoice_id)
        REFERENCES invoice (account_id, id)
);

CREATE TABLE renewal_letter (
    account_id bigint NOT NULL,
    id text NOT NULL,
    batch_id text NOT NULL,
    period_id bigint NOT NULL,
    stage text NOT NULL,
    channel text NOT NULL,
    status text NOT NULL,
    subscription_id text NOT NULL,
    subscriber_id text NOT NULL,
    subject text,
    body text,
    address text,
    reason text,
    created_at timestamptz NOT NULL,
    ended_at timestamptz,
    locale text,
    CONSTRAINT renewal_letter_pk PRIMARY KEY (account_id, id),
    CONSTRAINT renewal_letter_batch FOREIGN KEY (account_id, batch_id)
        REFERENCES letter_batch (account_id, id)
);
CREATE INDEX renewal_letter_by_batch ON renewal_letter (account_id, batch_id, id);
CREATE INDEX renewal_letter_by_subscriber ON renewal_letter (account_id, subscriber_id, id);
CREATE UNIQUE INDEX renewal_letter_once ON renewal_letter (account_id, period_id, stage);

CREATE TABLE renewal_stage (
    account_id bigint NOT NULL,
    stage text NOT NULL,
    subject text NOT NULL,
    text text NOT NULL,
    is_automatic boolean NOT NULL,
    updated_at timestamptz NOT NULL,
    translations text NOT NULL DEFAULT '',
    CONSTRAINT renewal_stage_pk PRIMARY KEY (account_id, stage),
    CONSTRAINT renewal_stage_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE retention (
    account_id bigint NOT NULL,
    issue_number bigint NOT NULL,
    medium text NOT NULL,
    source_id text NOT NULL,
    ended bigint NOT NULL,
    within_1 bigint NOT NULL,
    within_2 bigint NOT NULL,
    within_3 bigint NOT NULL,
    automatic bigint,
    CONSTRAINT retention_pk PRIMARY KEY (account_id, issue_number, medium, source_id),
    CONSTRAINT retention_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE retention_rule (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    months bigint NOT NULL,
    is_automatic boolean NOT NULL,
    position bigint NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT retention_rule_pk PRIMARY KEY (account_id, kind),
    CONSTRAINT retention_rule_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE revenue_statement (
    account_id bigint NOT NULL,
    id text NOT NULL,
    statement_date date NOT NULL,
    status text NOT NULL,
    figures text,
    sha256 text,
    orders_sha256 text,
    error text,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    ready_at timestamptz,
    CONSTRAINT revenue_statement_pk PRIMARY KEY (account_id, id),
    CONSTRAINT revenue_statement_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX revenue_statement_by_date ON revenue_statement (account_id, statement_date, id);
CREATE INDEX revenue_statement_by_status ON revenue_statement (status, created_at);

CREATE TABLE revenue_statement_part (
    account_id bigint NOT NULL,
    statement_id text NOT NULL,
    file text NOT NULL,
    part bigint NOT NULL,
    content bytea NOT NULL,
    CONSTRAINT revenue_statement_part_pk PRIMARY KEY (account_id, statement_id, file, part),
    CONSTRAINT revenue_statement_part_statement FOREIGN KEY (account_id, statement_id)
        REFERENCES revenue_statement (account_id, id)
);

CREATE TABLE sandbox (
    account_id bigint NOT NULL,
    data text NOT NULL,
    first_date date NOT NULL,
    done_date date NOT NULL,
    goal_date date NOT NULL,
    source_id text,
    created_at timestamptz NOT NULL,
    is_automatic boolean NOT NULL DEFAULT true,
    CONSTRAINT sandbox_pk PRIMARY KEY (account_id),
    CONSTRAINT sandbox_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE schema_support (
    version text PRIMARY KEY,
    oldest_user text NOT NULL
);

CREATE VIRTUAL TABLE search_index USING fts5(shared_text, subscription_text, subscriber_text,
    content='searchable', content_rowid='n', columnsize=0, detail=column,
    tokenize='trigram case_sensitive 1');

CREATE VIRTUAL TABLE search_trigram USING fts5vocab('search_index', 'row');

CREATE TABLE searchable (
    account_id bigint NOT NULL,
    n integer PRIMARY KEY,
    subscriber_id text,
    subscription_id text,
    shared_text text NOT NULL,
    subscription_text text NOT NULL,
    subscriber_text text NOT NULL,
    CONSTRAINT searchable_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE secret (
    name text NOT NULL,
    value text NOT NULL,
    CONSTRAINT secret_pk PRIMARY KEY (name)
);

CREATE TABLE self_service (
    account_id bigint NOT NULL,
    is_open boolean NOT NULL,
    actions text NOT NULL,
    introduction text NOT NULL,
    contact text NOT NULL,
    colour text NOT NULL,
    renewal_url text NOT NULL,
    has_codes boolean NOT NULL,
    page_url text NOT NULL,
    logo bytea,
    logo_type text,
    updated_at timestamptz NOT NULL,
    CONSTRAINT self_service_pk PRIMARY KEY (account_id),
    CONSTRAINT self_service_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE settlement (
    account_id bigint NOT NULL,
    id text NOT NULL,
    invoice_id text,
    payback_id text,
    payment_id text,
    credit_note_id text,
    amount bigint NOT NULL,
    settled_date date NOT NULL,
    reason text NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    CONSTRAINT settlement_pk PRIMARY KEY (account_id, id),
    CONSTRAINT settlement_invoice FOREIGN KEY (account_id, invoice_id)
        REFERENCES invoice (account_id, id),
    CONSTRAINT settlement_payment FOREIGN KEY (account_id, payment_id)
        REFERENCES payment (account_id, id)
);
CREATE INDEX settlement_by_credit_note ON settlement (account_id, credit_note_id, id) WHERE
    credit_note_id IS NOT NULL;
CREATE INDEX settlement_by_date ON settlement (account_id, settled_date);
CREATE INDEX settlement_by_invoice ON settlement (account_id, invoice_id, id);
CREATE INDEX settlement_by_payback ON settlement (account_id, payback_id, id) WHERE payback_id IS
    NOT NULL;
CREATE INDEX settlement_by_payment ON settlement (account_id, payment_id, id);
CREATE INDEX settlement_written_off ON settlement (account_id, settled_date) WHERE payment_id IS
    NULL AND credit_note_id IS NULL;

CREATE TABLE sign_in_link (
    digest text NOT NULL,
    user_id text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    account_id bigint,
    actor_kind text,
    actor_id text,
    CONSTRAINT sign_in_link_pk PRIMARY KEY (digest),
    CONSTRAINT sign_in_link_user FOREIGN KEY (user_id) REFERENCES app_user (id)
);
CREATE INDEX sign_in_link_by_user ON sign_in_link (user_id);

CREATE TABLE skipped_issue (
    account_id bigint NOT NULL,
    subscription_id text NOT NULL,
    issue_number bigint NOT NULL,
    instead text NOT NULL,
    refund_id text,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    CONSTRAINT skipped_issue_pk PRIMARY KEY (account_id, subscription_id, issue_number),
    CONSTRAINT skipped_issue_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX skipped_issue_by_issue ON skipped_issue (account_id, issue_number);

CREATE TABLE source (
    account_id bigint NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT source_pk PRIMARY KEY (account_id, id),
    CONSTRAINT source_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE stored_answer (
    account_id bigint NOT NULL,
    key_digest text NOT NULL,
    request_digest text NOT NULL,
    status bigint NOT NULL,
    body text,
    made_at timestamptz NOT NULL,
    CONSTRAINT stored_answer_pk PRIMARY KEY (account_id, key_digest),
    CONSTRAINT stored_answer_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX stored_answer_by_age ON stored_answer (account_id, made_at);

CREATE TABLE submission (
    account_id bigint NOT NULL,
    digest text NOT NULL,
    result text NOT NULL,
    made_at timestamptz NOT NULL,
    CONSTRAINT submission_pk PRIMARY KEY (account_id, digest),
    CONSTRAINT submission_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE subscriber (
    account_id bigint NOT NULL,
    id text NOT NULL,
    email text NOT NULL,
    email_key text NOT NULL,
    is_placeholder boolean NOT NULL,
    first_name text,
    last_name text,
    company text,
    subscription_count bigint NOT NULL,
    has_active_subscription boolean NOT NULL,
    latest_order_date date,
    latest_country text,
    ltv bigint NOT NULL,
    created_at timestamptz NOT NULL,
    n bigint NOT NULL DEFAULT 0,
    merged_into text,
    unsubscribed_at timestamptz,
    bounced_at timestamptz,
    bounce_reason text,
    changed_at timestamptz,
    salutation text,
    title text,
    address1 text,
    address2 text,
    city text,
    state text,
    postcode text,
    country text,
    language text,
    CONSTRAINT subscriber_pk PRIMARY KEY (account_id, id),
    CONSTRAINT subscriber_email UNIQUE (account_id, email_key),
    CONSTRAINT subscriber_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX subscriber_by_active ON subscriber (account_id, has_active_subscription, id);
CREATE INDEX subscriber_by_change ON subscriber (account_id, coalesce(changed_at, created_at), id);
CREATE INDEX subscriber_by_merged ON subscriber (account_id, merged_into, id) WHERE merged_into IS
    NOT NULL;
CREATE INDEX subscriber_by_name ON subscriber (account_id, (lower(CASE WHEN last_name <> '' THEN
    CASE WHEN last_name GLOB '*[^ -~]*' THEN replace( replace( coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 1, 1), '')), 1), ''), substr(last_name, 1, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 2, 1), '')), 1), ''), substr(last_name, 2, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 3, 1), '')), 1), ''), substr(last_name, 3, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 4, 1), '')), 1), ''), substr(last_name, 4, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 5, 1), '')), 1), ''), substr(last_name, 5, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 6, 1), '')), 1), ''), substr(last_name, 6, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 7, 1), '')), 1), ''), substr(last_name, 7, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 8, 1), '')), 1), ''), substr(last_name, 8, 1)) || substr(last_name,
    9), 'ẞ', 'ss'), 'ß', 'ss') ELSE last_name END || ' ' || CASE WHEN coalesce(first_name, '')
    GLOB '*[^ -~]*' THEN replace( replace( coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(coalesce(first_name, ''), 1, 1), '')), 1), ''), substr(coalesce(first_name, ''),
    1, 1)) || coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(coalesce(first_name, ''), 2, 1), '')), 1), ''), substr(coalesce(first_name, ''),
    2, 1)) || coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(coalesce(first_name, ''), 3, 1), '')), 1), ''), substr(coalesce(first_name, ''),
    3, 1)) || substr(coalesce(first_name, ''), 4), 'ẞ', 'ss'), 'ß', 'ss') ELSE
    coalesce(first_name, '') END WHEN first_name <> '' THEN CASE WHEN first_name GLOB '*[^ -~]*'
    THEN replace( replace( coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(first_name, 1, 1), '')), 1), ''), substr(first_name, 1, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(first_name, 2, 1), '')), 1), ''), substr(first_name, 2, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(first_name, 3, 1), '')), 1), ''), substr(first_name, 3, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(first_name, 4, 1), '')), 1), ''), substr(first_name, 4, 1)) ||
    substr(first_name, 5), 'ẞ', 'ss'), 'ß', 'ss') ELSE first_name END WHEN company <> '' THEN CASE
    WHEN company GLOB '*[^ -~]*' THEN replace( replace( coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(company, 1, 1), '')), 1), ''), substr(company, 1, 1)) || coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(company, 2, 1), '')), 1), ''), substr(company, 2, 1)) || coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(company, 3, 1), '')), 1), ''), substr(company, 3, 1)) || coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(company, 4, 1), '')), 1), ''), substr(company, 4, 1)) || substr(company, 5),
    'ẞ', 'ss'), 'ß', 'ss') ELSE company END ELSE email END) || ' ' || id)) WHERE merged_into IS
    NULL AND id <> '';
CREATE INDEX subscriber_without_email ON subscriber ( account_id, id, is_placeholder, bounced_at )
    WHERE is_placeholder OR bounced_at IS NOT NULL;

CREATE TABLE subscriber_link (
    account_id bigint NOT NULL,
    digest text NOT NULL,
    subscriber_id text NOT NULL,
    purpose text NOT NULL,
    email_digest text NOT NULL,
    new_email text,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    CONSTRAINT subscriber_link_pk PRIMARY KEY (account_id, digest),
    CONSTRAINT subscriber_link_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX subscriber_link_by_subscriber ON subscriber_link (account_id, subscriber_id, purpose);

CREATE TABLE subscriber_merge (
    account_id bigint NOT NULL,
    id text NOT NULL,
    kept_id text NOT NULL,
    merged_id text NOT NULL,
    moved text NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    undone_at timestamptz,
    undone_by_kind text,
    undone_by_id text,
    CONSTRAINT subscriber_merge_pk PRIMARY KEY (account_id, id),
    CONSTRAINT subscriber_merge_kept FOREIGN KEY (account_id, kept_id)
        REFERENCES subscriber (account_id, id),
    CONSTRAINT subscriber_merge_merged FOREIGN KEY (account_id, merged_id)
        REFERENCES subscriber (account_id, id)
);
CREATE INDEX subscriber_merge_by_kept ON subscriber_merge (account_id, kept_id, id);
CREATE INDEX subscriber_merge_by_merged ON subscriber_merge (account_id, merged_id, id);

CREATE TABLE subscriber_note (
    account_id bigint NOT NULL,
    id text NOT NULL,
    subscriber_id text NOT NULL,
    text text NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    deleted_at timestamptz,
    deleted_by_kind text,
    deleted_by_id text,
    CONSTRAINT subscriber_note_pk PRIMARY KEY (account_id, id),
    CONSTRAINT subscriber_note_subscriber FOREIGN KEY (account_id, subscriber_id)
        REFERENCES subscriber (account_id, id)
);
CREATE INDEX subscriber_note_by_subscriber ON subscriber_note (account_id, subscriber_id, id);

CREATE TABLE subscriber_request (
    account_id bigint NOT NULL,
    id text NOT NULL,
    subscriber_id text NOT NULL,
    action text NOT NULL,
    status text NOT NULL,
    copy_id bigint,
    reason text,
    notes text,
    created_at timestamptz NOT NULL,
    closed_at timestamptz,
    actor_kind text,
    actor_id text,
    CONSTRAINT subscriber_request_pk PRIMARY KEY (account_id, id),
    CONSTRAINT subscriber_request_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX subscriber_request_by_subscriber ON subscriber_request (account_id, subscriber_id,
    id);
CREATE INDEX subscriber_request_waiting ON subscriber_request (account_id, id) WHERE status =
    'waiting';

CREATE TABLE subscriber_session (
    account_id bigint NOT NULL,
    digest text NOT NULL,
    subscriber_id text NOT NULL,
    email_digest text NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT subscriber_session_pk PRIMARY KEY (account_id, digest),
    CONSTRAINT subscriber_session_account FOREIGN KEY (account_id) REFERENCES account (id)
);
CREATE INDEX subscriber_session_by_subscriber ON subscriber_session (account_id, subscriber_id);

CREATE TABLE subscription (
    account_id bigint NOT NULL,
    id text NOT NULL,
    subscriber_id text NOT NULL,
    source_id text NOT NULL,
    product_id text NOT NULL,
    type text NOT NULL,
    status text NOT NULL,
    medium text NOT NULL,
    first_name text,
    last_name text,
    company text,
    address1 text,
    address2 text,
    city text,
    state text,
    postcode text,
    country text NOT NULL,
    phone text,
    notes text,
    is_recurring boolean NOT NULL,
    is_comp boolean NOT NULL,
    is_gift boolean NOT NULL,
    gifter_name text,
    gifter_email text,
    start_issue bigint,
    last_issue bigint,
    total_length bigint NOT NULL,
    created_at timestamptz NOT NULL,
    n bigint NOT NULL DEFAULT 0,
    gifter_id text,
    bundle_id text,
    CONSTRAINT subscription_pk PRIMARY KEY (account_id, id),
    CONSTRAINT subscription_subscriber FOREIGN KEY (account_id, subscriber_id)
        REFERENCES subscriber (account_id, id),
    CONSTRAINT subscription_source FOREIGN KEY (account_id, source_id)
        REFERENCES source (account_id, id),
    CONSTRAINT subscription_product FOREIGN KEY (account_id, product_id)
        REFERENCES product (account_id, id)
);
CREATE INDEX subscription_by_bundle ON subscription (account_id, bundle_id, id) WHERE bundle_id IS
    NOT NULL;
CREATE INDEX subscription_by_country ON subscription (account_id, country, is_gift, id);
CREATE INDEX subscription_by_country_source ON subscription (account_id, country, source_id,
    is_gift, id);
CREATE INDEX subscription_by_gift ON subscription (account_id, is_gift, id);
CREATE INDEX subscription_by_gifter ON subscription (account_id, gifter_id, id) WHERE gifter_id IS
    NOT NULL;
CREATE INDEX subscription_by_gifter_email ON subscription (account_id, lower(gifter_email)) WHERE
    gifter_email IS NOT NULL;
CREATE INDEX subscription_by_last ON subscription ( account_id, last_issue, id, start_issue,
    status, is_recurring, medium, country, subscriber_id, bundle_id, is_comp );
CREATE INDEX subscription_by_name ON subscription (account_id, (lower(CASE WHEN last_name <> ''
    THEN CASE WHEN last_name GLOB '*[^ -~]*' THEN replace( replace( coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 1, 1), '')), 1), ''), substr(last_name, 1, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 2, 1), '')), 1), ''), substr(last_name, 2, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 3, 1), '')), 1), ''), substr(last_name, 3, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 4, 1), '')), 1), ''), substr(last_name, 4, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 5, 1), '')), 1), ''), substr(last_name, 5, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 6, 1), '')), 1), ''), substr(last_name, 6, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 7, 1), '')), 1), ''), substr(last_name, 7, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(last_name, 8, 1), '')), 1), ''), substr(last_name, 8, 1)) || substr(last_name,
    9), 'ẞ', 'ss'), 'ß', 'ss') ELSE last_name END || ' ' || CASE WHEN coalesce(first_name, '')
    GLOB '*[^ -~]*' THEN replace( replace( coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(coalesce(first_name, ''), 1, 1), '')), 1), ''), substr(coalesce(first_name, ''),
    1, 1)) || coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(coalesce(first_name, ''), 2, 1), '')), 1), ''), substr(coalesce(first_name, ''),
    2, 1)) || coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(coalesce(first_name, ''), 3, 1), '')), 1), ''), substr(coalesce(first_name, ''),
    3, 1)) || substr(coalesce(first_name, ''), 4), 'ẞ', 'ss'), 'ß', 'ss') ELSE
    coalesce(first_name, '') END WHEN first_name <> '' THEN CASE WHEN first_name GLOB '*[^ -~]*'
    THEN replace( replace( coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(first_name, 1, 1), '')), 1), ''), substr(first_name, 1, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(first_name, 2, 1), '')), 1), ''), substr(first_name, 2, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(first_name, 3, 1), '')), 1), ''), substr(first_name, 3, 1)) ||
    coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(first_name, 4, 1), '')), 1), ''), substr(first_name, 4, 1)) ||
    substr(first_name, 5), 'ẞ', 'ss'), 'ß', 'ss') ELSE first_name END WHEN company <> '' THEN CASE
    WHEN company GLOB '*[^ -~]*' THEN replace( replace( coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(company, 1, 1), '')), 1), ''), substr(company, 1, 1)) || coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(company, 2, 1), '')), 1), ''), substr(company, 2, 1)) || coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(company, 3, 1), '')), 1), ''), substr(company, 3, 1)) || coalesce(nullif(substr(
    'aaaaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeggggiiiiiiiiiiiikkllllllnnnnnnnnoooooooooooooooooorrssssssssttttttuuuuuuuuuuuuuuyyyyzzzzzz',
    instr(
    'ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄąÇçĆćČčĎďĐđÉéÈèÊêËëĒēĘęĚěĞğĢģÍíÌìÎîÏïĪīİıĶķŁłĻļĽľÑñŃńŅņŇňÖöŒœÓóÒòÔôÕõØøŌōŐőŘřŚśŠšŞşȘșŤťŢţȚțÜüÚúÙùÛûŪūŮůŰűÝýŸÿŹźŻżŽž',
    nullif(substr(company, 4, 1), '')), 1), ''), substr(company, 4, 1)) || substr(company, 5),
    'ẞ', 'ss'), 'ß', 'ss') ELSE company END ELSE '' END) || ' ' || id)) WHERE id <> '';
CREATE INDEX subscription_by_source ON subscription (account_id, source_id, is_gift, id);
CREATE INDEX subscription_by_start ON subscription (account_id, start_issue, id);
CREATE INDEX subscription_by_status ON subscription (account_id, status, id, country, source_id,
    is_gift);
CREATE INDEX subscription_by_subscriber ON subscription ( account_id, subscriber_id, id,
    start_issue, last_issue, status );
CREATE INDEX subscription_by_type ON subscription (account_id, type, status, id, country,
    source_id, is_gift);
CREATE INDEX subscription_live ON subscription (account_id, last_issue, id) WHERE status =
    'Active - Renewals stopped' OR (status = 'Active' AND is_recurring = false);
CREATE INDEX subscription_with_address ON subscription (account_id, subscriber_id) WHERE
    coalesce(address1, address2) IS NOT NULL AND coalesce(city, postcode) IS NOT NULL;

CREATE TABLE subscription_change (
    account_id bigint NOT NULL,
    id text NOT NULL,
    revision bigint NOT NULL,
    changed_at timestamptz,
    CONSTRAINT subscription_change_pk PRIMARY KEY (account_id, id, revision)
);

CREATE TABLE subscription_document (
    account_id bigint NOT NULL,
    id text NOT NULL,
    revision bigint NOT NULL,
    document bytea NOT NULL,
    format_revision bigint,
    changed_at timestamptz NOT NULL DEFAULT '1970-01-01T00:00:00.000000+00:00',
    CONSTRAINT subscription_document_pk PRIMARY KEY (account_id, id),
    CONSTRAINT subscription_document_subscription FOREIGN KEY (account_id, id)
        REFERENCES subscription (account_id, id)
);
CREATE INDEX subscription_document_by_change ON subscription_document (account_id, changed_at, id);
CREATE INDEX subscription_document_by_format ON subscription_document (account_id, id) WHERE
    format_revision IS DISTINCT FROM revision;

CREATE TABLE subscription_hold (
    account_id bigint NOT NULL,
    id text NOT NULL,
    subscription_id text NOT NULL,
    invoice_id text,
    reason text NOT NULL,
    created_at timestamptz NOT NULL,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    ended_at timestamptz,
    ended_by text,
    CONSTRAINT subscription_hold_pk PRIMARY KEY (account_id, id),
    CONSTRAINT subscription_hold_subscription FOREIGN KEY (account_id, subscription_id)
        REFERENCES subscription (account_id, id)
);
CREATE INDEX subscription_hold_by_invoice ON subscription_hold (account_id, invoice_id, id) WHERE
    invoice_id IS NOT NULL;
CREATE INDEX subscription_hold_by_subscription ON subscription_hold ( account_id, subscription_id,
    id );
CREATE INDEX subscription_hold_open ON subscription_hold (account_id, subscription_id) WHERE
    ended_at IS NULL;

CREATE TABLE summed_until (
    account_id bigint NOT NULL,
    last_invoice text NOT NULL,
    invoices bigint NOT NULL,
    last_payment text NOT NULL,
    payments bigint NOT NULL,
    CONSTRAINT summed_until_pk PRIMARY KEY (account_id),
    CONSTRAINT summed_until_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE throttle (
    name text NOT NULL,
    failures bigint NOT NULL,
    failed_at timestamptz NOT NULL,
    CONSTRAINT throttle_pk PRIMARY KEY (name)
);

CREATE TABLE trend (
    account_id bigint NOT NULL,
    trend_date date NOT NULL,
    active_subscriptions bigint NOT NULL,
    active_subscribers bigint NOT NULL,
    CONSTRAINT trend_pk PRIMARY KEY (account_id, trend_date),
    CONSTRAINT trend_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE vat_rate (
    account_id bigint NOT NULL,
    first_day date NOT NULL,
    place text NOT NULL,
    product_id text NOT NULL,
    medium text NOT NULL,
    rate bigint NOT NULL,
    CONSTRAINT vat_rate_pk PRIMARY KEY (account_id, first_day, place, product_id, medium),
    CONSTRAINT vat_rate_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE vat_setting (
    account_id bigint NOT NULL,
    first_day date NOT NULL,
    is_small_business boolean NOT NULL,
    digital_percent bigint NOT NULL,
    CONSTRAINT vat_setting_pk PRIMARY KEY (account_id, first_day),
    CONSTRAINT vat_setting_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE web_session (
    digest text NOT NULL,
    user_id text NOT NULL,
    created_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    address text NOT NULL,
    browser text NOT NULL DEFAULT '',
    confirmed_at timestamptz,
    CONSTRAINT web_session_pk PRIMARY KEY (digest),
    CONSTRAINT web_session_user FOREIGN KEY (user_id) REFERENCES app_user (id)
);
CREATE INDEX web_session_by_user ON web_session (user_id);

CREATE TABLE webhook (
    account_id bigint NOT NULL,
    id text NOT NULL,
    url text NOT NULL,
    types text NOT NULL,
    status text NOT NULL,
    disabled_reason text,
    signing_keys text NOT NULL,
    last_number bigint NOT NULL,
    missed bigint NOT NULL,
    failing_at timestamptz,
    mailed_at timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT webhook_pk PRIMARY KEY (account_id, id),
    CONSTRAINT webhook_account FOREIGN KEY (account_id) REFERENCES account (id)
);

CREATE TABLE webhook_delivery (
    account_id bigint NOT NULL,
    webhook_id text NOT NULL,
    number bigint NOT NULL,
    status text NOT NULL,
    attempts bigint NOT NULL,
    created_at timestamptz NOT NULL,
    attempted_at timestamptz,
    next_attempt_at timestamptz,
    duration_ms bigint,
    answer_status bigint,
    answer text,
    error text,
    CONSTRAINT webhook_delivery_pk PRIMARY KEY (account_id, webhook_id, number),
    CONSTRAINT webhook_delivery_webhook FOREIGN KEY (account_id, webhook_id)
        REFERENCES webhook (account_id, id)
);
CREATE INDEX webhook_delivery_by_status ON webhook_delivery (account_id, webhook_id, status,
    number);
CREATE INDEX webhook_delivery_by_time ON webhook_delivery (account_id, webhook_id,
    next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_delivery_failed ON webhook_delivery (account_id) WHERE status = 'failed';
