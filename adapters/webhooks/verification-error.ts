/**
 * Why a request must not be trusted: one of the three headers is missing or malformed, its timestamp is more than five minutes away
 * from now, no signature matches, or the signed body is not an event.
 */
export type WebhookRefusal =
  | "missing_header"
  | "malformed_header"
  | "too_old"
  | "too_new"
  | "wrong_signature"
  | "malformed_body";

/**
 * Thrown for a request that must not be trusted. Respond with 400, and ignore the request.
 *
 * @example
 * import { verifyWebhook, WebhookVerificationError } from "loyalty-kit/webhooks";
 *
 * try {
 *   verifyWebhook(new Headers(), "{}", process.env.WEBHOOK_SECRET ?? "");
 * } catch (error) {
 *   if (error instanceof WebhookVerificationError) console.warn(error.reason);
 * }
 */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";

  constructor(
    readonly reason: WebhookRefusal,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
