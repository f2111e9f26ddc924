import type { Step } from "../base/concurrency/step.js";
import { DAY_MS } from "../base/values/clock.js";
import type { RecentMessage, StoredMessageDelivery, StoredMessageSettings } from "../storage/mail.js";
import type { StorageReader } from "../storage/storage-adapter.js";

type CapSettings = Pick<StoredMessageSettings, "capDays" | "capMessages">;

/**
 * Returns the ID that the frequency cap uses for a delivery's message: the ID of the campaign or of the automation run. Deliveries
 * of the same message on several channels share this ID and count only once.
 */
export function getCapKey({
  messageId,
  automationRunId,
}: Pick<StoredMessageDelivery, "messageId" | "automationRunId">): string | null {
  return messageId ?? automationRunId;
}

/** Tracks, for each customer, the recent messages that count toward an organization's frequency cap. */
export class RecentMessages {
  private readonly byUser = new Map<string, Set<string>>();

  /** @param maxMessages the maximum number of messages per customer, or `null` if there is no cap. */
  constructor(
    private readonly maxMessages: number | null,
    recentMessages: readonly RecentMessage[],
  ) {
    for (const message of recentMessages) this.add(message);
  }

  /** Counts a message that is being sent now. Deliveries of the same message on several channels count only once. */
  add({ userId, messageId, deliveryId }: RecentMessage): void {
    if (this.maxMessages === null) return;
    const messages = this.byUser.get(userId) ?? new Set();
    // A message on two channels counts once.
    messages.add(messageId ?? deliveryId);
    this.byUser.set(userId, messages);
  }

  /** Returns whether a customer has already reached the cap with messages other than the given one. */
  isCapped(userId: string, messageId: string | null): boolean {
    const messages = this.byUser.get(userId);
    if (this.maxMessages === null || messages === undefined) return false;
    return messages.size - Number(messageId !== null && messages.has(messageId)) >= this.maxMessages;
  }
}

/**
 * Reads the recent messages that count toward the frequency cap for the given users.
 * @param userIds at most 1,000 IDs.
 */
export function* readRecentMessages(
  reader: StorageReader,
  { capDays, capMessages }: CapSettings,
  userIds: readonly string[],
  now: number,
): Step<RecentMessages> {
  if (capDays === null || capMessages === null || userIds.length === 0) return new RecentMessages(null, []);
  const recentMessages = yield* reader.recentMessagesOf(userIds, now - capDays * DAY_MS);
  return new RecentMessages(capMessages, recentMessages);
}
