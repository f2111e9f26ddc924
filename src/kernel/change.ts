import type { ResolvedActor } from "../access/actor-schema.js";
import { yieldIfDue } from "../base/concurrency/event-loop.js";
import type { ProcessorTime, Step } from "../base/concurrency/step.js";
import type { RunInContext } from "../base/tracing.js";
import type { StorageTransaction, SyncStorage } from "../storage/storage-adapter.js";
import type { CallerRights } from "./caller-rights.js";
import type { Engine } from "./engine.js";
import { EventBuffer, type RecordEvent } from "./events/recording.js";
import { toOutcome } from "./idempotency/idempotent-call.js";
import type { IdempotentRun } from "./idempotency/run-idempotent.js";

/** A function that carries out a change within its transaction. */
export type TransactionWork<T> = (tx: StorageTransaction, record: RecordEvent, flush: Flush) => Step<T>;

/**
 * Writes the events recorded so far, and yields to other tasks if a yield is due. Call it between the steps of a large change to
 * limit memory use and to avoid blocking the event loop.
 */
export type Flush = () => Step<void>;

export interface ChangeContext {
  readonly engine: Engine;
  readonly organizationId: string;
  readonly rights: CallerRights;
  readonly actor: ResolvedActor;
  /** The idempotent call whose outcome is stored with the change, or `null` if the call has no key. */
  readonly idempotentRun: IdempotentRun | null;
  /** `true` if the change is part of a host transaction. */
  readonly isJoining: boolean;
  /** Accumulates the processor time that the change uses. `undefined` if the time isn't measured. */
  readonly time: ProcessorTime | undefined;
}

/** A change that runs in one transaction and emits its events after the commit. Run it only once. */
export class ChangeTransaction<T> {
  readonly #runInContext: RunInContext | null;
  /** The events recorded by the latest run of the work. Any earlier runs were rolled back. */
  #eventBuffer: EventBuffer | null = null;
  #reportOutcome = ignoreOutcome;

  constructor(
    private readonly context: ChangeContext,
    private readonly work: TransactionWork<T>,
  ) {
    this.#runInContext = context.engine.tracer?.captureContext() ?? null;
  }

  /**
   * Runs the change in its own transaction, and emits its events after the commit.
   * @throws any error from the work or the storage.
   */
  async commit(isLarge: boolean): Promise<T> {
    const { engine, organizationId, idempotentRun, isJoining, time } = this.context;
    const run =
      time === undefined
        ? (tx: StorageTransaction) => this.#runAttempt(tx)
        : (tx: StorageTransaction) => time.step(() => this.#runAttempt(tx));
    try {
      const result = await engine.storage.transaction(organizationId, run, { isLarge });
      idempotentRun?.markCommitted();
      if (isJoining) this.#expectCommit();
      await this.#reportOutcome(true);
      return result;
    } catch (error) {
      await this.#reportOutcome(false);
      throw error;
    }
  }

  /** Runs the change like {@link commit}, but within a synchronous host transaction. */
  joinSync(sync: SyncStorage): T {
    const result = sync.transaction(this.context.organizationId, (tx) => this.#runJoined(tx));
    this.#expectCommit();
    return result;
  }

  // A method, because creating a generator function per change costs more than running it.

  /** Runs the work with a new event buffer, because a transaction can run several times before it commits. */
  *#runAttempt(tx: StorageTransaction): Step<T> {
    const { engine, rights, idempotentRun, isJoining } = this.context;
    if (this.#reportOutcome !== ignoreOutcome) yield this.#reportOutcome(false);
    this.#reportOutcome = ignoreOutcome;
    const eventBuffer = yield* this.#begin(tx);
    if (idempotentRun !== null) yield* idempotentRun.begin(tx);
    const result = yield* this.#run(tx, eventBuffer);
    if (idempotentRun !== null) yield* idempotentRun.saveOutcome(tx, toOutcome(result), rights.needed);
    if (!isJoining) this.#reportOutcome = engine.delivery.reserve(eventBuffer);
    return result;
  }

  *#runJoined(tx: StorageTransaction): Step<T> {
    return yield* this.#run(tx, yield* this.#begin(tx));
  }

  *#begin(tx: StorageTransaction): Step<EventBuffer> {
    const { engine, organizationId, rights, actor } = this.context;
    if (rights.hasRow) yield* rights.renew(tx, organizationId, engine.clock());
    const eventBuffer = new EventBuffer(engine, organizationId, actor, this.#runInContext);
    this.#eventBuffer = eventBuffer;
    return eventBuffer;
  }

  *#run(tx: StorageTransaction, eventBuffer: EventBuffer): Step<T> {
    const { work } = this;
    const result = yield* work(tx, eventBuffer.record, () => flush(tx, eventBuffer));
    yield* eventBuffer.write(tx);
    return result;
  }

  #expectCommit(): void {
    if (this.#eventBuffer !== null) this.context.engine.delivery.awaitHostCommit(this.#eventBuffer);
  }
}

function* flush(tx: StorageTransaction, eventBuffer: EventBuffer): Step<void> {
  yield* eventBuffer.write(tx);
  yield* yieldIfDue();
}

/** The end of a change that has reserved no place in the commit order. */
const ignoreOutcome = async (_isCommitted: boolean): Promise<void> => {};
