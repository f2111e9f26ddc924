import type { ActorInput } from "./access/actor-schema.js";
import type { UnknownKey } from "./base/errors.js";
import type { PictureDecoder } from "./base/picture-decoder.js";
import type { Scope } from "./base/scopes.js";
import type { Tracer } from "./base/tracing.js";
import { createKeyChecker } from "./base/unknown-keys.js";
import type { Clock } from "./base/values/clock.js";
import type { UuidSource } from "./base/values/ids.js";
import type { ErrorListener } from "./kernel/events/event-emitter.js";
import {
  type OrganizationLimits,
  parseLimits,
  type RetentionOptions,
  retentionBounds,
} from "./kernel/limits.js";
import type { StorageAdapter } from "./storage/storage-adapter.js";
import type { WebhookOptions } from "./webhooks/options.js";

/** Options for `new LoyaltyService`. */
export interface LoyaltyOptions<Client = unknown> {
  /** The storage adapter for all data. The service's `close()` also closes the adapter. */
  readonly storage: StorageAdapter<Client>;
  /**
   * Base URL for QR codes, without a query or fragment. A pass's QR code contains `{shortLinkBase}/{code}`. Default:
   * `https://pass.invalid`.
   */
  readonly shortLinkBase?: string;
  /**
   * Earlier values of `shortLinkBase`. `lookup` still accepts QR codes printed with them. For local development, `lookup` also
   * accepts codes with `http://localhost`, any port, and the path `/c`.
   */
  readonly previousShortLinkBases?: readonly string[];
  /**
   * Keys for encrypting stored secrets that the service must be able to read, such as webhook signing secrets. Each must be at
   * least 32 bytes long. The first key is used to encrypt, and all keys can decrypt. See {@link LoyaltyService.secrets}. Default:
   * none, so secrets are stored unencrypted.
   */
  readonly secretKeys?: readonly string[];
  /** Returns the current time in milliseconds since the Unix epoch. Default: `Date.now`. */
  readonly clock?: Clock;
  /** Traces every call, request and delivery. See `openTelemetry` in `loyalty-kit/observability`. Default: no tracing. */
  readonly tracer?: Tracer;
  /** Generates the UUIDs in new IDs. Default: UUIDv7. */
  readonly uuid?: UuidSource;
  /**
   * Whether to keep an outbox. Turning it off saves writes, but disables webhooks, wallet updates, automations, and event history.
   * Default: `true`.
   */
  readonly outbox?: boolean;
  /** Where webhooks may be sent, and a callback for when an endpoint is disabled. */
  readonly webhooks?: WebhookOptions;
  /** Limits per organization. */
  readonly limits?: OrganizationLimits;
  /** How long to retain events, deliveries and idempotency records. */
  readonly retention?: RetentionOptions;
  /**
   * Re-encodes uploaded pictures before they are stored. Default: the decoder from `createWallets`, if there is one. Without a
   * decoder, or if this is `null`, pictures are stored as uploaded except that their metadata is stripped.
   */
  readonly pictureDecoder?: PictureDecoder | null;
  /**
   * Whether unknown keys in options, inputs and queries are rejected with `validation_failed`. Default: `true`. Over HTTP, unknown
   * keys are ignored unless the request has the header `Prefer: handling=strict`. A resource's own fields, such as `id`, are always
   * accepted and ignored.
   */
  readonly strict?: boolean;
  /** Receives errors from event listeners and background work, which no caller can catch. Default: `console.error`. */
  readonly onError?: ErrorListener;
}

export interface CallerOptions {
  /** What the caller may do. Default: everything. */
  readonly scopes?: readonly Scope[];
  /** Aborts the caller's calls. */
  readonly signal?: AbortSignal | undefined;
  /** The user on whose behalf calls are made, identified by the service's ID or the external ID. */
  readonly user?: string;
  /**
   * The actor that events, ledgers and the audit trail record for each change. If `scopes` is set, and the actor's `id` identifies
   * an API token or a staff member of the organization or its `session` identifies a grant, each change checks in its own
   * transaction that this token, staff member, or grant still exists and has the necessary rights. If not, the change fails with
   * `unauthorized` or `access_denied`, respectively.
   */
  readonly actor?: ActorInput;
  /**
   * The ID of the caller's session. When a call is repeated with an idempotency key, a result that contains a new secret is
   * replayed only to the same actor in the same session.
   */
  readonly session?: string;
  /** Whether unknown keys are rejected. Default: the service's `strict`. */
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
/** Finds the unknown keys in the options for a caller. */
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
  const within = (name: string, keys: readonly UnknownKey[]) =>
    keys.map(({ path, near }) => ({ path: `${name}.${path}`, near }));
  return [
    ...ofService(options),
    ...within("webhooks", ofWebhooks(webhooks)),
    ...within("limits", ofLimits(limits)),
    ...within("retention", ofRetention(retention)),
  ];
}
