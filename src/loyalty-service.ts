import { AsyncResource } from "node:async_hooks";
import { hostActor, parseActor } from "./access/actor-schema.js";
import { TokenVerifier } from "./access/token-verifier.js";
import { isPromise } from "./base/concurrency/step.js";
import { assertSameVersion, INTERNALS, markVersion } from "./base/copies.js";
import { validationFailed } from "./base/errors.js";
import { type EventType, eventTypes, isEventType } from "./base/event-types.js";
import type { Scope } from "./base/scopes.js";
import { missingThreads } from "./base/signals.js";
import { assertNoUnknownKeys, findNearestWord } from "./base/unknown-keys.js";
import { JumpDetectingClock, systemClock } from "./base/values/clock.js";
import { isOrganizationId, MAX_ORGANIZATION_ID_LENGTH, uuidV7 } from "./base/values/ids.js";
import { CallerRights, findRowId, type Principal } from "./kernel/caller-rights.js";
import { Channels, type Engine, RunningChanges } from "./kernel/engine.js";
import { EventDelivery } from "./kernel/events/event-delivery.js";
import { type AnyEventListener, type EventListener, guardListener } from "./kernel/events/event-emitter.js";
import { Outbox } from "./kernel/events/outbox.js";
import { parseServiceConfig } from "./kernel/limits.js";
import { assertArguments, optionsArgument as callOptions } from "./kernel/operation-arguments.js";
import { WorkQueues } from "./kernel/queues.js";
import { RowSecrets } from "./kernel/row-secrets.js";
import { SegmentClock } from "./kernel/segment-clock.js";
import { type Caller, createBackendParts, createCallContext, Tenant } from "./kernel/tenant.js";
import {
  type CallerOptions,
  findUnknownCallerOptions,
  findUnknownOptions,
  type LoyaltyOptions,
  type ManagedTransactionOptions,
} from "./loyalty-options.js";
import { Organization } from "./organization.js";
import { SealedSecrets } from "./sealed-secrets.js";
import type { RefreshOptions, RefreshResult } from "./segments/follower.js";
import { ServiceInternals } from "./service-internals.js";
import {
  type HostSupport,
  type ManagedTransaction,
  requireHostSupport,
  requireSyncHostSupport,
} from "./storage/storage-adapter.js";
import { resolveWebhookSettings } from "./webhooks/options.js";

/** The service's running and queued work in this process. */
export interface ServiceLoad {
  /** Number of changes in progress, including changes that are waiting for the storage. */
  readonly changesUnderWay: number;
  /** Number of queued reads that might scan all of an organization's data. */
  readonly costlyReadsQueued: number;
  /** Number of queued changes that affect many rows. */
  readonly largeChangesQueued: number;
}

/** A function that opens an organization whose calls run in the managed transaction. */
export type OpenJoinedOrganization = (id: string, options?: CallerOptions) => Organization;

const DEFAULT_TIMEOUT_MS = 10_000;

const AsyncFunction = (async () => {}).constructor;
const ASYNC_TASK_MESSAGE =
  "runBetweenTransactions accepts only a synchronous task; for an asynchronous one, use transaction()";

/**
 * The loyalty engine running in this process.
 * @typeParam Client the type of the connection that {@link LoyaltyService.transaction} provides. `SqliteLoyalty` in
 *   `loyalty-kit/sqlite` and `PostgresLoyalty` in `loyalty-kit/postgres` set it.
 * @example
 * import { LoyaltyService } from "loyalty-kit";
 * import { sqliteStorage } from "loyalty-kit/sqlite";
 *
 * const loyalty = new LoyaltyService({ storage: await sqliteStorage("cafe.db") });
 * const cafe = loyalty.organization("cafe");
 * const anna = await cafe.users.create({ email: "anna@example.com", name: "Anna" });
 */
export class LoyaltyService<Client = unknown> {
  private readonly engine: Engine;
  private readonly runManaged: HostSupport<Client>["runManaged"];
  private readonly tokens: TokenVerifier;
  private readonly internals: ServiceInternals;
  private readonly removeThreadListener: () => void;
  private readonly isStrict: boolean;

  /**
   * @throws {TypeError} if `storage` isn't a storage adapter, for example because it's a promise that wasn't awaited.
   * @throws {RangeError} if a limit or key is invalid.
   * @throws {LoyaltyError} `validation_failed` for unknown options, unless `strict` is `false`.
   */
  constructor(options: LoyaltyOptions<Client>) {
    if (typeof options?.storage?.transaction !== "function") {
      throw new TypeError("storage must be a StorageAdapter, not a promise of one: await it");
    }
    assertSameVersion(options.storage, "storage");
    markVersion(this);
    this.isStrict = options.strict ?? true;
    if (this.isStrict) assertNoUnknownKeys(findUnknownOptions(options));
    const { storage } = options;
    this.runManaged = async (work, timeoutMs) => requireHostSupport(storage).runManaged(work, timeoutMs);
    const onError = guardListener(options.onError ?? ((error) => console.error(error)));
    this.removeThreadListener = missingThreads.on(onError);
    const jumpDetectingClock = new JumpDetectingClock(
      options.clock ?? systemClock,
      // With an injected clock, only that clock determines how much time has passed.
      options.clock === undefined ? () => performance.now() : () => 0,
    );
    const clock = jumpDetectingClock.now;
    const webhooks = resolveWebhookSettings(options.webhooks);
    const config = parseServiceConfig(options, webhooks.allowLoopback);
    const outbox = options.outbox === false ? null : new Outbox(storage, clock, onError, config.retention);
    this.engine = {
      storage,
      clock,
      uuid: options.uuid ?? uuidV7,
      tracer: options.tracer ?? null,
      secrets: new RowSecrets(options.secretKeys ?? []),
      config,
      delivery: new EventDelivery(storage, outbox, onError),
      changes: new RunningChanges(storage, onError),
      queues: new WorkQueues(options.pictureDecoder),
      channels: new Channels(),
      segmentClock: new SegmentClock(jumpDetectingClock, onError),
    };
    this.tokens = new TokenVerifier(this.engine);
    this.internals = new ServiceInternals(createBackendParts(this.engine), webhooks, onError);
    Object.defineProperty(this, INTERNALS, { value: this.internals, configurable: true });
  }

  /**
   * Returns the API for an organization. Organizations can't see each other's data. An organization comes into existence with its
   * first write, so a mistyped ID yields an empty organization rather than an error.
   * @param id the organization's ID, chosen by the host. 1 to 100 characters.
   * @param options `scopes` restricts which calls are allowed, as a token's scopes would. Without `scopes`, the caller is trusted
   *   code. Aborting `signal` stops long reads, which then reject with the signal's abort reason. Changes always run to completion.
   *   With `user`, the caller can see only this user's profile, tags, cards, and stamps, within the scopes. Other users aren't
   *   found, and all other calls fail with `access_denied`. `actor` is recorded with each change, and defaults to the host's own
   *   code (`kind: "library"`). `session` identifies the caller's session. See {@link CallerOptions}.
   * @throws {LoyaltyError} `validation_failed` if `id`, `user`, `scopes`, or a field of `actor` is invalid, or, if the service is
   *   strict, if an option is unknown.
   */
  organization(id: string, options: CallerOptions = {}): Organization {
    if (!isOrganizationId(id)) {
      throw validationFailed({
        organizationId: `must be a text of 1 to ${MAX_ORGANIZATION_ID_LENGTH} characters`,
      });
    }
    assertArguments([callOptions()], [options]);
    // Treating an invalid user as absent would let the caller see all users.
    if ("user" in options && (typeof options.user !== "string" || options.user === "")) {
      throw validationFailed({ user: "must be the id of a user" });
    }
    const isStrict = options.strict ?? this.isStrict;
    if (isStrict) assertNoUnknownKeys(findUnknownCallerOptions(options));
    const scopes = options.scopes === undefined ? "all" : parseScopes(options.scopes);
    const actor = options.actor === undefined ? hostActor : parseActor(options.actor);
    const { user = null, session = null } = options;
    const caller: Caller = options;
    const callContext = createCallContext({ caller, user, session, actor, isStrict });
    const proof = { session, credential: caller.credential ?? null };
    const rights =
      scopes === "all" ? scopes : new CallerRights(scopes, findRowId(actor.visible, session), proof);
    return new Organization(new Tenant(this.engine, id, rights, callContext));
  }

  /**
   * Runs your own statements and loyalty changes in one transaction. The transaction queues behind the library's other writes,
   * commits when `work` resolves, and rolls back when `work` rejects. Inside `work`, make all loyalty changes through the
   * `organization` function, or join them to `tx`. If you await any other change there, the call deadlocks, because the change
   * waits for this transaction to end.
   * @param work a function that receives the transaction and a function that opens organizations within it. The transaction's
   *   `client` is a connection from the storage's driver, and is usable until `work` ends.
   * @throws whatever `work` throws.
   * @throws {LoyaltyError} `storage_unavailable` if the database stays busy, the queue is full, or `work` takes longer than
   *   `timeoutMs`.
   * @throws {TypeError} if the storage is in memory.
   */
  transaction<T>(
    work: (tx: ManagedTransaction<Client>, organization: OpenJoinedOrganization) => Promise<T>,
    { timeoutMs = DEFAULT_TIMEOUT_MS }: ManagedTransactionOptions = {},
  ): Promise<T> {
    // The end of the previous transaction starts this one, so bind it to the caller's async context.
    const boundWork = AsyncResource.bind(work);
    return this.runManaged(
      (tx) => boundWork(tx, (id, options) => this.organization(id, options).joining(tx)),
      timeoutMs,
    );
  }

  /**
   * Runs a synchronous function while the library has no open transaction in this process. Use this method to run a
   * `better-sqlite3` or Drizzle transaction that you pass to `joiningSync`.
   * @returns the function's return value.
   * @throws whatever the function throws.
   * @throws {LoyaltyError} `storage_unavailable` if the queue is full.
   * @throws {TypeError} if the storage isn't SQLite, or if the function returns a promise, because the library wouldn't wait for
   *   it.
   */
  async runBetweenTransactions<T>(task: () => T): Promise<T> {
    const { runBetweenTransactions } = requireSyncHostSupport(this.engine.storage);
    if (task instanceof AsyncFunction) throw new TypeError(ASYNC_TASK_MESSAGE);
    return runBetweenTransactions(() => {
      const result = task();
      if (isPromise(result)) throw new TypeError(ASYNC_TASK_MESSAGE);
      return result;
    });
  }

  /**
   * Listens for events in all organizations. Pass one type, several types, or `"*"` for every type. Listeners are called after the
   * commit, in commit order within each organization. The event's data is the same object that is returned to the code that made
   * the change, so don't modify it.
   * @returns a function that ends the subscription.
   * @throws {LoyaltyError} `validation_failed` on `type` for an unknown event type.
   * @example
   * const stop = loyalty.on(["stamp.added", "reward.earned"], (event, { organizationId }) => {
   *   console.log(organizationId, event.type);
   * });
   * stop();
   */
  on<K extends EventType>(type: K, listener: EventListener<K>): () => void;
  on<K extends EventType>(types: "*" | readonly K[], listener: AnyEventListener<K>): () => void;
  on(types: EventType | "*" | readonly EventType[], listener: EventListener): () => void {
    return this.listen(types, listener);
  }

  /**
   * Like {@link on}, but calls the listener only for the next event.
   * @returns a function that ends the subscription early.
   * @throws {LoyaltyError} `validation_failed` on `type` for an unknown event type.
   */
  once<K extends EventType>(type: K, listener: EventListener<K>): () => void;
  once<K extends EventType>(types: "*" | readonly K[], listener: AnyEventListener<K>): () => void;
  once(types: EventType | "*" | readonly EventType[], listener: EventListener): () => void {
    const removeListener = this.listen(types, (event, context) => {
      removeListener();
      return listener(event, context);
    });
    return removeListener;
  }

  private listen(types: EventType | "*" | readonly EventType[], listener: EventListener): () => void {
    const listenerRemovers = parseEventTypes(types).map((type) =>
      this.engine.delivery.emitter.on(type, listener),
    );
    return () => {
      for (const removeListener of listenerRemovers) removeListener();
    };
  }

  /**
   * Returns the principal for an API token, or `null` if the token is malformed, unknown, revoked, or expired.
   * @param address the client's IP address. If it is `null`, tokens that are restricted to certain addresses are rejected.
   * @throws {LoyaltyError} `address_not_allowed` if the token can't be used from this address.
   */
  verifyApiToken(token: string, address: string | null = null): Promise<Principal | null> {
    return this.tokens.verifyApiToken(token, address);
  }

  /**
   * Returns the principal for a bearer token (an API token or an OAuth 2.0 access token), or `null` if the token is malformed,
   * unknown, revoked, or expired.
   * @param address the client's IP address, as for {@link verifyApiToken}. OAuth 2.0 access tokens work from any address.
   * @throws {LoyaltyError} `address_not_allowed` if the token can't be used from this address.
   */
  verifyToken(token: string, address: string | null = null): Promise<Principal | null> {
    return this.tokens.verify(token, address);
  }

  /** Manages the encrypted secrets in the storage. Checks that they can be decrypted, and encrypts them with a new key. */
  get secrets(): SealedSecrets {
    return new SealedSecrets(this.engine);
  }

  /**
   * Runs all due automations in all organizations, then resolves. Meant for tests, and for hosts that call it on a schedule instead
   * of running a worker. Several processes can call it at the same time, but each run is executed by only one of them.
   * @throws any storage error.
   */
  runAutomations(): Promise<void> {
    return this.internals.backends.automations.runDue();
  }

  /**
   * Re-evaluates the segments that emit events, in all organizations, and emits `segment.entered` and `segment.left`. Processes the
   * changes since the last call and every midnight that has passed, in order. First, finishes tag deletions and merges that another
   * process left incomplete, records points that have expired, and updates wallet cards whose pending points have become usable. If
   * no worker is running, call this method every minute. Any number of processes can call it at the same time, and each event is
   * still emitted only once. Resolves after this process's listeners have received the events.
   * @returns a summary of the work. `isClockRejected` is `true` if the clock jumped ahead by more than a day while the service was
   *   running. In that case, no midnights are evaluated until the clock is corrected or a call passes `acceptClock: true`.
   * @throws the first storage error that occurred for an organization, after processing the remaining organizations.
   */
  async refreshSegments(options: RefreshOptions = {}): Promise<RefreshResult> {
    const refresh = async () => {
      const { tags, points, segments } = this.internals.backends;
      await tags.finish(options.signal);
      await points.advanceAll(options.signal);
      const result = await segments.refresh(options);
      await this.engine.delivery.emitter.flush();
      return result;
    };
    return this.engine.changes.track(refresh());
  }

  /** The work that the service currently has running or queued. */
  get load(): ServiceLoad {
    const { changes, queues } = this.engine;
    return {
      changesUnderWay: changes.size,
      costlyReadsQueued: queues.costlyReads.queued,
      largeChangesQueued: queues.largeChanges.queued,
    };
  }

  /**
   * Closes the service's workers, including email and wallets, waits until the calls in progress have finished, and closes the
   * storage. A webhook that is being delivered can take up to its timeout. To wait less, close its worker first.
   */
  async close(): Promise<void> {
    const { delivery, changes, storage } = this.engine;
    // The workers and removals first, because those with a backlog would start new changes all the time.
    await Promise.all([this.internals.workers.close(), delivery.outbox?.close()]);
    await changes.whenIdle();
    await delivery.whenIdle();
    await storage.close();
    this.removeThreadListener();
  }
}

/** @throws {LoyaltyError} `validation_failed` for an unknown event type. */
function parseEventTypes(types: EventType | "*" | readonly EventType[]): readonly EventType[] {
  if (types === "*") return eventTypes;
  const uniqueTypes: readonly EventType[] = typeof types === "string" ? [types] : [...new Set(types)];
  const unknownType = uniqueTypes.find((type) => !isEventType(type));
  if (unknownType !== undefined) {
    const nearestType = findNearestWord(unknownType, eventTypes) ?? "user.created";
    throw validationFailed({
      type: `must be an event type, such as ${nearestType}, unlike "${unknownType}"`,
    });
  }
  return uniqueTypes;
}

const scopeSets = new WeakMap<object, ReadonlySet<string>>();

/**
 * Returns the scopes as a set, which is the same set for the same frozen list. Rejects a string, because iterating over it would
 * yield characters, and no character is a scope.
 */
function parseScopes(scopes: Iterable<Scope>): ReadonlySet<string> {
  if (typeof scopes !== "object" || scopes === null || !(Symbol.iterator in scopes)) {
    throw validationFailed({ scopes: "must be a list of scopes" });
  }
  const cachedSet = scopeSets.get(scopes);
  if (cachedSet !== undefined) return cachedSet;
  const set = new Set(scopes);
  if (Array.isArray(scopes) && Object.isFrozen(scopes)) scopeSets.set(scopes, set);
  return set;
}
