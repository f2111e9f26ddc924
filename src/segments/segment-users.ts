import type { Step } from "../concurrency/step.js";
import type { StoredSegment } from "../storage/saved-segments.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { filtersOf, segmentsIn } from "./saved-filters.js";

/** So many of what uses a segment are told of. */
const MOST_TOLD = 10;

/** Finds what uses a segment, and so keeps it from being deleted: slugs of segments and ids of others, at most 10. */
export function* usersOfSegment(
  reader: StorageReader,
  organizationId: string,
  { slug }: StoredSegment,
): Step<readonly string[]> {
  const filters = filtersOf(yield* reader.listSegments(organizationId));
  const found = [...filters].flatMap(([name, filter]) => (segmentsIn(filter).has(slug) ? [name] : []));
  return found.slice(0, MOST_TOLD);
}
