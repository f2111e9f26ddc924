/**
 * Why a request is not to be trusted: a header of the three is missing, or malformed; it was signed more than five
 * minutes ago, or from now; no signature fits; or the body, though signed, is no event.
 */
export type WebhookRefusal =
  | "missing_header"
  | "malformed_header"
  | "too_old"
  | "too_new"
  | "wrong_signature"
  | "malformed_body";

/**
 * Thrown for a request that is not to be trusted. Answer it with 400, and do nothing else with it.
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
