import type { Step } from "../concurrency/step.js";
import { audienceIn, type MessageAudience } from "../resources/message.js";
import { allMatching } from "../segments/matching.js";
import { hasBehaviour } from "../segments/plan.js";
import { Bitmap } from "../storage/bitmap.js";
import type { StoredMessage } from "../storage/messages.js";
import type { StorageReader } from "../storage/storage-adapter.js";

/** Storage takes at most this many ids at a time. */
const MOST_IDS = 1_000;

/** Returns whether it may take longer to find an audience than others should wait for a transaction. */
export function takesLongToFind(message: Pick<StoredMessage, "audience">): boolean {
  const audience: MessageAudience = audienceIn(message);
  return "filter" in audience && hasBehaviour(audience.filter);
}

/** The ordinals of those whom a message goes to, as they are at an instant. */
export function* audienceOf(
  reader: StorageReader,
  organizationId: string,
  message: Pick<StoredMessage, "audience">,
  at: number,
): Step<Bitmap> {
  const audience: MessageAudience = audienceIn(message);
  if ("all" in audience) return (yield* reader.readSegments(organizationId, [])).users;
  if ("filter" in audience)
    return yield* allMatching(reader, { organizationId, filter: audience.filter, at });
  const ordinals: number[] = [];
  for (let from = 0; from < audience.userIds.length; from += MOST_IDS) {
    const some = audience.userIds.slice(from, from + MOST_IDS);
    for (const { ordinal } of yield* reader.usersById(organizationId, some)) ordinals.push(ordinal);
  }
  return Bitmap.of(ordinals);
}
