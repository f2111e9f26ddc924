import { yieldIfDue } from "../concurrency/event-loop.js";
import type { ProcessorTime, Step } from "../concurrency/step.js";
import { EventBuffer, type RecordEvent } from "../events/recording.js";
import { answerWith } from "../idempotency/call-outcome.js";
import type { IdempotentRun } from "../idempotency/run-idempotent.js";
import type { ResolvedActor } from "../resources/actor.js";
import type { StorageTransaction, SyncStorage } from "../storage/storage-adapter.js";
import type { RunInContext } from "../tracing.js";
import type { CallerRights } from "./caller-rights.js";
import type { Engine } from "./engine.js";

/** The work of a change is a step in its transaction, which may run more than once. */
export type ChangeWork<T> = (tx: StorageTransaction, record: RecordEvent, flush: Flush) => Step<T>;

/**
 * Writes the events recorded so far and lets other changes go first. Between the steps of a large change this bounds memory and how
 * long the host waits.
 */
export type Flush = () => Step<void>;

/** A change belongs to an organization and an actor, and perhaps to a keyed call or a host's transaction. */
export interface ChangeContext {
  readonly engine: Engine;
  readonly organizationId: string;
  readonly rights: CallerRights;
  readonly actor: ResolvedActor;
  /** The call with an idempotency key that it answers. */
  readonly answering: IdempotentRun | null;
  /** `true` makes it part of a transaction of the host. */
  readonly isJoining: boolean;
  /** Counts the processor time of the change. */
  readonly time: ProcessorTime | undefined;
}

/** One change in one transaction, and its events, which are emitted after the commit. Run it once. */
export class Change<T> {
  readonly #within: RunInContext | null;
  /** The events of the newest run. */
  #recording: EventBuffer | null = null;
  #end = noEnd;

  constructor(
    private readonly context: ChangeContext,
    private readonly work: ChangeWork<T>,
  ) {
    this.#within = context.engine.tracer?.captureContext() ?? null;
  }

  /** @throws what the work throws, or the storage. */
  async commit(isLarge: boolean): Promise<T> {
    const { engine, organizationId, answering, isJoining, time } = this.context;
    const run =
      time === undefined
        ? (tx: StorageTransaction) => this.#runAgain(tx)
        : (tx: StorageTransaction) => time.step(() => this.#runAgain(tx));
    try {
      const result = await engine.storage.transaction(run, { isLarge, organizationId });
      answering?.markCommitted();
      if (isJoining) this.#expectCommit();
      await this.#end(true);
      return result;
    } catch (error) {
      await this.#end(false);
      throw error;
    }
  }

  /** {@link commit} within a synchronous host transaction. */
  joinSync(sync: SyncStorage): T {
    const result = sync.transaction((tx) => this.#runJoined(tx));
    this.#expectCommit();
    return result;
  }

  // A method, because creating a generator function for each change costs more than running it.

  /** The storage may run the work again; only the run that commits counts. */
  *#runAgain(tx: StorageTransaction): Step<T> {
    const { engine, organizationId, rights, answering, isJoining } = this.context;
    if (this.#end !== noEnd) yield this.#end(false);
    this.#end = noEnd;
    const recording = yield* this.#begin(tx);
    if (answering !== null) yield* answering.begin(tx);
    const result = yield* this.#run(tx, recording);
    if (answering !== null) yield* answering.saveOutcome(tx, answerWith(result), rights.needed);
    if (!isJoining) this.#end = engine.commitOrder.reserve(organizationId, () => recording.publish());
    return result;
  }

  *#runJoined(tx: StorageTransaction): Step<T> {
    return yield* this.#run(tx, yield* this.#begin(tx));
  }

  *#begin(tx: StorageTransaction): Step<EventBuffer> {
    const { engine, organizationId, rights, actor } = this.context;
    if (rights.hasRow) yield* rights.renew(tx, organizationId, engine.clock());
    const recording = new EventBuffer(engine, organizationId, actor, this.#within);
    this.#recording = recording;
    return recording;
  }

  *#run(tx: StorageTransaction, recording: EventBuffer): Step<T> {
    const { work } = this;
    const result = yield* work(tx, recording.record, () => flush(tx, recording));
    yield* recording.write(tx);
    return result;
  }

  #expectCommit(): void {
    if (this.#recording !== null) this.context.engine.joinedChanges.track(this.#recording);
  }
}

function* flush(tx: StorageTransaction, recording: EventBuffer): Step<void> {
  yield* recording.write(tx);
  yield* yieldIfDue();
}

/** The end of a change that has no place among the others. */
const noEnd = async (_isCommitted: boolean): Promise<void> => {};
