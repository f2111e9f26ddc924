import type { RandomSource } from "../jobs/retries.js";
import type { WebhookEndpoint } from "../resources/webhook-endpoint.js";

/** Hears that an endpoint was disabled because it answered 410, or failed for five days. */
export type DisabledListener = (
  endpoint: WebhookEndpoint,
  context: { readonly organizationId: string },
) => unknown;

export interface WebhookOptions {
  /** Allows endpoints on this machine, also over http; for development. Default: false. */
  readonly allowLoopback?: boolean;
  /** Called after an endpoint was disabled, by the process that did. What it throws or rejects with goes to `onError`. */
  readonly onDisabled?: DisabledListener;
  /** Spreads the times of retries. Default: `Math.random`. */
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
