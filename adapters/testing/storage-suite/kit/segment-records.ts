import { type StoredSegment, segmentRecord } from "../../../../src/storage/saved-segments.js";
import { sample } from "./records.js";

/** Builds a segment that emits no events. */
export function someSegment(fields: Partial<StoredSegment> = {}): StoredSegment {
  return sample(segmentRecord, "seg", fields);
}
