import { hostActor, type ResolvedActor } from "../access/actor-schema.js";
import { awaitInStep, type ProcessorTime, runStep, type Step } from "../base/concurrency/step.js";
import { accessDenied, type LoyaltyError, notFound } from "../base/errors.js";
import type { Scope } from "../base/scopes.js";
import { type IdPrefix, newId } from "../base/values/ids.js";
import { isStorable } from "../base/values/text.js";
import {
  type HostTransaction,
  requireHostSupport,
  requireSyncHostSupport,
  type StorageAdapter,
  type StorageReader,
  type StorageTransaction,
  type SyncStorage,
  type SyncTransaction,
} from "../storage/storage-adapter.js";
import { allRights, type CallerRights, type Credential, findRowId } from "./caller-rights.js";
import { type ChangeContext, ChangeTransaction, type Flush } from "./change.js";
import type { Engine } from "./engine.js";
import type { RecordEvent } from "./events/recording.js";
import { type KeyedRequest, parseKeyedCall, unwrapOutcome } from "./idempotency/idempotent-call.js";
import { type CallerIdentity, type IdempotentRun, runIdempotent } from "./idempotency/run-idempotent.js";
import { runCostlyRead } from "./queues.js";
import { traceCalls } from "./traced-calls.js";

/** A change in progress: the transaction that it writes to, and the organization that it changes. */
export interface Change {
  readonly tenant: Tenant;
  /** The ID of the tenant's organization. */
  readonly organizationId: string;
  readonly tx: StorageTransaction;
  /** Records an event, which is emitted after the commit. */
  readonly record: RecordEvent;
  readonly flush: Flush;
}

/** A function that makes a change, as a step within the change's transaction. It can run more than once. */
export type ChangeWork<T> = (change: Change) => Step<T>;

/**
 * A function that carries out one part of a change that is too large for a single transaction.
 * @param before the combined result of the preceding parts.
 */
export type ChangeBatch<T> = (change: Change, before: T) => Step<T>;

/** A function that determines whether a change might affect thousands of rows, or `null` if the change never does. */
export type IsLarge = (() => Promise<boolean>) | null;

export interface Caller {
  /**
   * A signal that aborts when the caller stops waiting. Only long calls read this property, because reading it might create the
   * signal.
   */
  readonly signal?: AbortSignal | undefined;
  /** Measures the processor time that the caller's reads and changes use. */
  readonly time?: ProcessorTime | undefined;
  /**
   * The credential that the caller presented. The caller loses its rights when the credential becomes invalid. Omitted if the
   * credential is known only to the host.
   */
  readonly credential?: Credential | undefined;
}

export interface CallContext {
  /** Whether changes are made in a host transaction. */
  readonly isJoining: boolean;
  /** The host's transaction if it is synchronous, or `null` otherwise. */
  readonly sync: SyncStorage | null;
  /**
   * The idempotent call that all changes belong to, `null` if the current call has no idempotency key, or `undefined` if each
   * change can have its own key.
   */
  readonly idempotentRun: IdempotentRun | null | undefined;
  readonly caller: Caller;
  /** The caller's service ID or external ID if the caller is a user. Otherwise, `null`. */
  readonly user: string | null;
  /** The host's ID for the caller's session, or `null` if the host provides none. */
  readonly session: string | null;
  /** The actor that the caller authenticated as, even if changes are attributed to another actor. */
  readonly callingActor: ResolvedActor;
  /** The actor that changes are attributed to. */
  readonly actor: ResolvedActor;
  /** Whether unknown keys are rejected rather than ignored. */
  readonly isStrict: boolean;
}

/** Creates the context for a caller's calls. By default, the caller is the host's own code. */
export function createCallContext({
  caller = {},
  user = null,
  session = null,
  actor = hostActor,
  isStrict = false,
}: Partial<Omit<CallContext, "callingActor">> = {}): CallContext {
  // One is created per request, and V8 creates an object with named fields many times faster than one with a spread.
  return {
    isJoining: false,
    sync: null,
    idempotentRun: undefined,
    caller,
    user,
    session,
    callingActor: actor,
    actor,
    isStrict,
  };
}

/** An organization as seen by one caller: the engine, the organization's ID, and the caller's rights. */
export class Tenant {
  private readonly rights: CallerRights;

  /** @param rights the caller's rights, or `all` for trusted code, such as the service's own workers. */
  constructor(
    readonly engine: Engine,
    readonly organizationId: string,
    rights: CallerRights | "all",
    private readonly mode: CallContext = createCallContext(),
  ) {
    this.rights = rights === "all" ? allRights : rights;
  }

  /**
   * Returns a copy of this tenant whose reads and changes run in the host's transaction.
   * @throws {TypeError} if the storage can't join transactions.
   */
  joining(host: HostTransaction): Tenant {
    const { engine, organizationId, rights, mode } = this;
    const storage = requireHostSupport(engine.storage).joining(host);
    return new Tenant({ ...engine, storage }, organizationId, rights, { ...mode, isJoining: true });
  }

  /**
   * Returns a copy of this tenant whose reads and changes run in the host's synchronous transaction.
   * @throws {TypeError} if the storage can't join synchronous transactions.
   */
  joiningSync(host: SyncTransaction): Tenant {
    const { engine, organizationId, rights, mode } = this;
    const sync = requireSyncHostSupport(engine.storage).joining(host);
    return new Tenant(engine, organizationId, rights, { ...mode, isJoining: true, sync });
  }

  /**
   * Returns a copy of this tenant for one call. Changes made through the copy use the call's idempotency key and ignore any key of
   * their own.
   * @param answering the idempotent call, or `null` for a call without a key.
   */
  withIdempotentRun(answering: IdempotentRun | null): Tenant {
    return new Tenant(this.engine, this.organizationId, this.rights, {
      ...this.mode,
      idempotentRun: answering,
    });
  }

  /** Returns a copy of this tenant for a single call, so that the scopes that the call needs are tracked separately. */
  ofCall(): Tenant {
    const { engine, organizationId, rights, mode } = this;
    return rights.granted === "all" ? this : new Tenant(engine, organizationId, rights.ofCall(), mode);
  }

  /** Returns a copy of this tenant that attributes its changes to the given actor. */
  actingAs(actor: ResolvedActor): Tenant {
    return new Tenant(this.engine, this.organizationId, this.rights, { ...this.mode, actor });
  }

  /** The actor that changes are attributed to. */
  get actor(): ResolvedActor {
    return this.mode.actor;
  }

  /**
   * The ID of the API token, staff member, or grant that is acting, or `null` if the actor is none of these. New resources are
   * stored with this ID as their creator.
   */
  get creatorId(): string | null {
    return findRowId(this.mode.actor.visible, this.mode.session);
  }

  /** Identifies the caller for idempotent calls, so that a stored result is replayed only to the same caller. */
  get identity(): CallerIdentity {
    const { kind, id, subject } = this.mode.callingActor.visible;
    const { user, session } = this.mode;
    const { granted } = this.rights;
    const scopes = granted === "all" ? granted : [...granted];
    return { kind, id, subject, user, session, scopes };
  }

  /** Whether unknown keys in inputs are rejected rather than ignored. */
  get isStrict(): boolean {
    return this.mode.isStrict;
  }

  /** Whether the caller is a user, who can access only their own data. */
  get isOfUser(): boolean {
    return this.mode.user !== null;
  }

  /** Whether changes are made in a host transaction. */
  get isJoining(): boolean {
    return this.mode.isJoining;
  }

  /** Returns the given calls, wrapped in spans if the service has a tracer. */
  traced<Calls extends object>(resource: string, calls: Calls): Calls {
    const { tracer } = this.engine;
    return tracer === null ? calls : traceCalls(calls, resource, this.organizationId, tracer);
  }

  get storage(): StorageAdapter {
    return this.engine.storage;
  }

  /** The organization's reads outside a transaction and a snapshot. */
  get reader(): StorageReader {
    return this.engine.storage.reader(this.organizationId);
  }

  /** The hashed idempotency keys of calls that are running in this process. */
  get runningKeyHashes(): Set<string> {
    return this.engine.changes.keyHashes;
  }

  /**
   * Runs reads against a single snapshot.
   * @param isCostly whether the reads might cover the whole organization. If so, they queue with other costly reads, can run on a
   *   replica, and end early if the caller aborts. The caller's rights are checked again when the reads leave the queue and, for a
   *   list that is read in parts, before each part.
   * @param isCurrent whether the reads need the latest commit, which a replica might not have yet.
   * @throws whatever `readWithoutTiming` throws, the caller's abort reason, `storage_unavailable` if the queue is full, or
   *   `unauthorized` or `access_denied` if the caller has lost its rights.
   */
  read<T>(
    readWithoutTiming: (reader: StorageReader) => Step<T>,
    isCostly = false,
    isCurrent = false,
  ): Promise<T> {
    const { engine, organizationId, rights } = this;
    const { isJoining, caller } = this.mode;
    const work = this.withTiming(readWithoutTiming);
    if (!isCostly) return this.storage.snapshot(organizationId, work);
    const options = { signal: caller.signal, mayLag: !isCurrent };
    // A host transaction blocks other transactions, so it must not queue behind them.
    return isJoining
      ? this.storage.snapshot(organizationId, work, options)
      : runCostlyRead(engine, organizationId, work, { ...options, rights });
  }

  /**
   * Runs a function and attributes its processor time to the caller.
   * @throws whatever the function throws.
   */
  measureTime<T>(work: () => T): T {
    const { time } = this.mode.caller;
    return time === undefined ? work() : time.slice(work);
  }

  now(): number {
    return this.engine.clock();
  }

  newId(prefix: IdPrefix): string {
    return newId(prefix, this.engine.uuid);
  }

  hasScope(scope: Scope): boolean {
    return this.rights.holds(scope);
  }

  /**
   * Returns an `access_denied` error for the first scope that the caller lacks, or `null` if the caller has all of them.
   * @param isForUsers whether the call accesses a single user's data, so that a caller who is a user is allowed to make it. If
   *   `false`, a caller who is a user lacks every scope.
   */
  findAccessError(scopes: readonly Scope[], isForUsers: boolean): LoyaltyError | null {
    const isUserDenied = this.mode.user !== null && !isForUsers;
    // The host's own code has every scope.
    if (this.rights.granted === "all" && !isUserDenied) return null;
    for (const scope of scopes) if (isUserDenied || !this.hasScope(scope)) return accessDenied(scope);
    return null;
  }

  /**
   * Checks that the caller has all of the given scopes.
   * @throws {LoyaltyError} the error that {@link Tenant.findAccessError} returns.
   */
  require(scopes: readonly Scope[], isForUsers = false): void {
    const error = this.findAccessError(scopes, isForUsers);
    if (error !== null) throw error;
  }

  /**
   * Reads the caller's rights from the storage again and checks that they still include the given scopes.
   * @throws {LoyaltyError} `unauthorized`, or `access_denied` for the first scope that the caller lacks.
   */
  async confirm(scopes: readonly Scope[]): Promise<void> {
    const { engine, organizationId, rights, reader } = this;
    this.require(scopes, true);
    if (rights.hasRow) await runStep(rights.renew(reader, organizationId, engine.clock()));
  }

  /**
   * Checks that a caller who is a user accesses only their own data. Any other caller passes the check.
   * @param userId the service ID of the user whose data is requested.
   * @param resource the type of the requested resource.
   * @param value the ID that the caller sent for the resource. It appears in the error message.
   * @throws {LoyaltyError} `resource_not_found` if the caller is a different user.
   */
  *assertOwn(
    reader: StorageReader,
    userId: string,
    resource: "user" | "wallet_pass",
    value: string,
  ): Step<void> {
    const { user } = this.mode;
    if (user === null || user === userId) return;
    const owner = isStorable(user) ? yield* reader.findUserByExternalId(user) : null;
    if (owner?.id !== userId) throw notFound(resource, value, this.organizationId);
  }

  /**
   * Runs a change in one transaction. After the commit, emits the change's events in the order in which they were recorded.
   * @param request the caller's input. If it has an idempotency key, the change is made only once.
   * @throws {LoyaltyError} `idempotency_key_in_use`, `idempotency_key_reused`, or, if the key is invalid, `validation_failed` or
   *   `wrong_param_type`.
   */
  async change<T>(request: KeyedRequest, work: ChangeWork<T>, isLarge: IsLarge = null): Promise<T> {
    const call = this.mode.idempotentRun === undefined ? parseKeyedCall(this.organizationId, request) : null;
    if (call === null) return this.commit(work, isLarge);
    return unwrapOutcome(
      (await runIdempotent(this, call, (run) => this.withIdempotentRun(run).commit(work, isLarge))).outcome,
    );
  }

  /**
   * Like {@link change}, but first runs a slow preparation step outside the transaction.
   * @param prepare the preparation step. It runs at most once, and is skipped if the result of an earlier call with the same key
   *   is already stored.
   */
  async changeAfter<P, T>(
    prepare: () => Promise<P>,
    request: KeyedRequest,
    work: (prepared: P, change: Change) => Step<T>,
  ): Promise<T> {
    const prepareAndChange = async (tenant: Tenant) => {
      const prepared = await prepare();
      return tenant.commit((change) => work(prepared, change), null);
    };
    const call = this.mode.idempotentRun === undefined ? parseKeyedCall(this.organizationId, request) : null;
    if (call === null) return this.engine.changes.track(prepareAndChange(this));
    const result = runIdempotent(this, call, (run) => prepareAndChange(this.withIdempotentRun(run)));
    return unwrapOutcome((await this.engine.changes.track(result)).outcome);
  }

  /** Like {@link change}, but runs the change as a step. In a synchronous host transaction, the step never waits. */
  *changeStep<T>(request: KeyedRequest, work: ChangeWork<T>): Step<T> {
    const { sync } = this.mode;
    return sync === null
      ? yield* awaitInStep(this.change(request, work))
      : this.changeSync(sync, request, work);
  }

  /**
   * Like {@link changeStep}, but first looks for the result of a change that has been made before, so that repeating it needs no
   * transaction. In a host transaction and with an idempotency key, only runs the change.
   * @param findResult returns the result of a change that would change nothing, or `null` if it might change something.
   */
  *changeUnlessRepeated<T>(
    request: KeyedRequest,
    findResult: (reader: StorageReader) => Step<T | null>,
    work: ChangeWork<T>,
  ): Step<T> {
    const { isJoining, idempotentRun } = this.mode;
    const isKeyed =
      idempotentRun === undefined
        ? parseKeyedCall(this.organizationId, request) !== null
        : idempotentRun !== null;
    const result = isJoining || isKeyed ? null : yield* this.readStep(findResult);
    return result ?? (yield* this.changeStep(request, work));
  }

  /** Like {@link read}, but runs the reads as a step. In a synchronous host transaction, the step never waits. */
  *readStep<T>(work: (reader: StorageReader) => Step<T>): Step<T> {
    const { sync } = this.mode;
    return sync === null ? yield* awaitInStep(this.read(work)) : sync.snapshot(this.organizationId, work);
  }

  /**
   * Runs a change in several transactions, so that other changes can run in between. If a part fails, the earlier parts stay
   * committed. Each organization runs only one such change at a time. The idempotency key is stored with the last part. Repeating
   * an interrupted call therefore runs the whole change again, so every part must be safe to repeat.
   * @param slices a function that returns at least one part. It is called when the change leaves the queue.
   * @throws {LoyaltyError} any error that {@link change} throws, or `storage_unavailable` if the queue is full.
   */
  async changeInBatches<T>(
    request: KeyedRequest,
    start: T,
    slices: () => Promise<readonly ChangeBatch<T>[]>,
  ): Promise<T> {
    const { engine, organizationId, mode } = this;
    const runInQueue = (tenant: Tenant) =>
      engine.queues.largeChanges.run(organizationId, async () => tenant.runBatches(start, await slices()), {
        signal: mode.caller.signal,
      });
    const call = mode.idempotentRun === undefined ? parseKeyedCall(organizationId, request) : null;
    if (call === null) return engine.changes.track(runInQueue(this));
    const result = runIdempotent(this, call, (run) => runInQueue(this.withIdempotentRun(run)));
    return unwrapOutcome((await engine.changes.track(result)).outcome);
  }

  /** @throws {TypeError} if the request has an idempotency key, because its outcome may have to be awaited. */
  private changeSync<T>(sync: SyncStorage, request: KeyedRequest, work: ChangeWork<T>): T {
    if (parseKeyedCall(this.organizationId, request) !== null) {
      throw new TypeError("a synchronous transaction doesn't support idempotency keys");
    }
    return this.#createTransaction(work).joinSync(sync);
  }

  private async runBatches<T>(initialResult: T, batches: readonly ChangeBatch<T>[]): Promise<T> {
    let result = initialResult;
    for (const [index, batch] of batches.entries()) {
      const previousResult = result;
      const tenant = index === batches.length - 1 ? this : this.withIdempotentRun(null);
      result = await tenant.commit((change) => batch(change, previousResult), null);
    }
    return result;
  }

  private commit<T>(work: ChangeWork<T>, isLarge: IsLarge): Promise<T> {
    const change = this.#createTransaction(work);
    const commit =
      isLarge === null
        ? change.commit(false)
        : isLarge().then((isLargeChange) => change.commit(isLargeChange));
    return this.engine.changes.track(commit);
  }

  #createTransaction<T>(work: ChangeWork<T>): ChangeTransaction<T> {
    return new ChangeTransaction(this.changeContext, (tx, record, flush) =>
      work({ tenant: this, organizationId: this.organizationId, tx, record, flush }),
    );
  }

  private withTiming<Args extends unknown[], T>(
    work: (...args: Args) => Step<T>,
  ): (...args: Args) => Step<T> {
    const { time } = this.mode.caller;
    return time === undefined ? work : (...args) => time.step(() => work(...args));
  }

  private get changeContext(): ChangeContext {
    const { engine, organizationId } = this;
    const { rights } = this;
    const { actor, idempotentRun = null, isJoining, caller } = this.mode;
    return { engine, organizationId, rights, actor, idempotentRun, isJoining, time: caller.time };
  }
}

/**
 * The service components available to a backend, which doesn't act on behalf of a caller. Each backend picks the ones that it
 * needs.
 */
export interface BackendParts extends Engine {
  /** Opens an organization as trusted code. By default, changes are attributed to the host's own code. */
  readonly openTenant: (organizationId: string, actor?: ResolvedActor) => Tenant;
}

export function createBackendParts(engine: Engine): BackendParts {
  return {
    ...engine,
    openTenant: (organizationId, actor) =>
      new Tenant(engine, organizationId, "all", createCallContext(actor && { actor })),
  };
}
