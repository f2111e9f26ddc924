import type { RandomSource } from "../jobs/retries.js";
import type { WebhookEndpoint } from "../resources/webhook-endpoint.js";

/** Called when an endpoint was disabled because it responded with 410 or failed for five days. */
export type DisabledListener = (
  endpoint: WebhookEndpoint,
  context: { readonly organizationId: string },
) => unknown;

export interface WebhookOptions {
  /** Allows endpoints on this machine, including endpoints with http URLs; for development. Default: false. */
  readonly allowLoopback?: boolean;
  /** Called after an endpoint is disabled, in the process that disabled it. Errors and rejections go to `onError`. */
  readonly onDisabled?: DisabledListener;
  /** Adds jitter to retry times. Default: `Math.random`. */
  readonly random?: RandomSource;
}

export type WebhookSettings = Required<WebhookOptions>;

export function webhookSettings({
  allowLoopback = false,
  onDisabled = () => {},
  random = Math.random,
}: WebhookOptions = {}): WebhookSettings {
  return { allowLoopback, onDisabled, random };
}
