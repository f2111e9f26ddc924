import { segmentsOfAutomation, triggerOf } from "../automations/schema.js";
import type { Step } from "../base/concurrency/step.js";
import { decodeAudience } from "../messages/schema.js";
import type { MessagesWithRecipient, StoredMessage } from "../storage/messages.js";
import type { StoredSegment } from "../storage/saved-segments.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { buildSavedFilters, segmentsIn } from "./saved-filters.js";
import { resolveFilter } from "./user-selector.js";

/** Maximum number of references that an error lists. */
const MOST_TOLD = 10;

/**
 * Returns the slugs or IDs of at most 10 resources (segments, automations, and messages) that use a segment and therefore prevent
 * it from being deleted.
 */
export function* findSegmentReferences(
  reader: StorageReader,
  organizationId: string,
  { slug }: StoredSegment,
): Step<readonly string[]> {
  const filters = buildSavedFilters(yield* reader.listSegments(organizationId));
  const found = [...filters].flatMap(([name, filter]) => (segmentsIn(filter).has(slug) ? [name] : []));
  const automations = yield* reader.listAutomations(organizationId);
  const byThem = automations.filter((automation) => segmentsOfAutomation(automation).has(slug));
  found.push(...byThem.map(({ id }) => id));
  if (found.length < MOST_TOLD) found.push(...(yield* messagesTo(reader, organizationId, slug)));
  return found.slice(0, MOST_TOLD);
}

/**
 * Returns the IDs of at most 10 automations that start when a user enters the segment. While there are any, the segment must keep
 * emitting events.
 */
export function* automationsStartedBy(
  reader: StorageReader,
  organizationId: string,
  { slug }: StoredSegment,
): Step<readonly string[]> {
  const automations = yield* reader.listAutomations(organizationId);
  const started = automations.filter((automation) => {
    const on = triggerOf(automation);
    return "segmentEntered" in on && on.segmentEntered === slug;
  });
  return started.map(({ id }) => id).slice(0, MOST_TOLD);
}

/** Maximum number of messages per read. */
const PAGE = 100;

/** Returns the IDs of messages that haven't ended and whose audience names a segment, in order of ID. */
function* messagesTo(reader: StorageReader, organizationId: string, slug: string): Step<readonly string[]> {
  const found: string[] = [];
  // A slug has no characters that JSON escapes, so every audience with such a leaf contains this string.
  const part = `"segment":${JSON.stringify(slug)}`;
  for (let after: string | null = ""; after !== null && found.length < MOST_TOLD; ) {
    const named: MessagesWithRecipient = yield* reader.messagesWithRecipient(
      organizationId,
      part,
      after,
      PAGE,
    );
    for (const message of yield* reader.messagesById(organizationId, named.ids)) {
      const filter = resolveFilter(decodeAudience(message));
      if (!hasEnded(message) && filter !== null && segmentsIn(filter).has(slug)) found.push(message.id);
    }
    after = named.next;
  }
  return found;
}

function hasEnded({ status }: Pick<StoredMessage, "status">): boolean {
  return status === "SENT" || status === "CANCELED" || status === "EXPIRED";
}
