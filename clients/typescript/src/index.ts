import { Connection, type Options } from "./connection.js";
import { Resources } from "./resources.js";

export { etag, type Options, type ReadOptions, type WriteOptions } from "./connection.js";
export { ApiError, InvalidSignature, MastheadError, NotModified, Unreachable } from "./errors.js";
export type { FollowOptions } from "./events.js";
export { Listing, type Page } from "./lists.js";
export type * as types from "./types.js";
export { VERSION } from "./version.js";
export { verifyWebhook } from "./webhooks.js";

/** A client of a masthead server. */
export class Masthead extends Resources {
  constructor(options: Options) {
    super(new Connection(options));
  }
}
