// Checks the messages that masthead sends to webhooks: Standard Webhooks 1.0, with HMAC-SHA256.
import { InvalidSignature } from "./errors.js";
import type { Event } from "./types.js";

/**
 * The event in a message to a webhook. Throws InvalidSignature, unless it is from masthead and not
 * too old: answer it with 400.
 *
 * @param body the request as it arrived
 * @param secret `whsec_…`, which was shown when the webhook was created
 * @param tolerance how many seconds the message may be old, or early
 */
export async function verifyWebhook(
  body: string,
  headers: Headers | Record<string, string>,
  secret: string,
  tolerance = 300,
): Promise<Event> {
  const sent = new Headers(headers);
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => {
    const text = sent.get(`webhook-${name}`);
    if (text === null) throw new InvalidSignature(`The header webhook-${name} is missing.`);
    return text;
  }) as [string, string, string];
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > tolerance) {
    throw new InvalidSignature(`The message is more than ${tolerance} seconds old.`);
  }
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey(
    "raw",
    fromBase64(secret.replace(/^whsec_/, "")),
    algorithm,
    false,
    ["verify"],
  );
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  // While a secret is replaced, there are several
  for (const signature of signatures.split(" ")) {
    const [version, text] = signature.split(",");
    if (version !== "v1" || !text || !/^[\w+/]+=*$/.test(text)) continue;
    if (await crypto.subtle.verify(algorithm, key, fromBase64(text), content)) {
      return JSON.parse(body) as Event;
    }
  }
  throw new InvalidSignature("No signature is right: check the secret, and use the body unchanged.");
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
