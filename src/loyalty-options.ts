import type { ActorInput } from "./access/actor-schema.js";
import type { UnknownKey } from "./base/errors.js";
import type { Scope } from "./base/scopes.js";
import type { Tracer } from "./base/tracing.js";
import { createKeyChecker } from "./base/unknown-keys.js";
import type { Clock } from "./base/values/clock.js";
import type { UuidSource } from "./base/values/ids.js";
import type { PictureDecoder } from "./base/values/picture.js";
import type { ErrorListener } from "./kernel/events/event-emitter.js";
import {
  type OrganizationLimits,
  parseLimits,
  type RetentionOptions,
  retentionBounds,
} from "./kernel/limits.js";
import type { StorageAdapter } from "./storage/storage-adapter.js";
import type { WebhookOptions } from "./webhooks/options.js";

/** Options for `new LoyaltyService`. Only `storage` is required. */
export interface LoyaltyOptions<Client = unknown> {
  /** The storage adapter for all data. The service's `close()` also closes the adapter. */
  readonly storage: StorageAdapter<Client>;
  /**
   * Base URL for QR codes, without a query or fragment. A pass's QR code contains `{shortLinkBase}/{code}`. Default:
   * `https://pass.invalid`.
   */
  readonly shortLinkBase?: string;
  /**
   * Earlier values of `shortLinkBase`. `lookup` still accepts QR codes that contain them. For local development, it also accepts
   * `http://localhost` with any port and the path `/c`.
   */
  readonly previousShortLinkBases?: readonly string[];
  /**
   * Keys for encrypting stored secrets that the service must be able to read back, such as webhook signing secrets. Each key must
   * be at least 32 bytes long. The first key encrypts, and every key can decrypt. See {@link LoyaltyService.secrets}. Default:
   * none, so secrets are stored unencrypted.
   */
  readonly secretKeys?: readonly string[];
  /** Returns the current time in milliseconds since the Unix epoch. Default: `Date.now`. */
  readonly clock?: Clock;
  /** Traces every call, request, and delivery. See `openTelemetry` in `loyalty-kit/observability`. Default: no tracing. */
  readonly tracer?: Tracer;
  /** Generates the UUIDs for new IDs. Default: UUIDv7. */
  readonly uuid?: UuidSource;
  /**
   * Whether to keep an outbox. Turning it off saves writes, but disables webhooks, wallet updates, automations, and event history.
   * Default: `true`.
   */
  readonly outbox?: boolean;
  /** Webhook settings, such as whether loopback addresses are allowed, and a callback for when an endpoint is disabled. */
  readonly webhooks?: WebhookOptions;
  /** Limits that apply to each organization separately. Omitted limits use their defaults. */
  readonly limits?: OrganizationLimits;
  /** How long to retain events, deliveries, and idempotency records. */
  readonly retention?: RetentionOptions;
  /**
   * Re-encodes uploaded pictures before they are stored. Default: the decoder from `createWallets`, if there is one. If there is no
   * decoder, or if this is `null`, pictures are stored as uploaded but with their metadata removed.
   */
  readonly pictureDecoder?: PictureDecoder | null;
  /**
   * Whether unknown keys in options, inputs, and queries cause a `validation_failed` error. Default: `true`. Over HTTP, unknown
   * keys are ignored unless the request has the header `Prefer: handling=strict`. A resource's own fields, such as `id`, are
   * always accepted and ignored.
   */
  readonly strict?: boolean;
  /** Called with errors from event listeners and background work, which no caller can catch. Default: `console.error`. */
  readonly onError?: ErrorListener;
}

export interface CallerOptions {
  /** The scopes that the caller has. Calls that need any other scope fail with `access_denied`. Default: every call is allowed. */
  readonly scopes?: readonly Scope[];
  /** A signal that stops the caller's long reads when it is aborted. Changes always run to completion. */
  readonly signal?: AbortSignal | undefined;
  /** The service ID or external ID of the user on whose behalf calls are made. */
  readonly user?: string;
  /**
   * The actor that events, ledgers, and the audit trail record for each change.
   *
   * If `scopes` is also set, and the actor is one of the organization's API tokens or staff members (identified by `id`) or a grant
   * (identified by `session`), each change checks in its own transaction that the token, staff member, or grant still exists and
   * has the necessary rights. If it no longer exists, the change fails with `unauthorized`. If it lacks the rights, the change
   * fails with `access_denied`.
   */
  readonly actor?: ActorInput;
  /**
   * The ID of the caller's session. When a call is repeated with the same idempotency key, a result that contains a new secret is
   * replayed only to the same actor in the same session.
   */
  readonly session?: string;
  /** Whether unknown keys are rejected rather than ignored. Default: the service's `strict`. */
  readonly strict?: boolean;
}

export interface ManagedTransactionOptions {
  /** Time in milliseconds after which the transaction is rolled back. Default: 10,000. */
  readonly timeoutMs?: number;
}

const findUnknownServiceOptions = createKeyChecker<LoyaltyOptions>({
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
const findUnknownWebhookOptions = createKeyChecker<WebhookOptions>({
  allowLoopback: true,
  onDisabled: true,
  random: true,
});
const findUnknownRetentionOptions = createKeyChecker<RetentionOptions>(retentionBounds);
const findUnknownLimits = createKeyChecker<OrganizationLimits>(parseLimits());
/** Returns the keys in a caller's options that {@link CallerOptions} doesn't define. */
export const findUnknownCallerOptions = createKeyChecker<CallerOptions>({
  scopes: true,
  signal: true,
  user: true,
  actor: true,
  session: true,
  strict: true,
});

/** Returns the unknown keys in a service's options as paths, such as `limits.tag`. */
export function findUnknownOptions(options: LoyaltyOptions): UnknownKey[] {
  const { webhooks, limits, retention } = options;
  const prefixPaths = (name: string, keys: readonly UnknownKey[]) =>
    keys.map(({ path, near }) => ({ path: `${name}.${path}`, near }));
  return [
    ...findUnknownServiceOptions(options),
    ...prefixPaths("webhooks", findUnknownWebhookOptions(webhooks)),
    ...prefixPaths("limits", findUnknownLimits(limits)),
    ...prefixPaths("retention", findUnknownRetentionOptions(retention)),
  ];
}
