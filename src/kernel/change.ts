import type { ResolvedActor } from "../access/actor-schema.js";
import { yieldIfDue } from "../base/concurrency/event-loop.js";
import type { ProcessorTime, Step } from "../base/concurrency/step.js";
import type { RunInContext } from "../base/tracing.js";
import type { StorageTransaction, SyncStorage } from "../storage/storage-adapter.js";
import type { CallerRights } from "./caller-rights.js";
import type { Engine } from "./engine.js";
import { EventBuffer, type RecordEvent } from "./events/recording.js";
import { answerWith } from "./idempotency/idempotent-call.js";
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
  #end = ignoreEnd;

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
        ? (tx: StorageTransaction) => this.#runAgain(tx)
        : (tx: StorageTransaction) => time.step(() => this.#runAgain(tx));
    try {
      const result = await engine.storage.transaction(organizationId, run, { isLarge });
      idempotentRun?.markCommitted();
      if (isJoining) this.#expectCommit();
      await this.#end(true);
      return result;
    } catch (error) {
      await this.#end(false);
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
  *#runAgain(tx: StorageTransaction): Step<T> {
    const { engine, rights, idempotentRun, isJoining } = this.context;
    if (this.#end !== ignoreEnd) yield this.#end(false);
    this.#end = ignoreEnd;
    const recording = yield* this.#begin(tx);
    if (idempotentRun !== null) yield* idempotentRun.begin(tx);
    const result = yield* this.#run(tx, recording);
    if (idempotentRun !== null) yield* idempotentRun.saveOutcome(tx, answerWith(result), rights.needed);
    if (!isJoining) this.#end = engine.delivery.reserve(recording);
    return result;
  }

  *#runJoined(tx: StorageTransaction): Step<T> {
    return yield* this.#run(tx, yield* this.#begin(tx));
  }

  *#begin(tx: StorageTransaction): Step<EventBuffer> {
    const { engine, organizationId, rights, actor } = this.context;
    if (rights.hasRow) yield* rights.renew(tx, organizationId, engine.clock());
    const recording = new EventBuffer(engine, organizationId, actor, this.#runInContext);
    this.#eventBuffer = recording;
    return recording;
  }

  *#run(tx: StorageTransaction, recording: EventBuffer): Step<T> {
    const { work } = this;
    const result = yield* work(tx, recording.record, () => flush(tx, recording));
    yield* recording.write(tx);
    return result;
  }

  #expectCommit(): void {
    if (this.#eventBuffer !== null) this.context.engine.delivery.awaitHostCommit(this.#eventBuffer);
  }
}

function* flush(tx: StorageTransaction, recording: EventBuffer): Step<void> {
  yield* recording.write(tx);
  yield* yieldIfDue();
}

/** The end of a change that has reserved no place in the commit order. */
const ignoreEnd = async (_isCommitted: boolean): Promise<void> => {};
