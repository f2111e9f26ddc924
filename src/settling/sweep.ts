import { run, type Step } from "../concurrency/step.js";
import type { Recorder } from "../events/recording.js";
import { zoneOf } from "../resources/settings.js";
import { midnightAfter } from "../segments/judged-at.js";
import { finishRecounts } from "../segments/recount.js";
import type { StoredSegment } from "../storage/saved-segments.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { Engine } from "../tenant/engine.js";
import { modeOf, Tenant } from "../tenant/tenant.js";
import { dayIn, startOfDayBefore } from "../values/calendar-days.js";
import { type Due, type Found, isThere, membersOf, moveSome, movesOf } from "./midnight.js";
import { MOST_MOVES } from "./moves.js";
import type { SegmentSettling } from "./segment-settling.js";
import { time } from "./time-moves.js";

/** So many organizations are listed at once. */
const PAGE = 200;

export interface RefreshSegmentsOptions {
  /** `true` takes the clock as it is, though it has jumped while this process ran. What it writes can't be taken back. */
  readonly acceptClock?: boolean;
  /** Once it is aborted, nothing more is begun: what is left is done by the next sweep. */
  readonly signal?: AbortSignal | undefined;
}

/** What a sweep came to. */
export interface RefreshSegmentsResult {
  /** The midnights that it was the first to bring to an end, those of each organization. */
  readonly midnights: number;
  /** The events that it recorded. */
  readonly entered: number;
  readonly left: number;
  /** `true` when time is not settled, since the clock has jumped ahead. */
  readonly isClockRejected: boolean;
}

/** Settles what time alone does to the segments of all organizations: who enters and leaves them at each midnight. */
export class SegmentSweep {
  #midnights = 0;
  #entered = 0;
  #left = 0;

  constructor(
    private readonly engine: Engine,
    private readonly settling: SegmentSettling,
    private readonly options: RefreshSegmentsOptions,
  ) {}

  /** @throws what the first organization threw that could not be settled; the others are settled all the same. */
  async run(): Promise<RefreshSegmentsResult> {
    const { engine, settling, options } = this;
    if (options.acceptClock === true) settling.accept();
    const failures: unknown[] = [];
    for (let after = ""; !this.#isOver; ) {
      const organizations = await run(engine.storage.organizationsWithSavedSegments(after, PAGE));
      for (const organizationId of organizations) {
        try {
          await this.#settle(organizationId);
        } catch (error) {
          failures.push(error);
        }
      }
      const last = organizations.at(-1);
      if (last === undefined || organizations.length < PAGE) break;
      after = last;
    }
    if (failures.length > 0) throw failures[0];
    const isClockRejected = settling.isRefused;
    return { midnights: this.#midnights, entered: this.#entered, left: this.#left, isClockRejected };
  }

  get #isOver(): boolean {
    return this.options.signal?.aborted ?? false;
  }

  async #settle(organizationId: string): Promise<void> {
    const { engine } = this;
    await finishRecounts(engine, organizationId);
    while (!this.#isOver) {
      const due = await engine.storage.snapshot((reader) => this.#due(reader, organizationId), {
        organizationId,
      });
      if (due === null) return;
      const tenant = new Tenant(engine, organizationId, "all", modeOf({ actor: time }));
      if (!(await this.#begin(tenant, due))) continue;
      if (!(await this.#settleMidnight(tenant, due))) continue;
      if (await this.#end(tenant, due)) this.#midnights += 1;
    }
  }

  /** The next midnight of an organization that is over; `null` when there is none. */
  *#due(reader: StorageReader, organizationId: string): Step<Due | null> {
    const mark = yield* reader.findSegmentWatermark(organizationId);
    if (mark === null) return null;
    const timeZone = zoneOf(yield* reader.findSettings(organizationId));
    const now = this.settling.timeFor(mark);
    const isEmpty = (yield* reader.listSegments(organizationId)).length === 0;
    const after = mark.settledThrough;
    // Where nobody can move, all midnights are one.
    const at = isEmpty ? startOfDayBefore(timeZone, now, 0) : midnightAfter(timeZone, after);
    return at > after && at <= now ? { after, at, timeZone } : null;
  }

  /**
   * Has every later change judge by the midnight, or by a later one: those that judged by an earlier one have ended. So whoever is
   * changed from now on is settled by that change.
   */
  #begin(tenant: Tenant, { after }: Due): Promise<boolean> {
    const { organizationId } = tenant;
    const { settling } = this;
    return tenant.change(["segments.sweep"], function* (tx) {
      const mark = yield* tx.findSegmentWatermark(organizationId);
      if (mark?.settledThrough !== after) return false;
      const lookedAt = settling.timeFor(mark);
      if (lookedAt > mark.lookedAt) yield* tx.putSegmentWatermark(organizationId, { ...mark, lookedAt });
      return true;
    });
  }

  /** @returns false when somebody else brought it to an end meanwhile. */
  async #settleMidnight(tenant: Tenant, due: Due): Promise<boolean> {
    const { organizationId } = tenant;
    const { storage } = this.engine;
    const segments = await storage.snapshot((reader) => reader.listSegments(organizationId), {
      organizationId,
    });
    for (const segment of segments) if (!(await this.#countMembers(tenant, due, segment))) return false;
    const moves: Found[] = [];
    for (const segment of segments) {
      if (!segment.emitsEvents || segment.isRecounting || segment.toldSince >= due.at) continue;
      moves.push(await this.#costly(tenant, (reader) => movesOf(reader, organizationId, segment, due.at)));
    }
    for (const side of ["left", "entered"] as const) {
      for (const found of moves) if (!(await this.#moveAll(tenant, due, found, side))) return false;
    }
    return true;
  }

  /** Notes how many members a segment had at the end of the day before, unless that is known. */
  async #countMembers(tenant: Tenant, due: Due, segment: StoredSegment): Promise<boolean> {
    const { organizationId } = tenant;
    const day = dayIn(due.timeZone, due.at - 1);
    if (segment.createdAt >= due.at) return true;
    const members = await this.#costly(tenant, (reader) =>
      membersOf(reader, organizationId, segment, due.at - 1, day),
    );
    if (members === null) return true;
    return this.#whileDue(tenant, due, function* (tx) {
      if (yield* isThere(tx, organizationId, segment))
        yield* tx.recordMemberCount(organizationId, segment.id, day, members);
    });
  }

  /** Reads in turn with what else looks at all of an organization. It needs what is committed, which a replica may lack. */
  #costly<T>(tenant: Tenant, work: (reader: StorageReader) => Step<T>): Promise<T> {
    const { costlyReads, storage } = this.engine;
    const { organizationId } = tenant;
    return costlyReads.run(organizationId, () => storage.snapshot(work, { organizationId }), {});
  }

  async #moveAll(tenant: Tenant, due: Due, found: Found, side: "entered" | "left"): Promise<boolean> {
    const { organizationId } = tenant;
    const { segment, [side]: ordinals } = found;
    for (let from = 0; ; ) {
      const some = ordinals.from(from, MOST_MOVES);
      const last = some.at(-1);
      if (last === undefined) return true;
      if (this.#isOver) return false;
      from = last + 1;
      let moved = { entered: 0, left: 0 };
      const isDue = await this.#whileDue(tenant, due, function* (tx, record) {
        moved = yield* moveSome(tx, record, { organizationId, segment, due, side, ordinals: some });
      });
      if (!isDue) return false;
      this.#entered += moved.entered;
      this.#left += moved.left;
    }
  }

  /** Moves the mark, once all have moved. @returns whether it was this sweep that moved it. */
  async #end(tenant: Tenant, due: Due): Promise<boolean> {
    const { organizationId } = tenant;
    const isFirst = await this.#whileDue(tenant, due, function* (tx) {
      const mark = yield* tx.findSegmentWatermark(organizationId);
      if (mark !== null) yield* tx.putSegmentWatermark(organizationId, { ...mark, settledThrough: due.at });
    });
    for (let dropped = MOST_MOVES; dropped === MOST_MOVES; ) {
      dropped = await tenant.change(["segments.sweep"], (tx) =>
        tx.deleteUserWatermarks(organizationId, due.at, MOST_MOVES),
      );
    }
    return isFirst;
  }

  /** Changes something while the mark stands where it stood. @returns false when it does no more. */
  #whileDue(
    tenant: Tenant,
    { after }: Due,
    work: (tx: StorageTransaction, record: Recorder) => Step<void>,
  ): Promise<boolean> {
    return tenant.change(["segments.sweep"], function* (tx, record) {
      const mark = yield* tx.findSegmentWatermark(tenant.organizationId);
      if (mark?.settledThrough !== after) return false;
      yield* work(tx, record);
      return true;
    });
  }
}
