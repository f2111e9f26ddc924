/**
 * The reason why a request must not be trusted: one of the three headers is missing or malformed, the timestamp differs from the
 * current time by more than five minutes, no signature matches, or the signed body isn't an event.
 */
export type WebhookRefusal =
  | "missing_header"
  | "malformed_header"
  | "too_old"
  | "too_new"
  | "wrong_signature"
  | "malformed_body";

/**
 * Thrown when a request must not be trusted. Respond with status 400 and ignore the request.
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
    /** Why the webhook was refused. */
    readonly reason: WebhookRefusal,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
