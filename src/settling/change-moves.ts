import type { Step } from "../concurrency/step.js";
import { allMatching } from "../segments/matching.js";
import type { StoredSegment } from "../storage/saved-segments.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { WatchedChange } from "../tenant/watching.js";
import { dayIn } from "../values/calendar-days.js";
import { MOST_MOVES, type Movers, move } from "./moves.js";
import type { SegmentsNow } from "./segments-now.js";

/** Makes those members whom a change makes so, and tells of them. */
export class ChangeMoves {
  constructor(
    private readonly tx: StorageTransaction,
    private readonly change: WatchedChange,
  ) {}

  /** @param moved by the age of the segments. */
  *tell({ state, judgement }: SegmentsNow, moved: readonly Movers[]): Step<void> {
    if (moved.length === 0) return;
    const { recording, isSilent, organizationId } = this.change;
    const at = recording.newestTime;
    // The clock may have passed a midnight since everything was judged.
    const day = at < judgement.until ? judgement.day : dayIn(state.timeZone, at);
    const cause = { at, because: "change", day } as const;
    const tell = isSilent ? null : recording.record;
    if (!state.isCounting) {
      yield* move(this.tx, organizationId, moved, cause, tell);
      return;
    }
    // Nobody is told of members who are being counted anew.
    const counted = moved.filter(({ segment }) => segment.isRecounting);
    const known = moved.filter(({ segment }) => !segment.isRecounting);
    yield* move(this.tx, organizationId, counted, cause, null);
    yield* move(this.tx, organizationId, known, cause, tell);
  }

  /** Compares the members of all segments with those who were told, and tells of whom that changes. */
  *retellAll(segments: SegmentsNow): Step<void> {
    const { at, segments: judged } = segments.judgement;
    for (const { segment } of judged) {
      if (segment.isRecounting) continue;
      yield* this.#retell(segments, segment);
      yield* this.tx.updateSegment(this.change.organizationId, { ...segment, toldSince: at });
    }
  }

  *#retell(segments: SegmentsNow, segment: StoredSegment): Step<void> {
    const { tx } = this;
    const { organizationId, recording } = this.change;
    const { at } = segments.judgement;
    const told = yield* tx.segmentMembers(organizationId, segment.id);
    const question = { organizationId, filter: JSON.parse(segment.filter), at };
    const members = yield* allMatching(tx, question);
    for (const [side, ordinals] of [
      ["left", told.without(members)],
      ["entered", members.without(told)],
    ] as const) {
      for (let from = 0; ; ) {
        const some = ordinals.from(from, MOST_MOVES);
        const last = some.at(-1);
        if (last === undefined) break;
        from = last + 1;
        const users = yield* tx.usersByOrdinal(organizationId, some);
        const nobody: Movers = { segment, entered: [], left: [] };
        yield* this.tell(segments, [{ ...nobody, [side]: users }]);
        yield* recording.write(tx);
      }
    }
  }
}
