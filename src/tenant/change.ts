import { turns } from "../concurrency/event-loop.js";
import type { Step } from "../concurrency/step.js";
import { type Recorder, Recording } from "../events/recording.js";
import type { Answering } from "../idempotency/answer-once.js";
import type { KnownActor } from "../resources/actor.js";
import type { StorageTransaction, SyncStorage } from "../storage/storage-adapter.js";
import type { RunInContext } from "../tracing.js";
import type { Engine } from "./engine.js";
import type { ChangeWatch } from "./watching.js";

/** The work of a change is a step in its transaction, which may run more than once. */
export type Work<T> = (tx: StorageTransaction, record: Recorder, flush: Flush) => Step<T>;

/**
 * Writes what was recorded so far, and gives others a turn. Between the steps of a large change this bounds what is in
 * memory and how long the host waits.
 */
export type Flush = () => Step<void>;

/**
 * Whether somebody enters or leaves segments by a change: `silent` tells nobody of them; `none` is a change of nothing that
 * segments read, which waits for no other change of the organization to find that out.
 */
export type Moves = "told" | "silent" | "none";

/** A change belongs to an organization and an actor, and perhaps to a keyed call or a host's transaction. */
export interface ChangeContext {
  readonly engine: Engine;
  readonly organizationId: string;
  readonly actor: KnownActor;
  /** The call with an idempotency key that it answers. */
  readonly answering: Answering | null;
  /** `true` makes it part of a transaction of the host. */
  readonly isJoining: boolean;
  readonly moves: Moves;
}

/** One run of a change: the storage may run it again. */
interface Run {
  readonly recording: Recording;
  /** The transaction that the work writes to. */
  readonly tx: StorageTransaction;
  /** `null` where no segment of the organization emits events. */
  readonly watch: ChangeWatch | null;
}

/** One change in one transaction, and its events, which are told after the commit. To be made once. */
export class Change<T> {
  readonly #within: RunInContext | null;
  /** The events of the newest run. */
  #recording: Recording | null = null;
  #end = noEnd;

  constructor(
    private readonly context: ChangeContext,
    private readonly work: Work<T>,
  ) {
    this.#within = context.engine.tracer?.captureContext() ?? null;
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
    const result = sync.transaction((tx) => this.#runJoined(tx));
    this.#expectCommit();
    return result;
  }

  // Methods: a generator function that is made anew for each change costs more than what it does.

  /** The storage may run the work again; only the run that commits counts. */
  *#runAgain(tx: StorageTransaction): Step<T> {
    const { engine, organizationId, answering, isJoining } = this.context;
    if (this.#end !== noEnd) yield this.#end(false);
    this.#end = noEnd;
    const run = yield* this.#begun(tx);
    const { recording } = run;
    if (answering !== null) yield* answering.begin(run.tx);
    const result = yield* this.#run(run);
    if (answering !== null) yield* answering.keep(run.tx, { kind: "result", result });
    if (!isJoining) this.#end = engine.commitOrder.expect(organizationId, () => recording.committed());
    return result;
  }

  *#runJoined(tx: StorageTransaction): Step<T> {
    return yield* this.#run(yield* this.#begun(tx));
  }

  *#begun(tx: StorageTransaction): Step<Run> {
    const { engine, organizationId, actor, moves } = this.context;
    const recording = new Recording(engine, organizationId, actor, this.#within);
    this.#recording = recording;
    if (moves === "none" || (yield* tx.emittingSegments(organizationId)) === null)
      return { recording, tx, watch: null };
    const isSilent = moves === "silent";
    const watch = engine.segments.begin(tx, { organizationId, recording, isSilent });
    return { recording, tx: watch.tx, watch };
  }

  *#run(run: Run): Step<T> {
    const { recording, tx } = run;
    const { work } = this;
    const result = yield* work(tx, recording.record, () => flush(run));
    yield* write(run);
    return result;
  }

  #expectCommit(): void {
    if (this.#recording !== null) this.context.engine.joinedChanges.add(this.#recording);
  }
}

function* flush(run: Run): Step<void> {
  yield* write(run);
  yield* turns();
}

/** Writes what was recorded so far, behind which stands who moved by it. */
function* write({ recording, tx, watch }: Run): Step<void> {
  if (watch !== null) yield* watch.look();
  yield* recording.write(tx);
}

/** The end of a change that has no place among the others. */
const noEnd = async (_isCommitted: boolean): Promise<void> => {};
