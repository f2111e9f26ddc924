import { invalid } from "../../../src/errors.js";
import { headerValues } from "./headers.js";
import type { HttpRequest } from "./message.js";

/** As the interface writes it, in errors too. */
export const IDEMPOTENCY_KEY = "Idempotency-Key";

/** A text in the form of RFC 9651, section 3.3.3, as the IETF draft of the header has it. */
const quoted = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

/**
 * The key that a request was sent with, bare or quoted: both mean the same; `null` when there is none.
 * @throws {LoyaltyError} `validation_failed` when there are several, or its quotes are wrong.
 */
export function idempotencyKeyOf(headers: HttpRequest["headers"]): string | null {
  const [sent, second] = headerValues(headers, "idempotency-key");
  if (sent === undefined) return null;
  if (second !== undefined) throw invalid({ [IDEMPOTENCY_KEY]: "must be sent once" });
  if (!sent.startsWith('"')) return sent;
  const key = quoted.exec(sent)?.[1];
  if (key === undefined) throw invalid({ [IDEMPOTENCY_KEY]: "must be a text, bare or in double quotes" });
  return key.replaceAll(/\\(.)/g, "$1");
}
