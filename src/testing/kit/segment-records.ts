import {
  type StoredSegment,
  type StoredSegmentDay,
  segmentDayRecord,
  segmentRecord,
} from "../../storage/saved-segments.js";
import { sample } from "./records.js";

/** One that emits no events. */
export function someSegment(fields: Partial<StoredSegment> = {}): StoredSegment {
  return sample(segmentRecord, "seg", fields);
}

export function someSegmentDay(
  { id: segmentId }: StoredSegment,
  fields: Partial<StoredSegmentDay> = {},
): StoredSegmentDay {
  return { ...sample(segmentDayRecord, "day", {}), segmentId, ...fields };
}
