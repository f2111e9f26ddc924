import type { RandomSource } from "../kernel/retries.js";
import type { WebhookEndpoint } from "./schema.js";

/** Called after an endpoint is disabled because it responded with 410 Gone or failed continuously for five days. */
export type DisabledListener = (
  endpoint: WebhookEndpoint,
  context: { readonly organizationId: string },
) => unknown;

export interface WebhookOptions {
  /**
   * Whether endpoints can use loopback addresses, such as `localhost`, including over plain HTTP. Intended for development.
   * Default: `false`.
   */
  readonly allowLoopback?: boolean;
  /**
   * Called after an endpoint is disabled automatically, in the process that disabled it. If the callback throws or its promise
   * rejects, the error is reported to `onError`.
   */
  readonly onDisabled?: DisabledListener;
  /** The source of randomness for the jitter in retry delays. Default: `Math.random`. */
  readonly random?: RandomSource;
}

export type WebhookSettings = Required<WebhookOptions>;

export function resolveWebhookSettings({
  allowLoopback = false,
  onDisabled = () => {},
  random = Math.random,
}: WebhookOptions = {}): WebhookSettings {
  return { allowLoopback, onDisabled, random };
}
