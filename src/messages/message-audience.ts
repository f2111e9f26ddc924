import type { Step } from "../base/concurrency/step.js";
import { findAllMatches } from "../segments/matching.js";
import { hasBehavior } from "../segments/plan.js";
import { resolveFilter } from "../segments/user-selector.js";
import { splitIntoBatches } from "../storage/batches.js";
import { Bitmap } from "../storage/bitmap.js";
import type { StoredMessage } from "../storage/messages.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { AudienceInput } from "./audience.js";
import { decodeAudience } from "./schema.js";

/**
 * Returns whether evaluating an audience might take too long to do within a transaction, because other changes would be blocked in
 * the meantime.
 */
export function isCostlyAudience(message: Pick<StoredMessage, "audience">): boolean {
  const audience: AudienceInput = decodeAudience(message);
  const filter = resolveFilter(audience);
  return filter !== null && hasBehavior(filter);
}

/** Returns the ordinals of the customers in a message's audience at the time `at`. */
export function* readAudience(
  reader: StorageReader,
  organizationId: string,
  message: Pick<StoredMessage, "audience">,
  at: number,
): Step<Bitmap> {
  const audience: AudienceInput = decodeAudience(message);
  const filter = resolveFilter(audience);
  if (filter !== null) return yield* findAllMatches(reader, { organizationId, filter, at });
  const { userIds } = audience;
  if (userIds === undefined) return (yield* reader.readTagSets([])).users;
  const ordinals: number[] = [];
  for (const batch of splitIntoBatches(userIds))
    for (const { ordinal } of yield* reader.usersById(batch)) ordinals.push(ordinal);
  return Bitmap.of(ordinals);
}
