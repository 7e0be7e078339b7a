// What goes wrong. All errors are a MastheadError.
import type { FieldError } from "./types.js";

/** Something went wrong; `message` is a sentence for people. */
export class MastheadError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/**
 * No answer arrived, so nobody knows whether the request was done. Send the same request again with
 * `idempotencyKey`: it is done once, however often it is sent.
 */
export class Unreachable extends MastheadError {
  constructor(message: string, readonly idempotencyKey: string | undefined, cause: unknown) {
    super(message, { cause });
  }
}

/** The response is the one whose tag was sent as `ifNoneMatch`. */
export class NotModified extends MastheadError {}

/** A message to a webhook is not from the server, or it is too old. */
export class InvalidSignature extends MastheadError {}

/** The server refused a request. */
export class ApiError extends MastheadError {
  /** The kind of error, such as `duplicate_order_id`, if the response has one. */
  readonly code: string | undefined;
  /** The field or parameter that is wrong. */
  readonly field: string | undefined;
  /** All that is wrong, each with `field`, `message` and `code`. */
  readonly errors: FieldError[];
  /** Of the record that the message names. */
  readonly recordId: string | undefined;
  /** For the operator of the server. */
  readonly requestId: string | undefined;

  /** retryAfter: seconds after which the server wants to be asked again. */
  constructor(
    readonly status: number,
    body: Partial<{ message: string; code: string; field: string; id: string; errors: FieldError[] }>,
    headers: Headers,
    readonly retryAfter: number | undefined,
    readonly idempotencyKey: string | undefined,
  ) {
    super(body.message ?? describe(status));
    this.code = body.code;
    this.field = body.field;
    this.errors = body.errors ?? [];
    this.recordId = body.id;
    this.requestId = headers.get("X-Request-Id") ?? undefined;
  }
}

/** A sentence for a response without a message. */
function describe(status: number): string {
  if (status === 401) return "The API key is missing, unknown, revoked or expired.";
  if (status === 403) return "The account is inactive.";
  return `The server answered with status ${status}, and without a message.`;
}
