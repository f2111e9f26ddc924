import type { ErrorListener } from "./events/event-emitter.js";
import type { PictureDecoder } from "./picture-decoder.js";
import type { ActorInput } from "./resources/actor.js";
import { createKeyChecker } from "./resources/unknown-keys.js";
import type { Scope } from "./scopes.js";
import type { StorageAdapter } from "./storage/storage-adapter.js";
import {
  type OrganizationLimits,
  parseLimits,
  type RetentionOptions,
  retentionBounds,
} from "./tenant/limits.js";
import type { Tracer } from "./tracing.js";
import type { Clock } from "./values/clock.js";
import type { UuidSource } from "./values/ids.js";
import type { WebhookOptions } from "./webhooks/options.js";

/** Options of `new LoyaltyService`. */
export interface LoyaltyOptions<Client = unknown> {
  /** The storage for all data. The service's `close()` closes it too. */
  readonly storage: StorageAdapter<Client>;
  /**
   * Base URL for QR codes: a pass's QR code holds `{shortLinkBase}/{code}`. No query, no fragment. Default: `https://pass.invalid`.
   */
  readonly shortLinkBase?: string;
  /**
   * Earlier values of `shortLinkBase`. `lookup` still accepts QR codes printed with them. For local development it also accepts
   * codes with `http://localhost`, any port, and the path `/c`.
   */
  readonly previousShortLinkBases?: readonly string[];
  /**
   * Keys that encrypt stored secrets which the service needs in plain text, such as webhook signing secrets. At least 32 bytes
   * each. The first key encrypts; every key can decrypt. See {@link LoyaltyService.secrets}. Default: none, so secrets are stored
   * unencrypted.
   */
  readonly secretKeys?: readonly string[];
  /** Returns the current time in milliseconds since the Unix epoch. Default: `Date.now`. */
  readonly clock?: Clock;
  /** Traces every call, request and delivery: see `openTelemetry` in `loyalty-kit/observability`. Default: none. */
  readonly tracer?: Tracer;
  /** Generates the UUIDs for new ids. Default: UUIDv7. */
  readonly uuid?: UuidSource;
  /** `false` turns off the outbox: fewer writes, but no webhooks, wallet updates, automations or event history. Default: `true`. */
  readonly outbox?: boolean;
  /** Allowed destinations for webhooks, and the callback for disabled endpoints. */
  readonly webhooks?: WebhookOptions;
  /** Limits for each organization. */
  readonly limits?: OrganizationLimits;
  /** How long to retain events, deliveries and idempotency records. */
  readonly retention?: RetentionOptions;
  /**
   * Re-encodes uploaded pictures before they are stored. Default: the decoder from `createWallets`, if there is one. Without a
   * decoder, or with `null`, pictures are stored as uploaded, with their metadata stripped.
   */
  readonly pictureDecoder?: PictureDecoder | null;
  /**
   * Rejects unknown keys in options, inputs and queries with `validation_failed`. Default: `true`. Over HTTP, unknown keys are
   * ignored unless the request says `Prefer: handling=strict`. A resource's own fields, such as `id`, are always accepted and
   * ignored.
   */
  readonly strict?: boolean;
  /** Receives errors that no caller can catch: from event listeners and background work. Default: `console.error`. */
  readonly onError?: ErrorListener;
}

export interface CallerOptions {
  readonly scopes?: readonly Scope[];
  readonly signal?: AbortSignal | undefined;
  /** The user on whose behalf calls are made, as a service id or external id. */
  readonly user?: string;
  /**
   * The actor that events, ledgers and the audit trail record with each change. With `scopes`, an actor whose `id` is an API token
   * or a person of the organization, or whose `session` is a grant, is looked up in the transaction of each change: the change
   * fails with `unauthorized` once that row is gone, and with `access_denied` once it lacks a right that the change needs.
   */
  readonly actor?: ActorInput;
  /**
   * Id of the caller's session. A result that contains a new secret is replayed for an idempotency key only to the same actor in
   * the same session.
   */
  readonly session?: string;
  /** `true` rejects unknown keys. Default: the service's `strict`. */
  readonly strict?: boolean;
}

export interface ManagedTransactionOptions {
  /** Time in milliseconds after which a transaction is rolled back. Default: 10,000. */
  readonly timeoutMs?: number;
}

const ofService = createKeyChecker<LoyaltyOptions>({
  storage: true,
  shortLinkBase: true,
  previousShortLinkBases: true,
  secretKeys: true,
  clock: true,
  tracer: true,
  uuid: true,
  outbox: true,
  webhooks: true,
  limits: true,
  retention: true,
  pictureDecoder: true,
  strict: true,
  onError: true,
});
const ofWebhooks = createKeyChecker<WebhookOptions>({ allowLoopback: true, onDisabled: true, random: true });
const ofRetention = createKeyChecker<RetentionOptions>(retentionBounds);
const ofLimits = createKeyChecker<OrganizationLimits>(parseLimits());
/** Finds the unknown keys in a caller's options. */
export const findUnknownCallerOptions = createKeyChecker<CallerOptions>({
  scopes: true,
  signal: true,
  user: true,
  actor: true,
  session: true,
  strict: true,
});

/** Returns the unknown keys in a service's options, as paths such as `limits.tag`. */
export function findUnknownOptions(options: LoyaltyOptions): string[] {
  const { webhooks, limits, retention } = options;
  return [
    ...ofService(options),
    ...ofWebhooks(webhooks).map((key) => `webhooks.${key}`),
    ...ofLimits(limits).map((key) => `limits.${key}`),
    ...ofRetention(retention).map((key) => `retention.${key}`),
  ];
}
