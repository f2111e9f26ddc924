import { turns } from "../concurrency/event-loop.js";
import type { Step } from "../concurrency/step.js";
import { type Recorder, Recording } from "../events/recording.js";
import type { Answering } from "../idempotency/answer-once.js";
import type { KnownActor } from "../resources/actor.js";
import type { StorageTransaction, SyncStorage } from "../storage/storage-adapter.js";
import type { Within } from "../tracing.js";
import type { Engine } from "./engine.js";
import type { ChangeWatch } from "./watching.js";

/** The work of a change is a step in its transaction, which may run more than once. */
export type Work<T> = (tx: StorageTransaction, record: Recorder, flush: Flush) => Step<T>;

/**
 * Writes what was recorded so far, and gives others a turn. Between the steps of a large change this bounds what is in
 * memory and how long the host waits.
 */
export type Flush = () => Step<void>;

/** A change belongs to an organization and an actor, and perhaps to a keyed call or a host's transaction. */
export interface ChangeContext {
  readonly engine: Engine;
  readonly organizationId: string;
  readonly actor: KnownActor;
  /** The call with an idempotency key that it answers. */
  readonly answering: Answering | null;
  /** `true` makes it part of a transaction of the host. */
  readonly isJoining: boolean;
  /** `true` tells nobody who enters and leaves segments by it. */
  readonly isSilent: boolean;
}

/** One run of a change: the storage may run it again. */
interface Run {
  readonly recording: Recording;
  readonly watch: ChangeWatch;
}

/** One change in one transaction, and its events, which are told after the commit. To be made once. */
export class Change<T> {
  readonly #within: Within | null;
  /** The events of the newest run. */
  #recording: Recording | null = null;
  #end = noEnd;

  constructor(
    private readonly context: ChangeContext,
    private readonly work: Work<T>,
  ) {
    this.#within = context.engine.tracer?.captured() ?? null;
  }

  /** @throws what the work throws, or the storage. */
  async commit(isLarge: boolean): Promise<T> {
    const { engine, organizationId, answering, isJoining } = this.context;
    try {
      const result = await engine.storage.transaction((tx) => this.#runAgain(tx), {
        isLarge,
        organizationId,
      });
      answering?.committed();
      if (isJoining) this.#expectCommit();
      await this.#end(true);
      return result;
    } catch (error) {
      await this.#end(false);
      throw error;
    }
  }

  /** {@link commit} as a part of a host's transaction that is answered at once. */
  joinSync(sync: SyncStorage): T {
    const result = sync.transaction((tx) => this.#run(this.#begun(tx)));
    this.#expectCommit();
    return result;
  }

  // Methods: a generator function that is made anew for each change costs more than what it does.

  /** The storage may run the work again; only the run that commits counts. */
  *#runAgain(tx: StorageTransaction): Step<T> {
    const { engine, organizationId, answering, isJoining } = this.context;
    if (this.#end !== noEnd) yield this.#end(false);
    this.#end = noEnd;
    const run = this.#begun(tx);
    const { recording, watch } = run;
    if (answering !== null) yield* answering.begin(watch.tx);
    const result = yield* this.#run(run);
    if (answering !== null) yield* answering.keep(watch.tx, { kind: "result", result });
    if (!isJoining) this.#end = engine.commitOrder.expect(organizationId, () => recording.committed());
    return result;
  }

  #begun(tx: StorageTransaction): Run {
    const { engine, organizationId, actor, isSilent } = this.context;
    const recording = new Recording(engine, organizationId, actor, this.#within);
    this.#recording = recording;
    return { recording, watch: engine.segments.begin(tx, { organizationId, recording, isSilent }) };
  }

  *#run({ recording, watch }: Run): Step<T> {
    const { work } = this;
    const result = yield* work(watch.tx, recording.record, () => flush(recording, watch));
    yield* watch.look();
    yield* recording.write(watch.tx);
    return result;
  }

  #expectCommit(): void {
    if (this.#recording !== null) this.context.engine.joinedChanges.add(this.#recording);
  }
}

function* flush(recording: Recording, watch: ChangeWatch): Step<void> {
  yield* watch.look();
  yield* recording.write(watch.tx);
  yield* turns();
}

/** The end of a change that has no place among the others. */
const noEnd = async (_isCommitted: boolean): Promise<void> => {};
