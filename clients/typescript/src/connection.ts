// Sends requests with fetch, and repeats those that are lost.
import { ApiError, NotModified, Unreachable } from "./errors.js";
import { VERSION } from "./version.js";

/** How a client reaches the server. */
export interface Options {
  /** Of the server, such as `https://magazine.example`. */
  address: string;
  /** `mh_…`; without one, only the status of subscriptions can be read. */
  key?: string;
  /** Seconds for an attempt; 30 by default. */
  timeout?: number;
  /** Attempts after the first one, if a request is lost or the server is busy; 4 by default. */
  retries?: number;
  /** Seconds; if the server wants a longer pause, the error is thrown at once; 60 by default. */
  longestWait?: number;
  /** What sends a request; the one of the platform by default. */
  fetch?: typeof fetch;
}

/** Options of a request that reads. */
export interface ReadOptions {
  /** The tag of the response that you have: if it is still the same, NotModified is thrown. */
  ifNoneMatch?: string | undefined;
}

/** Options of a request that writes. */
export interface WriteOptions {
  /** To send the request again after a restart; by default a random one for each request. */
  idempotencyKey?: string | undefined;
  /** The tag of the record that you have seen: if it has changed, the status is 412. */
  ifMatch?: string | undefined;
}

const REPEATED = new Set([409, 429, 500, 502, 503, 504]);
const tags = new WeakMap<object, string>();

/** The tag of a record that was the whole response, for `ifMatch` and `ifNoneMatch`. */
export function etag(record: object): string | undefined {
  return tags.get(record);
}

/** A server, and the key that it is asked with. */
export class Connection {
  constructor(private readonly options: Options) {
    if (!/^https?:\/\//.test(options.address)) {
      throw new TypeError(`The address is "${options.address}"; it begins with https://.`);
    }
  }

  /** The record that a request returns. */
  async call<T>(
    method: string,
    path: string,
    parts: object | undefined,
    options: ReadOptions & WriteOptions,
  ): Promise<T> {
    return (await this.send<T>(method, path, parts, options)).record;
  }

  /** The record that a request returns, and the headers of the response. */
  async send<T>(
    method: string,
    path: string,
    parts: object | undefined,
    { idempotencyKey, ifMatch, ifNoneMatch }: ReadOptions & WriteOptions,
  ): Promise<{ record: T; headers: Headers }> {
    const key = method === "GET" ? undefined : (idempotencyKey ?? crypto.randomUUID());
    const hasBody = method !== "GET" && parts !== undefined;
    const url = new URL(this.options.address.replace(/\/+$/, "") + path);
    if (method === "GET") {
      for (const [name, value] of Object.entries(parts ?? {})) {
        if (value !== undefined) url.searchParams.set(name, String(value));
      }
    }
    const headers = {
      Accept: "application/json",
      "User-Agent": `masthead-client/${VERSION} (TypeScript)`,
      ...(this.options.key && { Authorization: `Bearer ${this.options.key.trim()}` }),
      ...(hasBody && { "Content-Type": "application/json" }),
      ...(key && { "Idempotency-Key": key }),
      ...(ifMatch && { "If-Match": ifMatch }),
      ...(ifNoneMatch && { "If-None-Match": ifNoneMatch }),
    };
    // Encoded once: each attempt sends the same bytes with the same key
    const body = hasBody ? JSON.stringify(parts) : null;
    const { response, text } = await this.attempts(url, { method, headers, body }, key);
    if (response.status === 304) throw new NotModified(`${path} has not changed.`);
    const answer = parse(text);
    if (!response.ok) {
      const wait = readRetryAfter(response);
      const fields = typeof answer === "object" && answer !== null ? answer : {};
      throw new ApiError(response.status, fields, response.headers, wait, key);
    }
    const tag = response.headers.get("ETag");
    if (tag && typeof answer === "object" && answer !== null) tags.set(answer, tag);
    return { record: answer as T, headers: response.headers };
  }

  private async attempts(
    url: URL,
    request: RequestInit,
    key: string | undefined,
  ): Promise<{ response: Response; text: string }> {
    const { timeout = 30, retries = 4, longestWait = 60 } = this.options;
    const ask = this.options.fetch ?? fetch;
    for (let attempt = 0; ; attempt++) {
      let wait = 0.5 * 2 ** attempt * (0.75 + Math.random() / 2);
      try {
        const signal = AbortSignal.timeout(timeout * 1000);
        const response = await ask(url, { ...request, signal, redirect: "manual" });
        const text = await response.text();
        wait = readRetryAfter(response) ?? wait;
        const isLast = attempt >= retries || wait > longestWait;
        if (isLast || !REPEATED.has(response.status)) return { response, text };
      } catch (cause) {
        if (attempt >= retries) {
          const place = `${request.method} ${url.pathname}`;
          throw new Unreachable(`No answer to ${place} after ${attempt + 1} attempts`, key, cause);
        }
      }
      await pause(wait);
    }
  }
}

/** Wait for some seconds. */
export function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

/** The seconds of the header `Retry-After`, which can also be a date. */
function readRetryAfter(response: Response): number | undefined {
  const text = response.headers.get("Retry-After") ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : Math.max(0, (moment - Date.now()) / 1000);
}

/** The JSON of a body; undefined if it is none, as from a proxy. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
