import type { RandomSource } from "../kernel/retries.js";
import type { WebhookEndpoint } from "./schema.js";

/** Called after an endpoint is disabled because it responded with 410 Gone or kept failing for five days. */
export type DisabledListener = (
  endpoint: WebhookEndpoint,
  context: { readonly organizationId: string },
) => unknown;

export interface WebhookOptions {
  /** Whether endpoints may run on this machine and use plain http there. Intended for development. Default: false. */
  readonly allowLoopback?: boolean;
  /**
   * Called after an endpoint is disabled automatically, in the process that disabled it. Errors that the callback throws, and
   * promises that reject, are reported to `onError`.
   */
  readonly onDisabled?: DisabledListener;
  /** The source of randomness for the jitter in retry times. Default: `Math.random`. */
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
