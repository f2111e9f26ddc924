import { runStep, type Step } from "../../base/concurrency/step.js";
import { createLoyaltyError } from "../../base/errors.js";
import type { Scope } from "../../base/scopes.js";
import {
  containsSecret,
  hashIdentity,
  openOutcome,
  sealOutcome,
} from "../../base/secrets/idempotency-seal.js";
import type { StoredIdempotencyRecord } from "../../storage/idempotency-records.js";
import type { StorageAdapter, StorageReader, StorageTransaction } from "../../storage/storage-adapter.js";
import {
  type CallOutcome,
  findUserOfOutcome,
  type IdempotentCall,
  listenForLinkedUser,
  toOutcome,
  toSavedFailure,
} from "./idempotent-call.js";

/** Maximum number of expired records that are removed with each new one, so that they never pile up. */
const MAX_REMOVALS_PER_INSERT = 2;

/** Maximum number of records that each new one removes to free up space: a long record may follow many short ones. */
const MAX_REMOVALS_FOR_SPACE = 500;

/** The caller of idempotent calls, with everything needed to run or replay them. */
export interface IdempotentCaller {
  readonly organizationId: string;
  readonly storage: StorageAdapter;
  readonly identity: CallerIdentity;
  readonly engine: {
    readonly config: {
      readonly limits: { readonly idempotencyBytes: number };
      readonly retention: { readonly idempotencyMs: number };
    };
  };
  /** Whether the call's changes are part of a host transaction. */
  readonly isJoining: boolean;
  /** The hashed idempotency keys of calls that are running in this process. */
  readonly runningKeyHashes: Set<string>;
  now(): number;
  /** Runs work and charges its CPU time to the caller. */
  measureTime<T>(work: () => T): T;
  /**
   * Checks that the caller still has access and holds all of the given scopes.
   * @throws {LoyaltyError} `unauthorized` or `access_denied` if the check fails.
   */
  confirm(neededScopes: readonly Scope[]): Promise<void>;
}

/** A stored outcome. An outcome that contains a secret records its caller, and is replayed only to that caller. */
type StoredOutcome<T> = CallOutcome<T> & {
  readonly creator?: CallerFingerprint;
  /** The scopes that the call actually needed; a repeat needs them too. */
  readonly needed?: readonly Scope[];
};

/** A call's outcome, and whether an earlier call stored it. */
export interface IdempotentResult<T> {
  readonly outcome: CallOutcome<T>;
  readonly isReplayed: boolean;
}

/**
 * Runs a call only once per key, no matter how often or in which processes it is repeated. The outcome is stored in the same
 * transaction as the change, so after a crash, either both are stored or neither is. Only 404 and 409 failures are stored. Other
 * failures changed nothing, so the call can be retried. A result that contains a new secret is replayed only to the same caller.
 * A call from any other caller fails with `idempotency_key_reused`.
 * @param work a function that makes at most one change, and passes its {@link IdempotentRun} to that change.
 * @returns the outcome, and whether an earlier call stored it.
 * @throws {LoyaltyError} `idempotency_key_in_use` while another call with the key is running in this process, or
 *   `idempotency_key_reused`.
 * @throws whatever `work` throws, except failures that are stored.
 */
export async function runIdempotent<T>(
  caller: IdempotentCaller,
  call: IdempotentCall,
  work: (run: IdempotentRun) => Promise<T>,
): Promise<IdempotentResult<T>> {
  const { runningKeyHashes } = caller;
  if (runningKeyHashes.has(call.keyHash)) throw createLoyaltyError("idempotency_key_in_use");
  runningKeyHashes.add(call.keyHash);
  const run = new IdempotentRun(caller, call);
  try {
    // A host transaction must not start with a read: on SQLite it could then fail to upgrade to a write.
    const savedOutcome = caller.isJoining ? null : await replayOutcome<T>(caller, run);
    if (savedOutcome !== null) return savedOutcome;
    const outcome = await captureOutcome(() => work(run));
    await run.saveFailureAlone(outcome);
    return { outcome, isReplayed: false };
  } catch (error) {
    const savedOutcome = error instanceof AnsweredElsewhereError ? await replayOutcome<T>(caller, run) : null;
    if (savedOutcome === null) throw error;
    return savedOutcome;
  } finally {
    runningKeyHashes.delete(call.keyHash);
  }
}

/** Returns the key's stored outcome, if the caller still has the rights for the call; `null` if this is the key's first call. */
async function replayOutcome<T>(
  caller: IdempotentCaller,
  run: IdempotentRun,
): Promise<IdempotentResult<T> | null> {
  const outcome = await runStep(run.findOutcome<T>(caller.storage.reader(caller.organizationId)));
  if (outcome === null) return null;
  await caller.confirm(outcome.needed);
  return { outcome: outcome.answer, isReplayed: true };
}

async function captureOutcome<T>(work: () => Promise<T>): Promise<CallOutcome<T>> {
  try {
    return toOutcome(await work());
  } catch (error) {
    const failure = toSavedFailure(error);
    if (failure === null) throw error;
    return failure;
  }
}

/**
 * A single run of a call that has an idempotency key. Finds the key's stored outcome, or stores the outcome in the same transaction
 * as the call's change.
 */
export class IdempotentRun {
  private isCommitted = false;
  /** The first user that was linked to the call. */
  private linkedUserId: string | null = null;

  constructor(
    private readonly caller: IdempotentCaller,
    private readonly call: IdempotentCall,
  ) {}

  /**
   * Returns the key's stored outcome, or `null` if this is the first call with the key.
   * @throws {LoyaltyError} `idempotency_key_reused` if the key was used for a different request, or if its result contains a secret
   *   for a different caller.
   */
  *findOutcome<T>(
    reader: StorageReader,
  ): Step<{ readonly answer: CallOutcome<T>; readonly needed: readonly Scope[] } | null> {
    const { organizationId, engine } = this.caller;
    const { key, keyHash, fingerprint } = this.call;
    const record = yield* reader.findIdempotencyRecord(keyHash);
    if (record === null || record.createdAt <= this.caller.now() - engine.config.retention.idempotencyMs)
      return null;
    // The outcome was redacted because its user was erased, so the call must not run again.
    if (record.sealed === "") {
      const detail = { code: "resource_not_found", params: null } as const;
      return { answer: { kind: "failure", detail, missing: null }, needed: [] };
    }
    if (record.fingerprint !== fingerprint) throw createLoyaltyError("idempotency_key_reused");
    const {
      creator,
      needed = [],
      ...answer
    }: StoredOutcome<T> = this.caller.measureTime(() =>
      JSON.parse(openOutcome(organizationId, key, record.sealed)),
    );
    if (creator !== undefined && !isSameCaller(creator, this.callerFingerprint))
      throw createLoyaltyError("idempotency_key_reused");
    return { answer, needed };
  }

  /**
   * Checks that the call hasn't been completed yet. Call this at the beginning of each transaction, including retries.
   * @throws {AnsweredElsewhereError} if another process has stored an outcome since the last check.
   * @throws {TypeError} if the call has already committed a change, because only one change can be stored as its outcome.
   */
  *begin(tx: StorageTransaction): Step<void> {
    if (this.isCommitted) throw new TypeError("a call with an idempotency key can make only one change");
    if ((yield* this.findOutcome(tx)) !== null) throw new AnsweredElsewhereError();
    listenForLinkedUser(tx, (userId) => {
      this.linkedUserId ??= userId;
    });
  }

  /**
   * Stores the call's outcome in the transaction.
   * @param needed the scopes that the call checked. A caller who repeats the call also needs these scopes.
   */
  *saveOutcome(
    tx: StorageTransaction,
    callOutcome: CallOutcome<unknown>,
    needed: readonly Scope[] = [],
  ): Step<void> {
    const userId = (yield* findUserOfOutcome(tx, callOutcome)) ?? this.linkedUserId;
    const outcome: StoredOutcome<unknown> = {
      ...callOutcome,
      ...(needed.length > 0 && { needed }),
      ...(containsSecret(JSON.stringify(callOutcome)) && { creator: this.callerFingerprint }),
    };
    yield* this.putRecord(tx, JSON.stringify(outcome), userId);
  }

  /** Records that the transaction that stores the outcome was committed, so that the call can't make a second change. */
  markCommitted(): void {
    this.isCommitted = true;
  }

  /**
   * Stores a failure in a separate transaction, because the call made no change. Does nothing if the outcome is a result. In that
   * case, the call only read data, and callers with read access must not be able to fill up the storage.
   * @throws {AnsweredElsewhereError} under the same conditions as {@link begin}.
   */
  async saveFailureAlone(outcome: CallOutcome<unknown>): Promise<void> {
    if (this.isCommitted || outcome.kind === "result") return;
    await this.caller.storage.transaction(this.caller.organizationId, (tx) => this.beginAndSave(tx, outcome));
  }

  private *beginAndSave(tx: StorageTransaction, callOutcome: CallOutcome<unknown>): Step<void> {
    yield* this.begin(tx);
    yield* this.saveOutcome(tx, callOutcome);
  }

  private get callerFingerprint(): CallerFingerprint {
    return createCallerFingerprint(this.caller.identity, this.call.credential);
  }

  private *putRecord(tx: StorageTransaction, outcomeJson: string, userId: string | null): Step<void> {
    const { organizationId } = this.caller;
    const { key, keyHash, fingerprint } = this.call;
    const createdAt = this.caller.now();
    const sealedOutcome = sealOutcome(organizationId, key, outcomeJson);
    yield* putSavedOutcome(tx, this.caller, {
      keyHash,
      fingerprint,
      sealed: sealedOutcome,
      userId,
      createdAt,
    });
  }
}

/** Stores an outcome, and removes a few outcomes that have expired. */
export function* putSavedOutcome(
  tx: StorageTransaction,
  { engine }: Pick<IdempotentCaller, "organizationId" | "engine">,
  record: StoredIdempotencyRecord,
): Step<void> {
  yield* tx.putIdempotencyRecord(record);
  yield* tx.removeExpiredIdempotencyRecords(
    record.createdAt - engine.config.retention.idempotencyMs,
    MAX_REMOVALS_PER_INSERT,
  );
  yield* tx.trimIdempotencyRecords(engine.config.limits.idempotencyBytes, MAX_REMOVALS_FOR_SPACE);
}

/** Thrown to abort a call before it takes effect, because another process has already completed it. */
export class AnsweredElsewhereError extends Error {
  override readonly name = "AnsweredElsewhereError";
}

/** The values that together identify a caller. */
export interface CallerIdentity {
  /** The actor's kind, such as `token`. */
  readonly kind: string;
  /** The ID of the token or app, or `null` if there is none. */
  readonly id: string | null;
  /** The host's ID for the caller, or `null` if there is none. */
  readonly subject: string | null;
  /** The service ID or external ID of the user that the caller acts as, or `null` if the caller isn't a user. */
  readonly user: string | null;
  /** The app's grant ID or the host's session ID, or `null` if there is neither. */
  readonly session: string | null;
  readonly scopes: readonly string[] | "all";
}

/** Identifies the caller who received a response that contains a secret. The response is replayed only to that caller. */
export interface CallerFingerprint {
  /** Hashes that identify the caller. A match on any one of them is enough. Empty if the caller is unknown. */
  readonly hashes: readonly string[];
  readonly scopes: readonly string[] | "all";
}

/**
 * Creates the fingerprint for a caller.
 * @param credential a secret that only the caller knows, such as a bearer token, or `null` if there is none.
 */
export function createCallerFingerprint(
  identity: CallerIdentity,
  credential: string | null,
): CallerFingerprint {
  const { kind, id, subject, user, session, scopes } = identity;
  const isKnown = kind === "library" || [id, subject, user, session].some((field) => field !== null);
  const hashes = [
    ...(isKnown ? [hashIdentity(["known as", kind, id, subject, user, session])] : []),
    ...(credential === null ? [] : [hashIdentity(["has shown", credential])]),
  ];
  return { hashes, scopes };
}

/** Returns whether `caller` made the original call and still has at least the scopes from that call. */
export function isSameCaller(creator: CallerFingerprint, caller: CallerFingerprint): boolean {
  return (
    creator.hashes.some((hash) => caller.hashes.includes(hash)) &&
    includesAllScopes(caller.scopes, creator.scopes)
  );
}

function includesAllScopes(
  scopes: CallerFingerprint["scopes"],
  requiredScopes: CallerFingerprint["scopes"],
): boolean {
  if (scopes === "all") return true;
  return requiredScopes !== "all" && requiredScopes.every((scope) => scopes.includes(scope));
}
