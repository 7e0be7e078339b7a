// The resources of the API. Generated from the OpenAPI document by `make clients`; do not edit.
import type { Connection, ReadOptions, WriteOptions } from "./connection.js";
import { EventFeed } from "./events.js";
import { Listing } from "./lists.js";
import type * as types from "./types.js";

/** Planned addresses: from an issue on, or for some issues. */
export class AddressChanges {
  constructor(private readonly connection: Connection) {}

  /** List planned addresses, newest first: `GET /v1/address-changes/`. */
  list(
    filters: {
      cursor?: string;
      limit?: number;
      subscriber?: string;
      subscription?: string;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.AddressChangeResource> {
    return new Listing(this.connection, "/v1/address-changes/", { limit: 200, ...filters }, options);
  }

  /** Change an address now, or plan to: `POST /v1/address-changes/`. */
  create(
    fields: types.AddressChangeCreate,
    options: WriteOptions = {},
  ): Promise<types.AddressChangeResult> {
    return this.connection.call("POST", "/v1/address-changes/", fields, options);
  }

  /** Retrieve a planned address: `GET /v1/address-changes/{id}/`. */
  get(
    id: string,
    options: ReadOptions = {},
  ): Promise<types.AddressChangeResource> {
    return this.connection.call("GET", `/v1/address-changes/${encodeURIComponent(id)}/`, undefined, options);
  }

  /** Cancel a planned address: `POST /v1/address-changes/{id}/cancel/`. */
  cancel(
    id: string,
    fields: types.AddressChangeCancel = {},
    options: WriteOptions = {},
  ): Promise<types.AddressChangeResource> {
    return this.connection.call("POST", `/v1/address-changes/${encodeURIComponent(id)}/cancel/`, fields, options);
  }
}

/** Claims: subscribers say that copies never came, and get replacements. */
export class Claims {
  constructor(private readonly connection: Connection) {}

  /** List claims, newest first: `GET /v1/claims/`. */
  list(
    filters: {
      cursor?: string;
      limit?: number;
      status?: types.ClaimStatus;
      reason?: types.ClaimReason;
      issue?: string;
      subscriber?: string;
      subscription?: string;
      country?: types.CountryCode;
      copy?: number;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.Claim> {
    return new Listing(this.connection, "/v1/claims/", { limit: 200, ...filters }, options);
  }

  /** Record that a subscriber did not get a copy: `POST /v1/claims/`. */
  create(
    fields: types.ClaimCreate,
    options: WriteOptions = {},
  ): Promise<types.CreatedClaim> {
    return this.connection.call("POST", "/v1/claims/", fields, options);
  }

  /** Retrieve a claim: `GET /v1/claims/{id}/`. */
  get(
    id: string,
    options: ReadOptions = {},
  ): Promise<types.Claim> {
    return this.connection.call("GET", `/v1/claims/${encodeURIComponent(id)}/`, undefined, options);
  }

  /** Withdraw a claim: `POST /v1/claims/{id}/close/`. */
  close(
    id: string,
    options: WriteOptions = {},
  ): Promise<types.Claim> {
    return this.connection.call("POST", `/v1/claims/${encodeURIComponent(id)}/close/`, undefined, options);
  }
}

/** Copies: one issue for one subscription, and whether it was sent. */
export class Copies {
  constructor(private readonly connection: Connection) {}

  /** List copies, newest first: `GET /v1/copies/`. */
  list(
    filters: {
      cursor?: string;
      limit?: number;
      status?: types.CopyStatus;
      subscriber?: string;
      subscription?: string;
      country?: types.CountryCode;
      issue?: string;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.Copy> {
    return new Listing(this.connection, "/v1/copies/", { limit: 200, ...filters }, options);
  }

  /** Retrieve a copy: `GET /v1/copies/{copy_id}/`. */
  get(
    copyId: number,
    options: ReadOptions = {},
  ): Promise<types.Copy> {
    return this.connection.call("GET", `/v1/copies/${encodeURIComponent(copyId)}/`, undefined, options);
  }

  /** Mark copies as sent: `POST /v1/copies/mark-sent/`. */
  markSent(
    fields: types.MarkSent,
    options: WriteOptions = {},
  ): Promise<types.MarkedSent> {
    return this.connection.call("POST", "/v1/copies/mark-sent/", fields, options);
  }

  /** Mark one copy as sent: `POST /v1/copies/{copy_id}/mark-sent/`. */
  markOneSent(
    copyId: number,
    fields: types.MarkSentDate = {},
    options: WriteOptions = {},
  ): Promise<types.MarkedSent> {
    return this.connection.call("POST", `/v1/copies/${encodeURIComponent(copyId)}/mark-sent/`, fields, options);
  }
}

/** Delivery reports: what carriers say of copies, and holds on addresses. */
export class DeliveryReports {
  constructor(private readonly connection: Connection) {}

  /** List delivery reports, newest first: `GET /v1/delivery-reports/`. */
  list(
    filters: {
      cursor?: string;
      limit?: number;
      kind?: types.ReportKind;
      status?: types.ReportStatus;
      subscriber?: string;
      subscription?: string;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.DeliveryReportResource> {
    return new Listing(this.connection, "/v1/delivery-reports/", { limit: 200, ...filters }, options);
  }

  /** Report copies as shipped, undeliverable or moved: `POST /v1/delivery-reports/`. */
  create(
    fields: types.DeliveryReportsCreate,
    options: WriteOptions = {},
  ): Promise<types.CarrierReportResults> {
    return this.connection.call("POST", "/v1/delivery-reports/", fields, options);
  }

  /** Retrieve a delivery report: `GET /v1/delivery-reports/{id}/`. */
  get(
    id: string,
    options: ReadOptions = {},
  ): Promise<types.DeliveryReportResource> {
    return this.connection.call("GET", `/v1/delivery-reports/${encodeURIComponent(id)}/`, undefined, options);
  }

  /** Accept the new address of a delivery report: `POST /v1/delivery-reports/{id}/accept/`. */
  accept(
    id: string,
    options: WriteOptions = {},
  ): Promise<types.DeliveryReportResource> {
    return this.connection.call("POST", `/v1/delivery-reports/${encodeURIComponent(id)}/accept/`, undefined, options);
  }

  /** Dismiss a delivery report and keep the address: `POST /v1/delivery-reports/{id}/dismiss/`. */
  dismiss(
    id: string,
    options: WriteOptions = {},
  ): Promise<types.DeliveryReportResource> {
    return this.connection.call("POST", `/v1/delivery-reports/${encodeURIComponent(id)}/dismiss/`, undefined, options);
  }
}

/** Dispatch runs: the copies of an issue that go out together. */
export class Dispatches {
  constructor(private readonly connection: Connection) {}

  /** List dispatch runs, newest first: `GET /v1/dispatches/`. */
  list(
    filters: {
      cursor?: string;
      limit?: number;
      issue?: string;
      status?: types.DispatchStatus;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.DispatchRun> {
    return new Listing(this.connection, "/v1/dispatches/", { limit: 200, ...filters }, options);
  }

  /** Freeze a dispatch run: `POST /v1/dispatches/`. */
  create(
    fields: types.DispatchCreate,
    options: WriteOptions = {},
  ): Promise<types.DispatchRunDetail> {
    return this.connection.call("POST", "/v1/dispatches/", fields, options);
  }

  /** Retrieve a dispatch run: `GET /v1/dispatches/{id}/`. */
  get(
    id: string,
    options: ReadOptions = {},
  ): Promise<types.DispatchRunDetail> {
    return this.connection.call("GET", `/v1/dispatches/${encodeURIComponent(id)}/`, undefined, options);
  }

  /**
   * List the lines of a dispatch run, in the order of its files: `GET
   * /v1/dispatches/{id}/lines/`.
   */
  listLines(
    id: string,
    filters: {
      cursor?: string;
      limit?: number;
      country?: types.CountryCode;
      medium?: types.Medium;
      status?: types.LineStatus;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.DispatchRunLine> {
    return new Listing(this.connection, `/v1/dispatches/${encodeURIComponent(id)}/lines/`, { limit: 200, ...filters }, options);
  }

  /** Mark the copies of a dispatch run as sent: `POST /v1/dispatches/{id}/mark-sent/`. */
  markSent(
    id: string,
    fields: types.MarkSentDate = {},
    options: WriteOptions = {},
  ): Promise<types.DispatchRunDetail> {
    return this.connection.call("POST", `/v1/dispatches/${encodeURIComponent(id)}/mark-sent/`, fields, options);
  }

  /** Take back the marking of a dispatch run: `POST /v1/dispatches/{id}/undo/`. */
  undo(
    id: string,
    options: WriteOptions = {},
  ): Promise<types.DispatchRunDetail> {
    return this.connection.call("POST", `/v1/dispatches/${encodeURIComponent(id)}/undo/`, undefined, options);
  }

  /** Discard a frozen dispatch run: `POST /v1/dispatches/{id}/discard/`. */
  discard(
    id: string,
    options: WriteOptions = {},
  ): Promise<types.DispatchRunDetail> {
    return this.connection.call("POST", `/v1/dispatches/${encodeURIComponent(id)}/discard/`, undefined, options);
  }
}

/** Events: what happened to the records of the account, for programs. */
export class Events extends EventFeed {
  /** List what happened in the account, oldest first: `GET /v1/events/`. */
  list(
    filters: {
      cursor?: string;
      limit?: number;
      type?: types.PublicEventType;
      record?: string;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.Event> {
    return new Listing(this.connection, "/v1/events/", { limit: 200, ...filters }, options);
  }
}

/** Invoices and credit notes: what payers owe for orders. */
export class Invoices {
  constructor(private readonly connection: Connection) {}

  /** List invoices and credit notes, newest first: `GET /v1/invoices/`. */
  list(
    filters: {
      cursor?: string;
      limit?: number;
      payer?: string;
      subscription?: string;
      kind?: types.DocumentKind;
      status?: types.InvoiceStatus;
      number?: string;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.InvoiceResource> {
    return new Listing(this.connection, "/v1/invoices/", { limit: 200, ...filters }, options);
  }

  /** Retrieve an invoice or a credit note: `GET /v1/invoices/{id}/`. */
  get(
    id: string,
    options: ReadOptions = {},
  ): Promise<types.InvoiceResource> {
    return this.connection.call("GET", `/v1/invoices/${encodeURIComponent(id)}/`, undefined, options);
  }

  /** Issue a credit note for an invoice: `POST /v1/invoices/{id}/credit/`. */
  credit(
    id: string,
    fields: types.CreditCreate,
    options: WriteOptions = {},
  ): Promise<types.InvoiceResource> {
    return this.connection.call("POST", `/v1/invoices/${encodeURIComponent(id)}/credit/`, fields, options);
  }
}

/** The issues of the magazine. */
export class Issues {
  constructor(private readonly connection: Connection) {}

  /** List issues, highest number first: `GET /v1/issues/`. */
  list(
    filters: {
      cursor?: string;
      limit?: number;
      updated_since?: string;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.Issue> {
    return new Listing(this.connection, "/v1/issues/", { limit: 200, ...filters }, options);
  }

  /** Create an issue and its copies: `POST /v1/issues/`. */
  create(
    fields: types.IssueCreate,
    options: WriteOptions = {},
  ): Promise<types.Issue> {
    return this.connection.call("POST", "/v1/issues/", fields, options);
  }

  /** Retrieve an issue: `GET /v1/issues/{id}/`. */
  get(
    id: string,
    options: ReadOptions = {},
  ): Promise<types.Issue> {
    return this.connection.call("GET", `/v1/issues/${encodeURIComponent(id)}/`, undefined, options);
  }

  /** Update an issue: `PATCH /v1/issues/{id}/`. */
  update(
    id: string,
    fields: types.IssueUpdate,
    options: WriteOptions = {},
  ): Promise<types.Issue> {
    return this.connection.call("PATCH", `/v1/issues/${encodeURIComponent(id)}/`, fields, options);
  }

  /** List the copies of an issue, newest first: `GET /v1/issues/{id}/copies/`. */
  listCopies(
    id: string,
    filters: {
      cursor?: string;
      limit?: number;
      status?: types.CopyStatus;
      subscriber?: string;
      subscription?: string;
      country?: types.CountryCode;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.Copy> {
    return new Listing(this.connection, `/v1/issues/${encodeURIComponent(id)}/copies/`, { limit: 200, ...filters }, options);
  }

  /**
   * List the addresses of the unsent copies of an issue that no run holds: `GET
   * /v1/issues/{id}/addresses/`.
   */
  listAddresses(
    id: string,
    filters: {
      cursor?: string;
      limit?: number;
      country?: types.CountryCode;
      medium?: types.Medium;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.IssueAddress> {
    return new Listing(this.connection, `/v1/issues/${encodeURIComponent(id)}/addresses/`, { limit: 200, ...filters }, options);
  }

  /** Tell whether a subscriber got an issue, and why not: `GET /v1/issues/{id}/why/`. */
  explain(
    id: string,
    query: {
      subscriber: string;
    },
    options: ReadOptions = {},
  ): Promise<types.IssueAnswer> {
    return this.connection.call("GET", `/v1/issues/${encodeURIComponent(id)}/why/`, query, options);
  }
}

/** The API key and its account. */
export class Me {
  constructor(private readonly connection: Connection) {}

  /** Retrieve the user, account and scope of the API key: `GET /v1/me/`. */
  get(
    options: ReadOptions = {},
  ): Promise<types.Me> {
    return this.connection.call("GET", "/v1/me/", undefined, options);
  }
}

/** Orders of all kinds: memberships, gifts, several copies, many at once. */
export class Orders {
  constructor(private readonly connection: Connection) {}

  /** Place an order: a subscription, a membership, a gift, or several copies: `POST /v1/orders/`. */
  create(
    fields: types.OrderCreate,
    options: WriteOptions = {},
  ): Promise<types.PlacedOrder> {
    return this.connection.call("POST", "/v1/orders/", fields, options);
  }

  /** Place up to 500 orders: `POST /v1/orders/bulk/`. */
  createBulk(
    fields: types.OrdersCreate,
    options: WriteOptions = {},
  ): Promise<types.OrderResults> {
    return this.connection.call("POST", "/v1/orders/bulk/", fields, options);
  }
}

/** Payments of invoices. */
export class Payments {
  constructor(private readonly connection: Connection) {}

  /** List payments, newest first: `GET /v1/payments/`. */
  list(
    filters: {
      cursor?: string;
      limit?: number;
      payer?: string;
      invoice?: string;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.PaymentResource> {
    return new Listing(this.connection, "/v1/payments/", { limit: 200, ...filters }, options);
  }

  /** Record a payment: `POST /v1/payments/`. */
  create(
    fields: types.PaymentCreate,
    options: WriteOptions = {},
  ): Promise<types.PaymentResource> {
    return this.connection.call("POST", "/v1/payments/", fields, options);
  }

  /** Retrieve a payment: `GET /v1/payments/{id}/`. */
  get(
    id: string,
    options: ReadOptions = {},
  ): Promise<types.PaymentResource> {
    return this.connection.call("GET", `/v1/payments/${encodeURIComponent(id)}/`, undefined, options);
  }

  /** Undo a payment that was recorded by mistake: `POST /v1/payments/{id}/undo/`. */
  undo(
    id: string,
    options: WriteOptions = {},
  ): Promise<types.PaymentResource> {
    return this.connection.call("POST", `/v1/payments/${encodeURIComponent(id)}/undo/`, undefined, options);
  }
}

/** Products: what new orders can be for, and its prices. */
export class Products {
  constructor(private readonly connection: Connection) {}

  /** List products, newest first: `GET /v1/products/`. */
  list(
    filters: {
      cursor?: string;
      limit?: number;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.OfferedProduct> {
    return new Listing(this.connection, "/v1/products/", { limit: 200, ...filters }, options);
  }

  /** Retrieve a product: `GET /v1/products/{id}/`. */
  get(
    id: string,
    options: ReadOptions = {},
  ): Promise<types.OfferedProduct> {
    return this.connection.call("GET", `/v1/products/${encodeURIComponent(id)}/`, undefined, options);
  }
}

/** The clock and the emails of a sandbox, an account for trying out. */
export class Sandbox {
  constructor(private readonly connection: Connection) {}

  /** Retrieve the clock of a sandbox: `GET /v1/sandbox/clock/`. */
  getClock(
    options: ReadOptions = {},
  ): Promise<types.SandboxClock> {
    return this.connection.call("GET", "/v1/sandbox/clock/", undefined, options);
  }

  /** Move the clock of a sandbox forward: `POST /v1/sandbox/clock/`. */
  moveClock(
    fields: types.SandboxMove,
    options: WriteOptions = {},
  ): Promise<types.SandboxClock> {
    return this.connection.call("POST", "/v1/sandbox/clock/", fields, options);
  }

  /** Reset a sandbox: delete its records, and begin again: `POST /v1/sandbox/reset/`. */
  reset(
    options: WriteOptions = {},
  ): Promise<types.SandboxClock> {
    return this.connection.call("POST", "/v1/sandbox/reset/", undefined, options);
  }

  /** List the emails that a sandbox kept, newest first: `GET /v1/sandbox/emails/`. */
  listEmails(
    filters: {
      cursor?: string;
      limit?: number;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.KeptEmail> {
    return new Listing(this.connection, "/v1/sandbox/emails/", { limit: 200, ...filters }, options);
  }
}

/** Sources of orders, such as shops. */
export class Sources {
  constructor(private readonly connection: Connection) {}

  /** List sources, newest first: `GET /v1/sources/`. */
  list(
    filters: {
      cursor?: string;
      limit?: number;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.Source> {
    return new Listing(this.connection, "/v1/sources/", { limit: 200, ...filters }, options);
  }
}

/** Subscribers, with totals of their subscriptions. */
export class Subscribers {
  constructor(private readonly connection: Connection) {}

  /** List subscribers, newest first: `GET /v1/subscribers/`. */
  list(
    filters: {
      cursor?: string;
      limit?: number;
      search?: string;
      email?: string;
      has_active_subscription?: boolean;
      updated_since?: string;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.Subscriber> {
    return new Listing(this.connection, "/v1/subscribers/", { limit: 200, ...filters }, options);
  }

  /** Retrieve a subscriber: `GET /v1/subscribers/{id}/`. */
  get(
    id: string,
    options: ReadOptions = {},
  ): Promise<types.Subscriber> {
    return this.connection.call("GET", `/v1/subscribers/${encodeURIComponent(id)}/`, undefined, options);
  }

  /** Update a subscriber: `PATCH /v1/subscribers/{id}/`. */
  update(
    id: string,
    fields: types.SubscriberUpdate,
    options: WriteOptions = {},
  ): Promise<types.Subscriber> {
    return this.connection.call("PATCH", `/v1/subscribers/${encodeURIComponent(id)}/`, fields, options);
  }
}

/** Subscriptions for a number of issues, and memberships for a period of time. */
export class Subscriptions {
  constructor(private readonly connection: Connection) {}

  /** List subscriptions, newest first: `GET /v1/subscriptions/`. */
  list(
    filters: {
      cursor?: string;
      limit?: number;
      subscriber?: string;
      country?: types.CountryCode;
      source?: string;
      is_gift?: boolean;
      search?: string;
      status?: Array<types.SubscriptionStatus>;
      type?: types.SubscriptionType;
      next_charge_before?: string;
      order_id?: string;
      email?: string;
      updated_since?: string;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.Subscription> {
    return new Listing(this.connection, "/v1/subscriptions/", { limit: 200, ...filters }, options);
  }

  /** Create a manual subscription: `POST /v1/subscriptions/`. */
  create(
    fields: types.SubscriptionCreate,
    options: WriteOptions = {},
  ): Promise<types.Subscription> {
    return this.connection.call("POST", "/v1/subscriptions/", fields, options);
  }

  /** Retrieve a subscription: `GET /v1/subscriptions/{id}/`. */
  get(
    id: string,
    options: ReadOptions = {},
  ): Promise<types.Subscription> {
    return this.connection.call("GET", `/v1/subscriptions/${encodeURIComponent(id)}/`, undefined, options);
  }

  /** Update a subscription: `PATCH /v1/subscriptions/{id}/`. */
  update(
    id: string,
    fields: types.SubscriptionUpdate,
    options: WriteOptions = {},
  ): Promise<types.Subscription> {
    return this.connection.call("PATCH", `/v1/subscriptions/${encodeURIComponent(id)}/`, fields, options);
  }

  /** Cancel a subscription or stop its renewals: `POST /v1/subscriptions/{id}/cancel/`. */
  cancel(
    id: string,
    fields: types.SubscriptionCancel,
    options: WriteOptions = {},
  ): Promise<types.Subscription> {
    return this.connection.call("POST", `/v1/subscriptions/${encodeURIComponent(id)}/cancel/`, fields, options);
  }

  /** Renew a subscription: `POST /v1/subscriptions/{id}/renewals/`. */
  renew(
    id: string,
    fields: types.RenewalCreate,
    options: WriteOptions = {},
  ): Promise<types.Subscription> {
    return this.connection.call("POST", `/v1/subscriptions/${encodeURIComponent(id)}/renewals/`, fields, options);
  }

  /**
   * Retrieve the status of a subscription (no API key needed): `GET
   * /v1/subscriptions/{id}/status/`.
   */
  getStatus(
    id: string,
    options: ReadOptions = {},
  ): Promise<types.SubscriptionState> {
    return this.connection.call("GET", `/v1/subscriptions/${encodeURIComponent(id)}/status/`, undefined, options);
  }

  /** Correct the medium, the start issue or the length: `POST /v1/subscriptions/{id}/terms/`. */
  updateTerms(
    id: string,
    fields: types.TermsUpdate,
    options: WriteOptions = {},
  ): Promise<types.Subscription> {
    return this.connection.call("POST", `/v1/subscriptions/${encodeURIComponent(id)}/terms/`, fields, options);
  }

  /** Reopen a cancelled subscription: `POST /v1/subscriptions/{id}/reopen/`. */
  reopen(
    id: string,
    options: WriteOptions = {},
  ): Promise<types.Subscription> {
    return this.connection.call("POST", `/v1/subscriptions/${encodeURIComponent(id)}/reopen/`, undefined, options);
  }

  /** Give a subscription to another subscriber: `POST /v1/subscriptions/{id}/move/`. */
  move(
    id: string,
    fields: types.SubscriptionMove,
    options: WriteOptions = {},
  ): Promise<types.Subscription> {
    return this.connection.call("POST", `/v1/subscriptions/${encodeURIComponent(id)}/move/`, fields, options);
  }

  /** Change the price of an order: `POST /v1/subscriptions/{id}/price/`. */
  changePrice(
    id: string,
    fields: types.PriceChange,
    options: WriteOptions = {},
  ): Promise<types.Subscription> {
    return this.connection.call("POST", `/v1/subscriptions/${encodeURIComponent(id)}/price/`, fields, options);
  }

  /** List the refunds of a subscription: `GET /v1/subscriptions/{id}/refunds/`. */
  listRefunds(
    id: string,
    options: ReadOptions = {},
  ): Listing<types.RefundResource> {
    return new Listing(this.connection, `/v1/subscriptions/${encodeURIComponent(id)}/refunds/`, {}, options);
  }

  /** Record a refund: `POST /v1/subscriptions/{id}/refunds/`. */
  createRefund(
    id: string,
    fields: types.RefundCreate,
    options: WriteOptions = {},
  ): Promise<types.RefundList> {
    return this.connection.call("POST", `/v1/subscriptions/${encodeURIComponent(id)}/refunds/`, fields, options);
  }
}

/** Webhooks: addresses to which masthead sends the events. */
export class Webhooks {
  constructor(private readonly connection: Connection) {}

  /** List webhooks, newest first: `GET /v1/webhooks/`. */
  list(
    filters: {
      cursor?: string;
      limit?: number;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.Webhook> {
    return new Listing(this.connection, "/v1/webhooks/", { limit: 200, ...filters }, options);
  }

  /** Create a webhook: `POST /v1/webhooks/`. */
  create(
    fields: types.WebhookCreate,
    options: WriteOptions = {},
  ): Promise<types.WebhookSecret> {
    return this.connection.call("POST", "/v1/webhooks/", fields, options);
  }

  /** Retrieve a webhook: `GET /v1/webhooks/{id}/`. */
  get(
    id: string,
    options: ReadOptions = {},
  ): Promise<types.Webhook> {
    return this.connection.call("GET", `/v1/webhooks/${encodeURIComponent(id)}/`, undefined, options);
  }

  /** Change, enable or disable a webhook: `PATCH /v1/webhooks/{id}/`. */
  update(
    id: string,
    fields: types.WebhookUpdate,
    options: WriteOptions = {},
  ): Promise<types.Webhook> {
    return this.connection.call("PATCH", `/v1/webhooks/${encodeURIComponent(id)}/`, fields, options);
  }

  /** Replace the secret of a webhook: `POST /v1/webhooks/{id}/rotate/`. */
  rotateSecret(
    id: string,
    fields: types.WebhookRotate = {},
    options: WriteOptions = {},
  ): Promise<types.WebhookSecret> {
    return this.connection.call("POST", `/v1/webhooks/${encodeURIComponent(id)}/rotate/`, fields, options);
  }

  /** Send a test to a webhook: `POST /v1/webhooks/{id}/test/`. */
  sendTest(
    id: string,
    options: WriteOptions = {},
  ): Promise<types.WebhookDelivery> {
    return this.connection.call("POST", `/v1/webhooks/${encodeURIComponent(id)}/test/`, undefined, options);
  }

  /** List the messages that were sent to a webhook: `GET /v1/webhooks/{id}/deliveries/`. */
  listDeliveries(
    id: string,
    filters: {
      cursor?: string;
      limit?: number;
      status?: types.MessageStatus;
    } = {},
    options: ReadOptions = {},
  ): Listing<types.WebhookDelivery> {
    return new Listing(this.connection, `/v1/webhooks/${encodeURIComponent(id)}/deliveries/`, { limit: 200, ...filters }, options);
  }

  /** Send events to a webhook again: `POST /v1/webhooks/{id}/resend/`. */
  resendEvents(
    id: string,
    fields: types.WebhookResend,
    options: WriteOptions = {},
  ): Promise<types.WebhookResent> {
    return this.connection.call("POST", `/v1/webhooks/${encodeURIComponent(id)}/resend/`, fields, options);
  }

  /** Delete a webhook: `POST /v1/webhooks/{id}/delete/`. */
  delete(
    id: string,
    options: WriteOptions = {},
  ): Promise<types.Webhook> {
    return this.connection.call("POST", `/v1/webhooks/${encodeURIComponent(id)}/delete/`, undefined, options);
  }
}

/** The resources of the API. */
export class Resources {
  readonly me: Me;
  readonly subscribers: Subscribers;
  readonly sources: Sources;
  readonly subscriptions: Subscriptions;
  readonly issues: Issues;
  readonly copies: Copies;
  readonly dispatches: Dispatches;
  readonly deliveryReports: DeliveryReports;
  readonly claims: Claims;
  readonly invoices: Invoices;
  readonly payments: Payments;
  readonly products: Products;
  readonly orders: Orders;
  readonly addressChanges: AddressChanges;
  readonly events: Events;
  readonly webhooks: Webhooks;
  readonly sandbox: Sandbox;

  constructor(connection: Connection) {
    this.me = new Me(connection);
    this.subscribers = new Subscribers(connection);
    this.sources = new Sources(connection);
    this.subscriptions = new Subscriptions(connection);
    this.issues = new Issues(connection);
    this.copies = new Copies(connection);
    this.dispatches = new Dispatches(connection);
    this.deliveryReports = new DeliveryReports(connection);
    this.claims = new Claims(connection);
    this.invoices = new Invoices(connection);
    this.payments = new Payments(connection);
    this.products = new Products(connection);
    this.orders = new Orders(connection);
    this.addressChanges = new AddressChanges(connection);
    this.events = new Events(connection);
    this.webhooks = new Webhooks(connection);
    this.sandbox = new Sandbox(connection);
  }
}
