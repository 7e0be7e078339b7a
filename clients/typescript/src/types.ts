// The records of the API, as JSON. Generated from the OpenAPI document by `make clients`; do not edit.

/** The account of an API key. */
export interface AccountRef {
  /** Its name. */
  name: string;
  /** Short name of the account in addresses. */
  subdomain: string;
}

/** What else ends; the body can be left out. */
export interface AddressChangeCancel {
  /**
   * Required if an address for some issues is planned within this change for good. `keep` sends
   * its issues there, and all others to the present address; `cancel` cancels it, too.
   */
  temporary_addresses?: TemporaryAddresses | null;
}

/** A change of address of subscriptions of one subscriber: all of them, or none. */
export interface AddressChangeCreate {
  /** Ids of the subscriptions. */
  subscriptions: Array<string>;
  /** Number of the first issue that goes to the new address; without it, the address changes now. */
  first_issue?: number | null;
  /** Number of the last one; without it, the address changes for good. */
  last_issue?: number | null;
  /** Instead of `first_issue`: the first issue that comes out on this day or later. */
  first_day?: string | null;
  /** Instead of `last_issue`: the last one that comes out by this day. */
  last_day?: string | null;
  /** Without names, those of the subscription stay. */
  first_name?: string | null;
  /** Last name of the recipient. */
  last_name?: string | null;
  /** Name of the company. */
  company?: string | null;
  /** First line of the address, such as street and number. */
  address1: string;
  /** Second line of the address, such as a floor. */
  address2?: string | null;
  /** Town or city. */
  city?: string | null;
  /** State, province or county. */
  state?: string | null;
  /** Postal code; as text, which keeps leading zeros. */
  postcode?: string | null;
  /** ISO 3166-1 alpha-2 country code. */
  country: CountryCode;
  /** Phone number with country code; without it, that of the subscription stays. */
  phone?: string | null;
}

/** A change of the address of a subscription. */
export interface AddressChangeResource {
  /** Id of the record. */
  id: string;
  /** Id of the subscriber. */
  subscriber_id: string;
  /** Id of the subscription. */
  subscription_id: string;
  /** Number of the first issue that goes to the new address. */
  first_issue: number;
  /**
   * Number of the last one; null for a change for good. It is the one before `first_issue` while
   * no issue comes out in the days of the change.
   */
  last_issue: number | null;
  /** `planned`, `done` (it was made for good, or its issues are sent) or `cancelled`. */
  status: ChangeStatus | (string & {});
  /** The new address. */
  address: PlannedAddress;
  /** When it was planned. */
  created_at: string;
  /** When it was done or cancelled; null while it is planned. */
  ended_at: string | null;
}

/** What a change of address did. */
export interface AddressChangeResult {
  /** Number of subscriptions that have the new address now. */
  changed: number;
  /** The changes that are planned, one for each subscription. */
  items: Array<AddressChangeResource>;
}

/** An error. */
export interface ApiError {
  /** Always true for an error, and false otherwise. */
  error: true;
  /** What is wrong and how to correct it, for people; the wording may change. */
  message: string;
  /** The kind of error, for programs. */
  code: ErrorCode | (string & {});
  /**
   * Of the record that the message names, such as the subscription that has an order id already;
   * only if it names one.
   */
  id?: string;
  /**
   * The field or parameter that is wrong, such as `start_issue`, `ids[7]` or `reports[3].key`;
   * only if it is one.
   */
  field?: string;
  /**
   * All fields and parameters that are wrong, up to 20; the first one is `field` with its
   * `message` and `code`. Only together with `field`.
   */
  errors?: Array<FieldError>;
}

/** The two ways to cancel a subscription. */
export type CancelMode = "cancel" | "stop_renewals";

/** What a carrier says of a copy. */
export type CarrierReportKind = "moved" | "shipped" | "undeliverable";

/** What became of a report in a request. */
export type CarrierReportOutcome = "already_sent" | "marked" | "outdated" | "recorded" | "unchanged" | "unmatched";

/** The result of one report, in the order of the request. */
export interface CarrierReportResult {
  /**
   * `recorded`: an undeliverable address is on hold, or a new one waits to be accepted;
   * `marked`: the shipped copy is Sent now; `already_sent`: it was Sent before; `outdated`: only
   * recorded, because the address was changed since; `unchanged`: it was recorded before;
   * `unmatched`: nothing was changed, and `message` says why.
   */
  result: CarrierReportOutcome | (string & {});
  /** Of the delivery report that was added, null if none was. */
  id: string | null;
  /** Null unless the result is `unmatched`. */
  message: string | null;
}

/** The results of a request. */
export interface CarrierReportResults {
  /** Always false. */
  error: boolean;
  /** One for each report, in the same order. */
  items: Array<CarrierReportResult>;
}

/**
 * What became of a change. planned: it applies to its issues. done: it was made for good, or
 * its issues are sent. cancelled: somebody cancelled it; copies that a run holds keep the
 * address.
 */
export type ChangeStatus = "cancelled" | "done" | "planned";

/** A claim: a subscriber says that a copy never came, or was damaged. */
export interface Claim {
  /** Use it in paths. */
  id: string;
  /** Id of the copy. */
  copy_id: number;
  /** The issue. */
  issue: IssueRef;
  /** Id of the subscriber. */
  subscriber_id: string;
  /** Id of the subscription. */
  subscription_id: string;
  /** ISO 3166-1 alpha-2 code of the country to which the copy was sent. */
  country: string;
  /** What is wrong with the copy. */
  reason: ClaimReason | (string & {});
  /** Internal notes; subscribers do not see them. */
  notes: string | null;
  /**
   * `open`: the replacement waits for the next run; `held`: it is in a frozen run; `sent`;
   * `closed`: the claim was withdrawn, or no replacement was wanted.
   */
  status: ClaimStatus | (string & {});
  /** Whether the subscriber gets a replacement. */
  replacement: boolean;
  /** The dispatch run that has the replacement; null if it is in none. */
  dispatch_id: string | null;
  /** Date on which the replacement was sent; null if it was not or the date is unknown. */
  date_sent: string | null;
  /** Date of the claim in UTC. */
  date_created: string;
}

/** A claim, for a copy that was sent. */
export interface ClaimCreate {
  /** Id of the copy; leave it out if you send `key`. */
  copy?: number | null;
  /** The key printed on the label of the copy or of its replacement, in place of `copy`. */
  key?: string | null;
  /** What is wrong with the copy. */
  reason: ClaimReason;
  /** Internal notes; subscribers do not see them. */
  notes?: string | null;
  /** Whether the subscriber gets a replacement; by default, yes. */
  replacement?: boolean | null;
}

/** What is wrong with the copy. */
export type ClaimReason = "damaged" | "never_arrived" | "other" | "wrong_issue";

/**
 * What became of the replacement. open: it waits for the next run. held: a frozen run has it.
 * sent: it was sent. closed: the claim was withdrawn, or no replacement was wanted.
 */
export type ClaimStatus = "closed" | "held" | "open" | "sent";

/** A copy: one issue for one subscription. */
export interface Copy {
  /** Use it to mark the copy as sent, and for claims. */
  id: number;
  /** Date on which the copy was sent; null if it was not sent or the date is unknown. */
  date_sent: string | null;
  /** Whether the copy was sent. */
  status: CopyStatus | (string & {});
  /** ISO 3166-1 alpha-2 code of the current country of its subscription. */
  country: string;
  /** The issue. */
  issue: IssueRef;
  /** Id of the subscriber. */
  subscriber_id: string;
  /** Id of the subscription. */
  subscription_id: string;
}

/** Whether a copy was sent. */
export type CopyStatus = "Cancelled" | "Not sent" | "Sent";

/** ISO 3166-1 alpha-2 country code, or `XK` for Kosovo; case does not matter. */
export type CountryCode = string;

/** The three groups of countries for which postage differs. */
export type CountryGroup = "europe" | "home" | "rest";

/** A new claim. */
export interface CreatedClaim {
  /** Use it in paths. */
  id: string;
  /** Id of the copy. */
  copy_id: number;
  /** The issue. */
  issue: IssueRef;
  /** Id of the subscriber. */
  subscriber_id: string;
  /** Id of the subscription. */
  subscription_id: string;
  /** ISO 3166-1 alpha-2 code of the country to which the copy was sent. */
  country: string;
  /** What is wrong with the copy. */
  reason: ClaimReason | (string & {});
  /** Internal notes; subscribers do not see them. */
  notes: string | null;
  /**
   * `open`: the replacement waits for the next run; `held`: it is in a frozen run; `sent`;
   * `closed`: the claim was withdrawn, or no replacement was wanted.
   */
  status: ClaimStatus | (string & {});
  /** Whether the subscriber gets a replacement. */
  replacement: boolean;
  /** The dispatch run that has the replacement; null if it is in none. */
  dispatch_id: string | null;
  /** Date on which the replacement was sent; null if it was not or the date is unknown. */
  date_sent: string | null;
  /** Date of the claim in UTC. */
  date_created: string;
  /** For people: the limit on replacements is exceeded, or the address is on hold. */
  warnings: Array<string>;
}

/** A credit note for an invoice. */
export interface CreditCreate {
  /** Why; it is on the credit note. */
  reason: string;
  /** Of the whole invoice; by default all that is not credited yet. */
  amount?: string | null;
}

/** ISO 4217 currency code; case does not matter. */
export type CurrencyCode = string;

/** What the carrier says of one copy. Give `key` or `copy`. */
export interface DeliveryReportCreate {
  /** Copy key, as it is printed on the label; case, `#` and blanks do not matter. */
  key?: string | null;
  /** Id of the copy. */
  copy?: number | null;
  /** `moved` needs the new address, at least `address1` and `city` or `postcode`. */
  kind: CarrierReportKind;
  /**
   * Date of shipping or of the report, from 2000 to 31 days after today; shipped copies are sent
   * today if it is absent.
   */
  date?: string | null;
  /** In the carrier's words. */
  reason?: string | null;
  /** First line of the new address. */
  address1?: string | null;
  /** Second line of the new address. */
  address2?: string | null;
  /** Of the new address. */
  city?: string | null;
  /** Of the new address. */
  state?: string | null;
  /** Of the new address. */
  postcode?: string | null;
  /** Of the new address; defaults to that of the old one. */
  country?: CountryCode | null;
}

/** What a carrier said of a copy. */
export interface DeliveryReportResource {
  /** Use it in paths. */
  id: string;
  /** What it is. */
  kind: ReportKind | (string & {});
  /**
   * `open`: it needs a decision, and an undeliverable address is on hold; `accepted`: the
   * subscription has the new address; `corrected`: its address was changed, which ended the
   * hold; `dismissed`: the address is kept; `outdated`: the address was changed before.
   */
  status: ReportStatus | (string & {});
  /** Copy key on the label, null if the copy was in no dispatch run. */
  key: string | null;
  /** Id of the copy. */
  copy_id: number;
  /** Number of the issue. */
  issue_number: number;
  /** Id of the subscription. */
  subscription_id: string;
  /** Id of the subscriber. */
  subscriber_id: string;
  /** In the carrier's words. */
  reason: string | null;
  /** Date of the report, null if the carrier gave none. */
  date: string | null;
  /** The address that the copy was sent to. */
  old_address: PostalAddress;
  /** Null unless the subscriber moved. */
  new_address: PostalAddress | null;
  /** Moment at which it was recorded, in UTC. */
  created_at: string;
  /** Moment at which it was closed, in UTC; null while it is open. */
  resolved_at: string | null;
}

/** Reports on copies; each has its own result. */
export interface DeliveryReportsCreate {
  /** One for each copy. */
  reports: Array<DeliveryReportCreate>;
}

/** Why a webhook is disabled: by a change, by the answer 410, or after days of failures. */
export type DisabledReason = "failing" | "gone" | "request";

/** The run to freeze. It takes all free copies of the issue, unless choices are given. */
export interface DispatchCreate {
  /** Id of the issue. */
  issue: string;
  /** Only copies that are shipped to these countries. */
  countries?: Array<CountryCode> | null;
  /** Only copies of subscriptions with these media. */
  media?: Array<Medium> | null;
  /** Only copies of subscriptions from the sources with these ids. */
  sources?: Array<string> | null;
  /** Whether to take replacements only, and no copies. */
  only_replacements?: boolean | null;
}

/** A dispatch run, in brief. number: within its issue. */
export interface DispatchRef {
  /** Id of the record. */
  id: string;
  /** Number of the issue; unique in the account, and cannot change. */
  number: number;
  /** Its present status. */
  status: DispatchStatus | (string & {});
  /** Date in UTC on which it was frozen. */
  date_frozen: string;
  /** Date with which it was marked as sent; null if it is not marked, or without a date. */
  date_sent: string | null;
}

/** A dispatch run: the copies of one issue that go out together, at frozen addresses. */
export interface DispatchRun {
  /** Use it in paths. */
  id: string;
  /** The issue. */
  issue: IssueRef;
  /** 1 for the first run of its issue. */
  number: number;
  /** Its present status. */
  status: DispatchStatus | (string & {});
  /** Number of copies that the run took when it was frozen. */
  copies: number;
  /** Number of replacements that it took. */
  replacements: number;
  /** Number of grace copies that it took: issues after the last paid one. */
  grace_copies: number;
  /** `copies`, `replacements` and `grace_copies` together. */
  lines: number;
  /** ISO codes of the countries that it was frozen for; empty for all. */
  countries: Array<string>;
  /** The media that it was frozen for; empty for all. */
  media: Array<Medium | (string & {})>;
  /** Ids of the sources that it was frozen for; empty for all. */
  sources: Array<string>;
  /** Whether it was frozen for replacements only. */
  only_replacements: boolean;
  /** SHA-256 of the frozen lines; it never changes. */
  fingerprint: string;
  /** Date on which its copies were sent; null if it is not marked, or has no date. */
  date_sent: string | null;
  /** When it was frozen, in UTC. */
  created_at: string;
  /** When it was marked as sent; null if it is not marked. */
  marked_at: string | null;
  /**
   * Until then the marking can be undone in any case; later, only until a later run of the issue
   * is marked. Null if the run is not marked.
   */
  undo_until: string | null;
  /** When it was discarded; null if it was not. */
  discarded_at: string | null;
}

/** A dispatch run, with counts of its lines. */
export interface DispatchRunDetail {
  /** Use it in paths. */
  id: string;
  /** The issue. */
  issue: IssueRef;
  /** 1 for the first run of its issue. */
  number: number;
  /** Its present status. */
  status: DispatchStatus | (string & {});
  /** Number of copies that the run took when it was frozen. */
  copies: number;
  /** Number of replacements that it took. */
  replacements: number;
  /** Number of grace copies that it took: issues after the last paid one. */
  grace_copies: number;
  /** `copies`, `replacements` and `grace_copies` together. */
  lines: number;
  /** ISO codes of the countries that it was frozen for; empty for all. */
  countries: Array<string>;
  /** The media that it was frozen for; empty for all. */
  media: Array<Medium | (string & {})>;
  /** Ids of the sources that it was frozen for; empty for all. */
  sources: Array<string>;
  /** Whether it was frozen for replacements only. */
  only_replacements: boolean;
  /** SHA-256 of the frozen lines; it never changes. */
  fingerprint: string;
  /** Date on which its copies were sent; null if it is not marked, or has no date. */
  date_sent: string | null;
  /** When it was frozen, in UTC. */
  created_at: string;
  /** When it was marked as sent; null if it is not marked. */
  marked_at: string | null;
  /**
   * Until then the marking can be undone in any case; later, only until a later run of the issue
   * is marked. Null if the run is not marked.
   */
  undo_until: string | null;
  /** When it was discarded; null if it was not. */
  discarded_at: string | null;
  /** Number of lines that are in the run, but not sent. */
  held: number;
  /** Number of lines that are sent. */
  sent: number;
  /**
   * Number of lines that are no longer in the run, for example because a subscription was
   * cancelled.
   */
  left: number;
  /** Number of frozen lines by ISO code of the country, most first; as in its files. */
  by_country: Record<string, number>;
  /** Number of frozen lines by medium, most first. */
  by_medium: Record<string, number>;
}

/** A line of a run: a copy, a replacement or a grace copy, at its frozen address. */
export interface DispatchRunLine {
  /** Id of the record. */
  id: number;
  /** Position in the run, from 1; the number in its files. */
  sequence: number;
  /** The key that is printed on the label, without the `#` around it. */
  key: string;
  /** What it is. */
  kind: LineKind | (string & {});
  /**
   * Id of the copy; for a replacement, of the copy that did not arrive. No copy has the id of a
   * grace copy, until the subscription is renewed and pays for the issue.
   */
  copy_id: number;
  /** Id of the claim that a replacement answers; null for others. */
  claim_id: string | null;
  /** Id of the subscription. */
  subscription_id: string;
  /** Id of the subscriber. */
  subscriber_id: string;
  /** First and last name; without names, the company. */
  name: string;
  /** First name of the recipient. */
  first_name: string | null;
  /** Last name of the recipient. */
  last_name: string | null;
  /** Name of the company. */
  company: string | null;
  /** First line of the address, such as street and number. */
  address1: string | null;
  /** Second line of the address, such as a floor. */
  address2: string | null;
  /** Town or city. */
  city: string | null;
  /** State, province or county. */
  state: string | null;
  /** Postal code; as text, which keeps leading zeros. */
  postcode: string | null;
  /** ISO code of the country. */
  country: string;
  /** English name of the country. */
  country_name: string;
  /** Name and address as the country writes them, one element a line. */
  address_lines: Array<string>;
  /** `Digital` lines do not go by post. */
  medium: Medium | (string & {});
  /** Its present status. */
  status: LineStatus | (string & {});
  /** Why the line left the run; null if it is still in the run. */
  left_reason: LeftReason | (string & {}) | null;
  /** When it left the run; null if it is still in the run. */
  left_at: string | null;
  /** Date on which the carrier reported it as shipped; null if it did not. */
  shipped_date: string | null;
  /** Of the subscriber, if the line has their name. */
  salutation: Salutation | (string & {}) | null;
  /** Of the subscriber, if the line has their name. */
  title: string | null;
}

/** The status of a run. The copies of a discarded run are free for the next one. */
export type DispatchStatus = "discarded" | "frozen" | "marked";

/** What a document is. */
export type DocumentKind = "credit_note" | "fee" | "invoice";

/** The kind of an error. */
export type ErrorCode = "invalid_json" | "unsupported_media_type" | "unknown_field" | "unknown_parameter" | "validation_error" | "invalid_cursor" | "invalid_idempotency_key" | "invalid_source" | "unknown_start_issue" | "duplicate_order_id" | "duplicate_issue_number" | "wrong_key_length" | "wrong_key_character" | "wrong_check_digit" | "unknown_issue" | "nothing_to_send" | "already_marked" | "already_discarded" | "already_shipped" | "not_open" | "no_new_address" | "not_marked" | "undo_expired" | "cancelled" | "email_taken" | "merged_meanwhile" | "clock_is_moving" | "not_recurring" | "unknown_copy" | "copy_not_sent" | "copy_cancelled" | "copy_digital" | "claim_exists" | "claim_held" | "claim_sent" | "invoice_credited" | "not_cancelled" | "same_subscriber" | "address_planned" | "in_collection" | "is_on_invoice" | "costs_more" | "less_than_refunded" | "unknown_order" | "refund_too_high" | "already_sent" | "copy_in_run" | "issue_skipped" | "copy_in_use" | "unknown_product" | "unknown_subscriber" | "unknown_subscription" | "address_change_overlaps" | "temporary_address_planned" | "issues_are_over" | "unknown_release_dates" | "no_issue_in_span" | "same_address" | "already_cancelled" | "already_done" | "invalid_url" | "too_many_webhooks" | "webhook_disabled" | "unknown_event" | "billing_off" | "nothing_to_bill" | "debits_off" | "no_mandate" | "no_address" | "missing_rate" | "missing_exchange_rate" | "missing_vat_id" | "not_an_invoice" | "credited" | "more_than_left" | "unknown_invoice" | "other_currency" | "more_than_open" | "more_than_paid" | "booked_together" | "paid_back" | "changed_meanwhile" | "missing_right" | "not_a_sandbox" | "read_only_key" | "not_found" | "method_not_allowed" | "request_in_progress" | "answer_deleted" | "cursor_expired" | "erased" | "precondition_failed" | "payload_too_large" | "unsupported_encoding" | "idempotency_key_reused" | "rate_limited" | "internal_error" | "unavailable";

/** Something that happened to a record of the account. */
export interface Event {
  /** Id of the event; no two events have the same. */
  id: number;
  /**
   * The position of the event in the account, from 1 and without gaps. Of two events about a
   * record, the one with the higher number is later.
   */
  number: number;
  /** What happened. */
  type: PublicEventType | (string & {});
  /** When the change was made, in UTC. */
  happened_at: string;
  /** Who made the change. */
  actor: EventActor;
  /** The record that changed; for `copy.sent`, the issue of the copies. */
  record: EventRecord;
  /**
   * The record as the change left it, in the shape of its own endpoint; null if it was deleted,
   * or if its personal data was erased since then.
   */
  data: Record<string, unknown> | null;
}

/** Who made the change. */
export interface EventActor {
  /** Kind of the actor. */
  kind: "command" | "key" | "user" | (string & {});
  /** Id of the API key or of the user, or name of the command. */
  id: string;
}

/** The record that an event is about. */
export interface EventRecord {
  /** Kind of the record. */
  type: "claim" | "delivery_report" | "dispatch" | "import" | "invoice" | "issue" | "payment" | "refund" | "subscriber" | "subscription" | (string & {});
  /** Id of the record. */
  id: string;
}

/** One of the errors of a request. */
export interface FieldError {
  /** The field or parameter that is wrong, such as `start_issue`, `ids[7]` or `reports[3].key`. */
  field: string;
  /** What is wrong and how to correct it, for people; the wording may change. */
  message: string;
  /** The kind of error, for programs. */
  code: string;
}

/** The person who gave a gift subscription. */
export interface GifterRef {
  /** First and last name; without names, the company; without a company, the email address. */
  full_name: string;
  /** Email address. */
  email: string;
}

/** A line of an invoice. */
export interface InvoiceLineResource {
  /** Id of the order. */
  order_id: string;
  /** What it is. */
  text: string;
  /** For whom, and which issues or days. */
  detail: string;
  /** Why it has its rate. */
  vat_category: VatCategory | (string & {});
  /** In percent, such as `7.00`. */
  vat_rate: string;
  /** Amount without VAT. */
  net: string;
  /** VAT. */
  vat: string;
  /** Both together. */
  total: string;
}

/** An invoice that a payment settles. */
export interface InvoicePart {
  /** Number of the invoice. */
  number: string;
  /** How much of it; by default what is open, as far as the payment is enough. */
  amount?: string | null;
}

/** An invoice or a credit note. It never changes, except for what is open. */
export interface InvoiceResource {
  /** Id of the invoice. */
  id: string;
  /** What it is; the amounts of a credit note are positive, too. */
  kind: DocumentKind | (string & {});
  /** As it is printed. */
  number: string;
  /** `overdue` after the day on which it was due. */
  status: InvoiceStatus | (string & {});
  /** Who pays. */
  payer: PayerRef;
  /** Date of the invoice. */
  issue_date: string;
  /** Day by which it is to be paid. */
  due_date: string;
  /** ISO 4217 currency code. */
  currency: string;
  /** Amount without VAT. */
  net: string;
  /** VAT. */
  vat: string;
  /** Both together. */
  total: string;
  /** VAT in the currency of the publisher's country; null if the invoice is in it. */
  vat_converted: string | null;
  /** ISO 4217 code of that currency; null if the invoice is in it. */
  vat_currency: string | null;
  /** By which the VAT was converted; null if it was not. */
  exchange_rate: string | null;
  /** What is owed still; for a credit note, what is not used or paid back yet. */
  open_amount: string;
  /** The payer's own order number; null if there is none. */
  order_reference: string | null;
  /** Number of the invoice that a credit note corrects; else null. */
  corrects: string | null;
  /** Of the mandate by which it is collected; null if the payer pays it. */
  mandate_reference: string | null;
  /** Of SEPA, by which it is collected; null if the payer pays it. */
  mandate_scheme: MandateScheme | (string & {}) | null;
  /** Day on which it is collected; null if the payer pays it. */
  collect_date: string | null;
  /** In the order in which they are printed. */
  lines: Array<InvoiceLineResource>;
  /** Moment at which it was issued. */
  created_at: string;
}

/** Whether an invoice is paid. A credit note is open until it is used up. */
export type InvoiceStatus = "open" | "overdue" | "settled";

/** An issue of the magazine. */
export interface Issue {
  /** Use it in paths, in the filter `issue`, and to freeze a run. */
  id: string;
  /** Number of the issue; unique in the account, and cannot change. */
  number: number;
  /** Name of the issue; `Issue {number}` if none was given. */
  name: string;
  /** Date of release; memberships with a period that includes this date get a copy. */
  release_date_actual: string | null;
  /** Date of release in words, such as `early summer`. */
  release_date_fuzzy: string | null;
  /** Date from which new subscriptions start with this issue. */
  date_as_start_issue: string | null;
  /** Date on which subscriptions that renew with this issue are charged. */
  recurring_charge_date: string | null;
  /** EAN bar code of the newsstand edition. */
  newsstand_ean: string | null;
}

/** The address of a printed copy that is not sent and that no run holds. */
export interface IssueAddress {
  /** Id of the copy. */
  copy_id: number;
  /** Id of the subscription. */
  subscription_id: string;
  /** Id of the subscriber. */
  subscriber_id: string;
  /** Medium of the subscription. */
  medium: Medium | (string & {});
  /** First and last name; without names, the company. */
  name: string;
  /** First name of the recipient. */
  first_name: string | null;
  /** Last name of the recipient. */
  last_name: string | null;
  /** Name of the company. */
  company: string | null;
  /** First line of the address, such as street and number. */
  address1: string | null;
  /** Second line of the address, such as a floor. */
  address2: string | null;
  /** Town or city. */
  city: string | null;
  /** State, province or county. */
  state: string | null;
  /** Postal code; as text, which keeps leading zeros. */
  postcode: string | null;
  /** ISO code of the country. */
  country: string;
  /** English name of the country. */
  country_name: string;
  /** Name and address as the country writes them, one element a line. */
  address_lines: Array<string>;
  /** Of the subscriber, if the copy goes to them by their name. */
  salutation: Salutation | (string & {}) | null;
  /** Of the subscriber, if the copy goes to them by their name. */
  title: string | null;
}

/** Whether a subscriber got an issue, and why not. */
export interface IssueAnswer {
  /** Of the subscription that says most; a copy that was sent comes first. */
  code: WhyCode | (string & {});
  /** The answer for all subscriptions in words, for people; the wording may change. */
  sentence: string;
  /** Number of the issue. */
  issue_number: number;
  /** Null if there is no issue with this number. */
  issue: IssueRef | null;
  /** Null if there is no such subscriber. */
  subscriber: SubscriberRef | null;
  /** The answer for each subscription, those that say most first; at most 500. */
  subscriptions: Array<SubscriptionAnswer>;
}

/** A new issue. The name defaults to `Issue {number}`. */
export interface IssueCreate {
  /** Number of the issue; unique in the account, and cannot change. */
  number: number;
  /** Its name. */
  name?: string | null;
  /** Date of release. Memberships with a period that includes this date get a copy. */
  release_date_actual?: string | null;
  /** Date of release in words. */
  release_date_fuzzy?: string | null;
  /** Date from which new subscriptions start with this issue; masthead stores it for your shop. */
  date_as_start_issue?: string | null;
  /** Date on which you charge subscriptions that renew with this issue. */
  recurring_charge_date?: string | null;
  /** EAN bar code of the newsstand edition; it is not checked. */
  newsstand_ean?: string | null;
}

/** An issue, in brief. */
export interface IssueRef {
  /** Id of the record. */
  id: string;
  /** Number of the issue; unique in the account, and cannot change. */
  number: number;
  /** Its name. */
  name: string;
}

/** The fields of an issue to change; null clears a field. */
export interface IssueUpdate {
  /** Its name. */
  name?: string;
  /** Date of release. Memberships with a period that includes this date get a copy. */
  release_date_actual?: string | null;
  /** Date of release in words. */
  release_date_fuzzy?: string | null;
  /** Date from which new subscriptions start with this issue; masthead stores it for your shop. */
  date_as_start_issue?: string | null;
  /** Date on which you charge subscriptions that renew with this issue. */
  recurring_charge_date?: string | null;
  /** EAN bar code of the newsstand edition; it is not checked. */
  newsstand_ean?: string | null;
}

/** An email that a sandbox did not send. */
export interface KeptEmail {
  /** Id of the email. */
  id: string;
  /** The address to which it would have been sent. */
  recipient: string;
  /** Its subject. */
  subject: string;
  /** Its text. */
  text: string;
  /** When it would have been sent, at the time of the sandbox. */
  created_at: string;
  /** Id of the invoice that would have been attached; null without one. */
  invoice_id: string | null;
}

/**
 * Why a line left its run. marked: its copy was marked as sent outside the run. cancelled: its
 * subscription was cancelled. changed: after marking, the date of its copy was changed outside
 * the run. discarded: its run was discarded.
 */
export type LeftReason = "cancelled" | "changed" | "discarded" | "marked";

/**
 * What a line of a run is. A copy, the replacement of one that did not arrive, or a grace copy
 * after the last paid issue.
 */
export type LineKind = "copy" | "grace" | "replacement";

/** Whether a line is still part of its run, and whether its copy is sent. */
export type LineStatus = "held" | "left" | "sent";

/** The rules of SEPA for a mandate. */
export type MandateScheme = "b2b" | "core";

/** The copies that were sent, and the date. */
export interface MarkSent {
  /**
   * The date, from 2000 to 31 days after today; null removes it; if it is absent, copies that
   * are sent keep theirs.
   */
  date?: string | null;
  /** Ids of the copies. */
  ids: Array<number>;
}

/** The date on which copies were sent. */
export interface MarkSentDate {
  /**
   * The date, from 2000 to 31 days after today; null removes it; if it is absent, copies that
   * are sent keep theirs.
   */
  date?: string | null;
}

/** The copies that were marked as sent. */
export interface MarkedSent {
  /** Always true for an error, and false otherwise. */
  error: false;
  /** Number of copies. */
  updated_count: number;
  /** The copies, in the order of their ids. */
  items: Array<Copy>;
}

/** The user, account and scope of an API key. */
export interface Me {
  /** Email address. */
  email: string;
  /** The account that the key gives access to. */
  account: AccountRef;
  /** What the key may do: `read_only` keys can send GET requests only. */
  scope: Scope | (string & {});
  /** Today in a sandbox; the field is left out for other accounts. */
  sandbox_day?: string;
}

/** The medium of a subscription. */
export type Medium = "Digital" | "Print" | "Print + digital";

/** What became of a message: it waits for an attempt, was accepted, or is not tried again. */
export type MessageStatus = "delivered" | "failed" | "waiting";

/** What becomes of the invoice of a subscription that moves to another subscriber. */
export type MovedInvoice = "keep" | "replace";

/** An empty object; the body can be left out. */
export interface NoFields {
}

/** A product of the account. Its id is the `product` of new orders. */
export interface OfferedProduct {
  /** Id of the record. */
  id: string;
  /** Name of the product, as subscribers see it. */
  name: string;
  /** What the product includes, in the words of the publisher. */
  benefits: Array<string>;
  /** Whether new orders can have it. */
  is_active: boolean;
  /** `subscription` for a number of issues, `membership` for a period of time. */
  type: SubscriptionType | (string & {});
  /** Number of issues; null if each order chooses it, and for memberships. */
  length: number | null;
  /** Months of a membership; null if each order chooses it, and otherwise. */
  interval_months: number | null;
  /** The prices that hold today. */
  prices: Array<ProductPrice>;
  /** The first day of those prices; null for the first prices of the product. */
  prices_from: string | null;
  /** The prices that hold next; empty if there are none, or nothing is sold then. */
  next_prices: Array<ProductPrice>;
  /** The first day of those prices; null if no others are known. */
  next_prices_from: string | null;
}

/** An order: a subscription, a membership or a gift, of one copy of each issue or of several. */
export interface OrderCreate {
  /** Id of an active source of type `shop` or `import`. */
  source: string;
  /** Id of an active product; by default that of imported subscriptions. */
  product?: string | null;
  /** By default that of the product. */
  type?: SubscriptionType | null;
  /** Number of the first issue; not for memberships. */
  start_issue?: number | null;
  /**
   * Number of issues; by default as many as the product has. Without a product, it is required.
   * Not for memberships.
   */
  length?: number | null;
  /** Months of a membership; by default as many as the product has. */
  interval_months?: number | null;
  /** First day of a membership; by default the date of the order. */
  period_start?: string | null;
  /** Id of the subscriber; without it, they are found by `email`, or created. */
  subscriber_id?: string | null;
  /** Of the subscriber; without it, a placeholder is created. */
  email?: string | null;
  /** First name of the recipient. */
  first_name?: string | null;
  /** Last name of the recipient. */
  last_name?: string | null;
  /** Required if there is no `first_name`. */
  company?: string | null;
  /** First line of the address, such as street and number. */
  address1?: string | null;
  /** Second line of the address, such as a floor. */
  address2?: string | null;
  /** Town or city. */
  city?: string | null;
  /** State, province or county. */
  state?: string | null;
  /** Postal code; as text, which keeps leading zeros. */
  postcode?: string | null;
  /** ISO 3166-1 alpha-2 country code. */
  country: CountryCode;
  /** Phone number with country code. */
  phone?: string | null;
  /** Internal notes; subscribers do not see them. */
  notes?: string | null;
  /** Defaults to `Print`. */
  medium?: Medium | null;
  /** Copies of each issue, each with a subscription of its own; 1 by default. */
  copies?: number | null;
  /**
   * Amount paid for all copies together; `0` with `is_comp`. It can differ from the price of the
   * product.
   */
  price: string;
  /** Defaults to the currency of the account. */
  currency?: CurrencyCode | null;
  /** Decimal amount, with at most as many decimals as the currency has. */
  discount_amount?: string | null;
  /** How it was paid. */
  payment_method?: PaymentMethod | null;
  /** Whether the subscription is complimentary. */
  is_comp?: boolean | null;
  /** Whether the subscription renews; masthead itself charges nothing. */
  is_recurring?: boolean | null;
  /**
   * Whether somebody else pays; then `gifter_id`, or `gifter_email` and a name of the giver, are
   * required.
   */
  is_gift?: boolean | null;
  /** Id of the giver, if they are a subscriber; else they are found by `gifter_email`. */
  gifter_id?: string | null;
  /** Email address of the giver; required for a gift without `gifter_id`. */
  gifter_email?: string | null;
  /** First name of the giver. */
  gifter_first_name?: string | null;
  /** Last name of the giver. */
  gifter_last_name?: string | null;
  /** Company of the giver; required if there is no `gifter_first_name`. */
  gifter_company?: string | null;
  /**
   * Id of the order in the shop; must be unique in the account. Further copies get `-2`, `-3`
   * and so on.
   */
  order_id: string;
  /** Date of the order. */
  order_date: string;
  /** Id of the payment at the payment provider. */
  transaction_id?: string | null;
  /** Code of the offer or campaign. */
  promo_code?: string | null;
  /** Whether the subscriber receives the welcome email. */
  send_welcome_email?: boolean | null;
  /**
   * Whether the payer gets an invoice; then `price` is what they will owe. Without it, `price`
   * was paid.
   */
  is_billed?: boolean | null;
  /**
   * Id of the subscriber who gets the invoice; by default the giver of a gift, or else the
   * subscriber.
   */
  payer_id?: string | null;
  /** Days until the invoice is due; by default those of the settings. */
  due_days?: number | null;
  /** The payer's own order number, which is on the invoice. */
  order_reference?: string | null;
  /** Whether the invoice is collected by direct debit, with a mandate that the payer has. */
  is_debited?: boolean | null;
}

/** Why an order was refused. */
export interface OrderError {
  /** What is wrong, and what to do. */
  message: string;
  /** A code for programs. */
  code: string;
  /** The field that it is about; null if it is about several. */
  field: string | null;
}

/** What became of an order, in the order of the request. */
export interface OrderResult {
  /** That of the order. */
  order_id: string;
  /** Id of the new subscription; null if the order was refused. */
  subscription: string | null;
  /** Why it was refused; null if it was placed. */
  error: OrderError | null;
  /**
   * Why an order that is billed waits for its invoice, such as an address or a rate of VAT that
   * is missing; null if it does not, or if the payer gets one invoice for all orders.
   */
  waiting: OrderError | null;
}

/** The results of a request. */
export interface OrderResults {
  /** Always false. */
  error: boolean;
  /** One for each order, in the same order. */
  items: Array<OrderResult>;
}

/** Orders to place one after the other. A refused one changes nothing; the others are placed. */
export interface OrdersCreate {
  /** In the order in which they are placed; `copies` can only be 1. */
  orders: Array<OrderCreate>;
}

/** Who pays. */
export interface PayerRef {
  /** Id of the subscriber. */
  id: string;
  /** Customer number. */
  number: number;
  /** Name on the invoice. */
  name: string;
  /** VAT id on the invoice; null if there is none. */
  vat_id: string | null;
}

/** A payment that came. */
export interface PaymentCreate {
  /** Amount that came; more than 0. */
  amount: string;
  /** Defaults to the currency of the account. */
  currency?: CurrencyCode | null;
  /** Day on which it came, at most two years before its invoices were issued; by default today. */
  payment_date?: string | null;
  /** How it came; by default a bank transfer. */
  method?: PaymentMethod | null;
  /** What the payer wrote. */
  reference?: string | null;
  /** Id of the subscriber who paid; needed without `invoices`. */
  payer?: string | null;
  /**
   * What it settles; by default the open invoice of the payer with the same amount, or those
   * that were due first.
   */
  invoices?: Array<InvoicePart> | null;
}

/** How an order was paid. */
export type PaymentMethod = "bank transfer" | "card" | "cash" | "cheque" | "direct debit" | "other";

/** A payment that was recorded. */
export interface PaymentResource {
  /** Id of the payment. */
  id: string;
  /** Id of the subscriber who paid; null if it is not known. */
  payer: string | null;
  /** Day on which it came. */
  payment_date: string;
  /** Amount; negative if it was paid back. */
  amount: string;
  /** ISO 4217 currency code. */
  currency: string;
  /** How it came. */
  method: PaymentMethod | (string & {});
  /** What the payer wrote. */
  reference: string;
  /** What has settled no invoice. */
  unused_amount: string;
  /** Whether it was recorded by mistake, and undone. */
  is_undone: boolean;
  /** Numbers of the invoices that it settled, and how much of each. */
  invoices: Array<SettledInvoice>;
}

/** What an order has created. */
export interface PlacedOrder {
  /** That of the order. */
  order_id: string;
  /** One for each copy of an issue. */
  subscriptions: Array<Subscription>;
  /** Ids of the invoices; none if the order was paid, or waits for one. */
  invoices: Array<string>;
}

/** An address that issues of a subscription go to. */
export interface PlannedAddress {
  /** Null if those of the subscription stay. */
  first_name: string | null;
  /** Null if those of the subscription stay. */
  last_name: string | null;
  /** Null if those of the subscription stay. */
  company: string | null;
  /** First line of the address, such as street and number. */
  address1: string | null;
  /** Second line of the address, such as a floor. */
  address2: string | null;
  /** Town or city. */
  city: string | null;
  /** State, province or county. */
  state: string | null;
  /** Postal code; as text, which keeps leading zeros. */
  postcode: string | null;
  /** ISO 3166-1 alpha-2 country code. */
  country: string;
  /** Null if that of the subscription stays. */
  phone: string | null;
}

/** The parts of an address that a move changes. country: ISO code. */
export interface PostalAddress {
  /** First line of the address, such as street and number. */
  address1: string | null;
  /** Second line of the address, such as a floor. */
  address2: string | null;
  /** Town or city. */
  city: string | null;
  /** State, province or county. */
  state: string | null;
  /** Postal code; as text, which keeps leading zeros. */
  postcode: string | null;
  /** ISO 3166-1 alpha-2 country code. */
  country: string;
}

/** What an order costs. */
export interface PriceChange {
  /** Of an order of the subscription. */
  order_id: string;
  /** New price in the currency of the order; with `all_copies`, of all copies together. */
  price: string;
  /** Whether the price is for the other copies of the same order and address, too. */
  all_copies?: boolean | null;
  /**
   * Required if the order is on an invoice: `replace` credits it and issues one with the new
   * price; `credit` issues a credit note for the difference, if the order costs less.
   */
  invoice_action?: PricedInvoice | null;
  /** For staff, and for the credit note. */
  reason?: string | null;
}

/** What becomes of the invoice of an order whose price changes. */
export type PricedInvoice = "credit" | "replace";

/** The product that was bought. */
export interface Product {
  /** Id of the record. */
  id: string;
  /** Name of the product, as subscribers see it. */
  name: string;
  /** What the product includes, in the words of the publisher. */
  benefits: Array<string>;
}

/** What a product costs. */
export interface ProductPrice {
  /** Of the copies. */
  medium: Medium | (string & {});
  /** Where the copies go, as seen from the country of the publisher. */
  country_group: CountryGroup | (string & {});
  /** For one copy of each issue. */
  price: string;
  /** The currency of the account. */
  currency: string;
}

/**
 * The type of an event. description: what happened, in the words of the documentation.
 * record_type: of its record.
 */
export type PublicEventType = "claim.closed" | "claim.created" | "claim.updated" | "copy.sent" | "delivery_report.closed" | "delivery_report.created" | "dispatch.created" | "dispatch.discarded" | "dispatch.sent" | "dispatch.undone" | "dispatch.updated" | "import.completed" | "import.failed" | "import.started" | "import.undone" | "invoice.created" | "invoice.reminded" | "invoice.updated" | "issue.created" | "issue.deleted" | "issue.updated" | "payment.created" | "payment.undone" | "refund.created" | "subscriber.bounce_cleared" | "subscriber.bounced" | "subscriber.created" | "subscriber.deleted" | "subscriber.erased" | "subscriber.merge_undone" | "subscriber.merged" | "subscriber.resubscribed" | "subscriber.unsubscribed" | "subscriber.updated" | "subscription.cancelled" | "subscription.completed" | "subscription.created" | "subscription.deleted" | "subscription.past_due" | "subscription.renewals_stopped" | "subscription.renewed" | "subscription.reopened" | "subscription.updated";

/** Money that went back for an order; masthead itself pays nothing. */
export interface RefundCreate {
  /** Of an order of the subscription. */
  order_id: string;
  /** In the currency of the order; at most what is left of its price. */
  amount: string;
  /** By default today; not before the order, and not in the future. */
  refund_date?: string | null;
  /** For staff. */
  reason?: string | null;
}

/** All refunds of a subscription. */
export interface RefundList {
  /** By date. */
  items: Array<RefundResource>;
}

/** A refund of an order. */
export interface RefundResource {
  /** Id of the order. */
  order_id: string;
  /** Amount that went back. */
  amount: string;
  /** ISO 4217 currency code of the order. */
  currency: string;
  /** Date of the refund. */
  refund_date: string;
  /** For staff; null if none was given. */
  reason: string | null;
}

/** A renewal that you sold elsewhere: an order that adds a period to a subscription. */
export interface RenewalCreate {
  /** Id of an active source of type `shop` or `import`. */
  source: string;
  /** Id of the order in the shop; must be unique in the account. */
  order_id: string;
  /** Date of the order, from 1900 to 31 days after today. */
  order_date: string;
  /** Amount paid; `0` for a complimentary subscription. */
  price: string;
  /** Defaults to the currency of the account. */
  currency?: CurrencyCode | null;
  /** Decimal amount, with at most as many decimals as the currency has. */
  discount_amount?: string | null;
  /** Number of issues; by default as many as in the period before. Not for memberships. */
  length?: number | null;
  /** Of a membership; by default as many as in the period before. */
  interval_months?: number | null;
  /** First day of a membership; by default the day after the period before. */
  period_start?: string | null;
  /** How it was paid. */
  payment_method?: PaymentMethod | null;
  /** Id of the payment at the payment provider. */
  transaction_id?: string | null;
  /**
   * Whether the payer gets an invoice; then `price` is what they will owe. Without it, `price`
   * was paid.
   */
  is_billed?: boolean | null;
  /**
   * Id of the subscriber who gets the invoice; by default who got that of the order before, or
   * else the giver of a gift or the subscriber.
   */
  payer_id?: string | null;
  /** Days until the invoice is due; by default those of the settings. */
  due_days?: number | null;
  /** The payer's own order number, which is on the invoice. */
  order_reference?: string | null;
  /** Whether the invoice is collected by direct debit, with a mandate that the payer has. */
  is_debited?: boolean | null;
}

/** What the carrier says. A copy of a moved subscriber has a new address; others are on hold. */
export type ReportKind = "moved" | "undeliverable";

/**
 * What became of a report. open: it needs a decision; an undeliverable address is on hold.
 * accepted: the subscription has the new address. corrected: its address was changed, so the
 * hold ended. dismissed: somebody decided to keep the address. outdated: the subscriber
 * changed the address in the meantime.
 */
export type ReportStatus = "accepted" | "corrected" | "dismissed" | "open" | "outdated";

/** How a person is addressed in letters. A person without one has none of them. */
export type Salutation = "mr" | "ms";

/** The clock of a sandbox. */
export interface SandboxClock {
  /** Today in the sandbox. */
  day: string;
  /** The day to which a reset leads. */
  first_day: string;
  /**
   * Whether the sandbox sends letters and reminders by itself, and collects direct debits. Staff
   * do that in other accounts.
   */
  is_automatic: boolean;
}

/** Where the clock of a sandbox moves to: a day, or the next issue or charge. */
export interface SandboxMove {
  /** The day, after today of the sandbox, at most three years ahead. */
  to?: string | null;
  /** `issue` for the next release date of an issue, or `charge` for the next charge. */
  next?: SandboxNext | null;
  /**
   * Whether the sandbox sends letters and reminders by itself, and collects direct debits, from
   * now on; without `to` and `next`, the clock stays.
   */
  is_automatic?: boolean | null;
}

/** The next day to which a clock can move: of an issue that is out, or of a charge. */
export type SandboxNext = "charge" | "issue";

/** What an API key may do. */
export type Scope = "read_only" | "read_write";

/** What a payment has settled of an invoice. */
export interface SettledInvoice {
  /** Id of the invoice. */
  id: string;
  /** As it is printed. */
  number: string;
  /** How much. */
  amount: string;
}

/** The shipping address of a subscription. */
export interface ShippingAddress {
  /** Name of the company. */
  company: string | null;
  /** First line of the address, such as street and number. */
  address1: string | null;
  /** Second line of the address, such as a floor. */
  address2: string | null;
  /** Town or city. */
  city: string | null;
  /** State, province or county. */
  state: string | null;
  /** Postal code; as text, which keeps leading zeros. */
  postcode: string | null;
  /** ISO 3166-1 alpha-2 country code. */
  country: string | null;
  /** English name of the country. */
  country_name: string | null;
  /** Phone number with country code. */
  phone: string | null;
}

/** A source of orders, such as a shop. */
export interface Source {
  /** Use it as the `source` of new subscriptions, and in the filter `source`. */
  id: string;
  /** Its name. */
  name: string;
  /** Kind of the source; `checkout` is masthead's own checkout. */
  type: SourceType | (string & {});
  /** Whether it accepts new orders. */
  is_active: boolean;
}

/** The source, in brief. */
export interface SourceRef {
  /** Id of the record. */
  id: string;
  /** Its name. */
  name: string;
}

/** Where orders come from; `checkout` is the checkout of masthead. */
export type SourceType = "checkout" | "import" | "shop";

/** A subscriber, with totals of all their subscriptions. */
export interface Subscriber {
  /** Use it in paths, and in the filter `subscriber`. */
  id: string;
  /** From the order that created the subscriber. */
  first_name: string | null;
  /** From the order that created the subscriber. */
  last_name: string | null;
  /** First and last name; else the company; else the email address. */
  full_name: string;
  /** Email address; a placeholder if the orders have none. */
  email: string;
  /** Country of the newest order, including renewals. */
  latest_country: string | null;
  /** Date of the newest order, including renewals. */
  latest_order_date: string | null;
  /** Whether any subscription is neither `Complete` nor `Cancelled`. */
  has_active_subscription: boolean;
  /** Number of subscriptions with any status. */
  subscription_count: number;
  /** Lifetime value: the prices of all orders in `ltv_currency`, paid or not, less refunds. */
  ltv: string;
  /** The currency of the account. */
  ltv_currency: string;
  /** Date of creation in UTC; never null so far. */
  date_created: string | null;
}

/** The subscriber, in brief. */
export interface SubscriberRef {
  /** Id of the record. */
  id: string;
  /** First and last name; without names, the company; without a company, the email address. */
  full_name: string;
  /** Email address. */
  email: string;
}

/** The fields of a subscriber to change; null clears a field. */
export interface SubscriberUpdate {
  /** `ms` or `mr`; null for none. */
  salutation?: Salutation | null;
  /** Before the name, such as `Prof. Dr.`. */
  title?: string | null;
  /** One of the names, the company or the email address must remain. */
  first_name?: string | null;
  /** Last name of the recipient. */
  last_name?: string | null;
  /** Name of the company; it is shown as `full_name` if there are no names. */
  company?: string | null;
  /** Without one, the subscriber gets a placeholder address, which receives no emails. */
  email?: string | null;
  /**
   * Postal address for letters to a subscriber whose copies go elsewhere, such as a giver; it
   * needs a street, a town or postcode, and a country.
   */
  address1?: string | null;
  /**
   * Postal address for letters to a subscriber whose copies go elsewhere, such as a giver; it
   * needs a street, a town or postcode, and a country.
   */
  address2?: string | null;
  /**
   * Postal address for letters to a subscriber whose copies go elsewhere, such as a giver; it
   * needs a street, a town or postcode, and a country.
   */
  city?: string | null;
  /**
   * Postal address for letters to a subscriber whose copies go elsewhere, such as a giver; it
   * needs a street, a town or postcode, and a country.
   */
  state?: string | null;
  /**
   * Postal address for letters to a subscriber whose copies go elsewhere, such as a giver; it
   * needs a street, a town or postcode, and a country.
   */
  postcode?: string | null;
  /**
   * Postal address for letters to a subscriber whose copies go elsewhere, such as a giver; it
   * needs a street, a town or postcode, and a country.
   */
  country?: CountryCode | null;
  /**
   * Whether the subscriptions that have the old name get the new one too; by default, they do
   * not.
   */
  with_subscriptions?: boolean;
}

/** A subscription. */
export interface Subscription {
  /** Use it in paths, and in the filter `subscription`. */
  id: string;
  /** `subscription` for a number of issues, `membership` for a period of time. */
  type: SubscriptionType | (string & {});
  /** Whether it is current; the daily pass makes the changes that depend on the date. */
  status: SubscriptionStatus | (string & {});
  /** Medium of the subscription. */
  medium: Medium | (string & {});
  /** First name of the recipient. */
  first_name: string | null;
  /** Last name of the recipient. */
  last_name: string | null;
  /** Where the copies are sent. */
  shipping_address: ShippingAddress;
  /** Number of issues in the current period; null for memberships. */
  length: number | null;
  /** Months between charges; null unless it is a membership. */
  interval_months: number | null;
  /** Number of issues in all periods; for a membership, the issues granted so far. */
  total_length: number;
  /** Internal notes; subscribers do not see them. */
  notes: string | null;
  /** Whether it renews automatically; this stays true after renewals are stopped. */
  is_recurring: boolean;
  /** First day of the current period; null unless it is a membership. */
  current_period_start: string | null;
  /** Last day of the current period; null unless it is a membership. */
  current_period_end: string | null;
  /**
   * Date of the next charge; null if the subscription does not renew or the date is not known
   * yet.
   */
  next_charge_date: string | null;
  /** Whether the subscription is complimentary. */
  is_comp: boolean;
  /** Whether another person pays. */
  is_gift: boolean;
  /** The person who pays, if it is a gift. */
  gifter: GifterRef | null;
  /** Code of the offer or campaign of the current period. */
  promo_code: string | null;
  /** Discount on the order of the current period. */
  discount_amount: string;
  /** Amount refunded for the order of the current period. */
  refunded: string;
  /** ISO 4217 currency code of the order of the current period; never null so far. */
  currency: string | null;
  /** Amount paid for the order of the current period; never null so far. */
  price: string | null;
  /** Date of the first order; never null so far. */
  order_date: string | null;
  /** The first issue; null for memberships. */
  start_issue: IssueRef | null;
  /** Numbers of all issues that it covers, including those that do not exist yet. */
  issue_list: Array<number>;
  /** The orders of the subscription, oldest first. */
  periods: Array<SubscriptionPeriod>;
  /** The subscriber. */
  subscriber: SubscriberRef;
  /** The source of the first order; never null so far. */
  source: SourceRef | null;
  /** The product that was bought. */
  product: Product;
}

/** The answer for one subscription. */
export interface SubscriptionAnswer {
  /** Id of the subscription. */
  subscription_id: string;
  /** The kind of answer, for programs. */
  code: WhyCode | (string & {});
  /** The answer in words, for people; the wording may change. */
  sentence: string;
  /** The copy of the issue; null if there is none. */
  copy_id: number | null;
  /** Status of the copy; null if there is none. */
  copy_status: CopyStatus | (string & {}) | null;
  /** Date on which the copy, or its replacement, was sent. */
  date_sent: string | null;
  /**
   * The dispatch run that the copy, or its replacement, is in; null if it is in none: also if it
   * came after a run was frozen, or a run left it out.
   */
  run: DispatchRef | null;
  /**
   * The dispatch run that the copy was in last, if it is in none now: the copy was cancelled or
   * marked as sent by itself, or the run was discarded.
   */
  left_run: DispatchRef | null;
  /**
   * Where the copy or its replacement went or will go, in one line, as it was frozen with the
   * run.
   */
  address: string | null;
  /** The key that is printed on its label, without the `#` around it; null if it is in no run. */
  key: string | null;
  /** The claim that the answer is about. */
  claim_id: string | null;
  /** The delivery report that the answer is about. */
  delivery_report_id: string | null;
  /** The unpaid invoice for which the copy waits; null if it waits for no invoice. */
  invoice_id: string | null;
}

/** How to cancel. */
export interface SubscriptionCancel {
  /**
   * `stop_renewals` ends a recurring subscription after its last paid period; `cancel` ends any
   * subscription now and cancels its unsent copies.
   */
  mode: CancelMode;
}

/** A manual subscription. */
export interface SubscriptionCreate {
  /** Id of an active source of type `shop` or `import`. */
  source: string;
  /** Number of the first issue; the issue must exist. */
  start_issue: number;
  /** Issues per period. */
  length: number;
  /** Of the subscriber, who is created if not found; without it, a placeholder is created. */
  email?: string | null;
  /** First name of the recipient. */
  first_name?: string | null;
  /** Last name of the recipient. */
  last_name?: string | null;
  /** Required if there is no `first_name`. */
  company?: string | null;
  /** First line of the address, such as street and number. */
  address1?: string | null;
  /** Second line of the address, such as a floor. */
  address2?: string | null;
  /** Town or city. */
  city?: string | null;
  /** State, province or county. */
  state?: string | null;
  /** Postal code; as text, which keeps leading zeros. */
  postcode?: string | null;
  /** ISO 3166-1 alpha-2 country code. */
  country: CountryCode;
  /** Phone number with country code. */
  phone?: string | null;
  /** Internal notes; subscribers do not see them. */
  notes?: string | null;
  /** Id of the order in the shop; must be unique in the account. */
  order_id: string;
  /** Date of the order, from 1900 to 31 days after today. */
  order_date: string;
  /** Id of the payment at the payment provider. */
  transaction_id?: string | null;
  /** Amount paid; `0` with `is_comp`. */
  price: string;
  /** Defaults to the currency of the account. */
  currency?: CurrencyCode | null;
  /** Whether the subscription renews; masthead itself charges nothing. */
  is_recurring?: boolean | null;
  /** Whether the subscription is complimentary. */
  is_comp?: boolean | null;
  /** Defaults to `Print`. */
  medium?: Medium | null;
  /** Code of the offer or campaign. */
  promo_code?: string | null;
  /** Decimal amount, with at most as many decimals as the currency has. */
  discount_amount?: string | null;
  /** Whether the subscriber receives the welcome email. */
  send_welcome_email?: boolean | null;
}

/** Who gets a subscription. */
export interface SubscriptionMove {
  /** Id of the subscriber who gets it. */
  subscriber: string;
  /** Whether its copies go to the name and address of the new subscriber; by default true. */
  takes_address?: boolean | null;
  /** Whether the other copies of the same order and address move, too. */
  all_copies?: boolean | null;
  /**
   * `keep`, the default, leaves the invoice of the last order to its payer; `replace` credits it
   * and issues one to the new subscriber.
   */
  invoice_action?: MovedInvoice | null;
  /** For staff, and for the credit note. */
  reason?: string | null;
}

/** One order of a subscription, and the issues that it covers. */
export interface SubscriptionPeriod {
  /** Id of the record. */
  id: number;
  /** Date of the order. */
  order_date: string | null;
  /**
   * For issues: all of them exist and no copy is left to send; for a membership: the period has
   * ended.
   */
  is_complete: boolean;
  /** Number of issues; null for memberships. */
  length: number | null;
  /** Months between charges; null unless it is a membership. */
  interval_months: number | null;
  /** First day; null unless it is a membership. */
  period_start: string | null;
  /** Last day; null unless it is a membership. */
  period_end: string | null;
  /** Numbers of the issues that the order covers. */
  issue_list: Array<number>;
  /** Id of the order; unique in the account. */
  order_id: string;
  /** Id of the payment at the payment provider. */
  transaction_id: string | null;
  /** Amount paid for the order. */
  price: string;
  /** ISO 4217 currency code of the order. */
  currency: string;
  /** Discount on the order. */
  discount_amount: string;
  /** Amount refunded for the order. */
  refunded: string;
  /** The source of the order. */
  source: SourceRef;
}

/** The status of a subscription, which is available without an API key. */
export interface SubscriptionState {
  /** Its present status. */
  status: SubscriptionStatus | (string & {});
}

/** The status of a subscription. */
export type SubscriptionStatus = "Active" | "Active - Renewals stopped" | "Cancelled" | "Complete" | "Past due";

/** What was bought: a number of issues, or a period of time. */
export type SubscriptionType = "membership" | "subscription";

/** The fields of a subscription to change; an empty text clears a field. */
export interface SubscriptionUpdate {
  /** `first_name` and `company` cannot both be empty. */
  first_name?: string;
  /** Last name of the recipient. */
  last_name?: string;
  /** `first_name` and `company` cannot both be empty. */
  company?: string;
  /** First line of the address, such as street and number. */
  address1?: string;
  /** Second line of the address, such as a floor. */
  address2?: string;
  /** Town or city. */
  city?: string;
  /** State, province or county. */
  state?: string;
  /** Postal code; as text, which keeps leading zeros. */
  postcode?: string;
  /** Cannot be cleared. */
  country?: CountryCode;
  /** Phone number with country code. */
  phone?: string;
  /** Internal notes; subscribers do not see them. */
  notes?: string;
}

/**
 * What becomes of an address for some issues when the change for good around it is cancelled.
 * keep: its issues go there, and the others to the present address. cancel: it ends, too.
 */
export type TemporaryAddresses = "cancel" | "keep";

/** Corrections of an order. What was sent, or is in a dispatch run, stays as it is. */
export interface TermsUpdate {
  /** Of the copies that are not sent. */
  medium?: Medium;
  /** Number of the first issue, until a copy is sent; the issue must exist. */
  start_issue?: number;
  /** Number of issues of the last order. */
  length?: number;
}

/** Why a line has its rate. The e-invoice has a code for each: see `CODES`. */
export type VatCategory = "exempt" | "export" | "intra_community" | "outside" | "reverse_charge" | "standard" | "zero";

/** An address to which the events of the account are sent. */
export interface Webhook {
  /** Id of the webhook. */
  id: string;
  /** The address that gets the requests. */
  url: string;
  /** The types of the events that it gets; empty for all. */
  types: Array<PublicEventType | (string & {})>;
  /** Whether events are sent to it. */
  status: WebhookStatus | (string & {});
  /** Why it is disabled; null while it is enabled. */
  disabled_reason: DisabledReason | (string & {}) | null;
  /** Since when no request has been accepted; null if the last one was. */
  failing_since: string | null;
  /** `whpk_…`, to check the `v1a` signatures. */
  public_key: string;
  /** Id of the last event that was looked at; those after it wait. */
  last_event: number;
  /** The number of events that were deleted before they could be sent. */
  missed: number;
  /** When it was created. */
  created_at: string;
}

/** A webhook. */
export interface WebhookCreate {
  /** The address that gets the requests; it begins with `https://`. */
  url: string;
  /** The types of the events that it gets; all if there are none. */
  types?: Array<PublicEventType> | null;
}

/** A message to a webhook, and what became of it. */
export interface WebhookDelivery {
  /** The header `webhook-id`: the id of the event, or that of a test. */
  id: string;
  /** The event, which is the body of the request; null for a test, and if it was deleted. */
  event: Event | null;
  /** What became of the message. */
  status: MessageStatus | (string & {});
  /** The number of attempts. */
  attempts: number;
  /** When the first attempt was due. */
  created_at: string;
  /** When the last attempt began. */
  attempted_at: string | null;
  /** When the next attempt is due; null if there is none. */
  next_attempt_at: string | null;
  /** Milliseconds until the last attempt was answered or had failed. */
  duration_ms: number | null;
  /** The HTTP status of the last answer. */
  answer_status: number | null;
  /**
   * The beginning of the last answer that was not accepted; it is deleted when a subscriber is
   * erased.
   */
  answer: string | null;
  /** Why the last attempt failed. */
  reason: string | null;
}

/** The events to send again, whether or not they were accepted. */
export interface WebhookResend {
  /** Id of the first event. */
  first: number;
  /** Id of the last event; the first one if it is left out. */
  last?: number | null;
}

/** What is sent again. */
export interface WebhookResent {
  /** The number of messages. */
  count: number;
}

/** How to replace a secret. */
export interface WebhookRotate {
  /** For how long messages are signed with both secrets; 24 hours by default. */
  overlap_hours?: number | null;
}

/** A new secret of a webhook. It is shown only here. */
export interface WebhookSecret {
  /** Id of the webhook. */
  id: string;
  /** `whsec_…`, to check the `v1` signatures. */
  secret: string;
  /** `whpk_…`, to check the `v1a` signatures. */
  public_key: string;
  /** Until when messages are also signed with the secret before; null if there was none. */
  old_secret_until: string | null;
}

/** Whether events are sent to a webhook. */
export type WebhookStatus = "disabled" | "enabled";

/** Changes of a webhook. */
export interface WebhookUpdate {
  /** The address that gets the requests; it begins with `https://`. */
  url?: string;
  /** The types of the events that it gets; an empty list for all. */
  types?: Array<PublicEventType>;
  /** `enabled` sends the events since it was disabled, too. */
  status?: WebhookStatus;
}

/** The answers; of several subscriptions, the first in this order answers for the subscriber. */
export type WhyCode = "address_on_hold" | "after_end" | "before_start" | "cancelled" | "claimed" | "digital_only" | "excluded_by_filter" | "frozen" | "grace_copy" | "held" | "late_order" | "moved" | "no_copy" | "no_issue" | "no_release_date" | "no_subscription" | "not_out" | "outside_membership" | "replaced" | "replacement_frozen" | "replacement_waiting" | "returned" | "run_discarded" | "sent" | "sent_outside_run" | "skipped" | "unknown_subscriber" | "waiting";
