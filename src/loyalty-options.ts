import type { ErrorListener } from "./events/event-emitter.js";
import type { PictureDecoder } from "./picture-decoder.js";
import type { ActorInput } from "./resources/actor.js";
import { keysBeside } from "./resources/unknown-keys.js";
import type { Scope } from "./scopes.js";
import type { StorageAdapter } from "./storage/storage-adapter.js";
import {
  limitsOf,
  type OrganizationLimits,
  type RetentionOptions,
  retentionBounds,
} from "./tenant/limits.js";
import type { Tracer } from "./tracing.js";
import type { Clock } from "./values/clock.js";
import type { UuidSource } from "./values/ids.js";
import type { WebhookOptions } from "./webhooks/options.js";

/** These options make a service. */
export interface LoyaltyOptions<Client = unknown> {
  /** The storage keeps everything. The service closes it. */
  readonly storage: StorageAdapter<Client>;
  /** A pass's QR value is this text and its code. It has no query or fragment; `https://pass.invalid` unless given. */
  readonly shortLinkBase?: string;
  /**
   * Codes were printed behind these texts before. `lookup` takes such QR values too, and those of a trial on this machine,
   * `http://localhost` with any port and the path `/c`.
   */
  readonly previousShortLinkBases?: readonly string[];
  /**
   * Seal what is stored of secrets that must be read to be used, such as those of webhook endpoints: each of at least 32
   * bytes. The first seals, the others open what was sealed with them; see {@link LoyaltyService.secrets}. Unless given,
   * such secrets are stored as they are.
   */
  readonly secretKeys?: readonly string[];
  /** Tells the time, in milliseconds since 1970. That of the system unless given. */
  readonly clock?: Clock;
  /** The tracer gets every call, request and delivery: see `openTelemetry` of `loyalty-kit/opentelemetry`. None unless given. */
  readonly tracer?: Tracer;
  /** Makes the UUIDs of new ids; UUIDv7 unless given. */
  readonly uuid?: UuidSource;
  /** `false` keeps no events to be read again, which saves writing them. Default: `true`. */
  readonly outbox?: boolean;
  /** These options say where webhooks may go, and who hears of endpoints that are given up. */
  readonly webhooks?: WebhookOptions;
  /** These limits bound what each organization may have. */
  readonly limits?: OrganizationLimits;
  /** These options say how long events, deliveries and answers to calls with idempotency keys are kept. */
  readonly retention?: RetentionOptions;
  /**
   * Makes the pictures of designs anew before they are kept. Unless given, that of `createWallets`; without any, and with `null`,
   * they are kept as they were sent, but for what is no part of the picture.
   */
  readonly pictureDecoder?: PictureDecoder | null;
  /**
   * Whether keys that the library does not know are refused (`validation_failed`, naming them) in what this process gives
   * it: options, inputs and queries. The default is `true`; with `false` they are ignored, as they are over HTTP. A resource's own
   * fields, such as `id`, are accepted and ignored.
   */
  readonly strict?: boolean;
  /** `onError` gets what event listeners throw and what fails beside any caller's path. It writes to the console unless given. */
  readonly onError?: ErrorListener;
}

export interface CallerOptions {
  readonly scopes?: readonly Scope[];
  readonly signal?: AbortSignal | undefined;
  /** The user, by service id or external id, whom the caller is. */
  readonly user?: string;
  /**
   * Events, ledgers and the audit trail record this actor with each change. With `scopes`, an actor whose `id` is one of an API token or a
   * person of the organization, or whose `session` is a grant, is looked up in the transaction of each change: the change fails with
   * `unauthorized` once the row is gone, and with `access_denied` once it lacks what the change needs.
   */
  readonly actor?: ActorInput;
  /**
   * The session that the caller came by, where several have the same actor. For an idempotency key an answer that tells a new
   * secret is replayed to the same actor of the same session alone.
   */
  readonly session?: string;
  /** `true` refuses unknown keys; the service's own setting holds unless given. */
  readonly strict?: boolean;
}

export interface ManagedTransactionOptions {
  /** A transaction is rolled back after this many milliseconds; 10,000 unless given. */
  readonly timeoutMs?: number;
}

const ofService = keysBeside<LoyaltyOptions>({
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
const ofWebhooks = keysBeside<WebhookOptions>({ allowLoopback: true, onDisabled: true, random: true });
const ofRetention = keysBeside<RetentionOptions>(retentionBounds);
const ofLimits = keysBeside<OrganizationLimits>(limitsOf());
/** The keys of a caller's options that are none. */
export const unknownOfCaller = keysBeside<CallerOptions>({
  scopes: true,
  signal: true,
  user: true,
  actor: true,
  session: true,
  strict: true,
});

/** The keys of a service's options that are none, by their paths, such as `limits.tag`. */
export function unknownOptions(options: LoyaltyOptions): string[] {
  const { webhooks, limits, retention } = options;
  return [
    ...ofService(options),
    ...ofWebhooks(webhooks).map((key) => `webhooks.${key}`),
    ...ofLimits(limits).map((key) => `limits.${key}`),
    ...ofRetention(retention).map((key) => `retention.${key}`),
  ];
}
