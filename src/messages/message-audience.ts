import type { Step } from "../concurrency/step.js";
import { audienceIn, type MessageAudience } from "../resources/message.js";
import { matchedSet, slugsOf } from "../segments/evaluate.js";
import { Bitmap } from "../storage/bitmap.js";
import type { StoredMessage } from "../storage/messages.js";
import type { StorageReader } from "../storage/storage-adapter.js";

/** Storage takes at most this many ids at a time. */
const MOST_IDS = 1_000;

/** The ordinals of those whom a message goes to, as they are now. */
export function* audienceOf(
  reader: StorageReader,
  organizationId: string,
  message: Pick<StoredMessage, "audience">,
): Step<Bitmap> {
  const audience: MessageAudience = audienceIn(message);
  if ("all" in audience) return (yield* reader.readSegments(organizationId, [])).users;
  if ("filter" in audience) {
    const sets = yield* reader.readSegments(organizationId, slugsOf(audience.filter));
    return matchedSet(audience.filter, sets);
  }
  const ordinals: number[] = [];
  for (let at = 0; at < audience.userIds.length; at += MOST_IDS) {
    const some = audience.userIds.slice(at, at + MOST_IDS);
    for (const { ordinal } of yield* reader.usersById(organizationId, some)) ordinals.push(ordinal);
  }
  return Bitmap.of(ordinals);
}
