import type { Step } from "../../concurrency/step.js";
import type { EventType } from "../../event-types.js";
import type { Recorder } from "../../events/recording.js";
import type { EventData } from "../../resources/event-data.js";
import { type DayCounts, noCounts, sumOfCounts } from "../../storage/day-counts.js";
import type { StorageTransaction } from "../../storage/storage-adapter.js";
import { dayOf } from "../../values/day.js";

/** Counts what events would, and tells nobody. */
export class SilentRecording {
  private counts: DayCounts | null = null;

  readonly record: Recorder = (
    _type: EventType,
    _data: EventData[EventType],
    counts?: Partial<DayCounts>,
  ): void => {
    if (counts !== undefined) this.counts = sumOfCounts(this.counts ?? noCounts, counts);
  };

  /** Adds to the numbers of the day, unless there is nothing to add. */
  *count(tx: StorageTransaction, organizationId: string, now: number): Step<void> {
    if (this.counts !== null) yield* tx.countOnDay(organizationId, dayOf(now), this.counts);
  }
}
