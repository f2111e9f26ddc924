import type { Message, MessageSums } from "../../../../../src/messages/schema.js";
import { skipReasons as skippedWords, takes } from "../words/en/message-numbers.js";

type Status = Message["status"];

/** The chip color for each message status. */
export const tones: Readonly<Record<Status, "good" | "warn" | "bad" | "">> = {
  DRAFT: "",
  SCHEDULED: "warn",
  SENDING: "warn",
  SENT: "good",
  CANCELED: "",
  EXPIRED: "bad",
};

export type SkipCounts = MessageSums["skipped"];

export function sumSkipCounts(skipped: SkipCounts): number {
  return Object.values(skipped).reduce((sum, count) => sum + (count ?? 0), 0);
}

/** Returns the UI text and count for each skip reason that occurred, highest count first. */
export function listSkipReasons(skipped: SkipCounts): readonly (readonly [words: string, count: number])[] {
  return Object.entries(skippedWords)
    .map(([reason, words]) => [words, Number(Reflect.get(skipped, reason) ?? 0)] as const)
    .filter(([, count]) => count > 0)
    .sort(([, first], [, second]) => second - first);
}

/** Returns whether a message's counts can still change because some of its deliveries haven't finished. */
export function isInProgress({ status, sums }: Pick<Message, "status" | "sums">): boolean {
  return status === "SENDING" || (status === "CANCELED" && sums !== null && sums.pending + sums.sending > 0);
}

/** Returns whether a scheduled message is overdue or due within 30 seconds. If so, the caller should poll the message's status. */
export function isDue({ status, sendAt }: Pick<Message, "status" | "sendAt">): boolean {
  return status === "SCHEDULED" && (sendAt === null || Date.parse(sendAt) < Date.now() + 30_000);
}

/** Formats an estimated duration as text, such as "about 83 minutes". */
export function formatDuration(seconds: number): string {
  if (seconds <= 1) return takes.moment;
  if (seconds < 90) return takes.seconds(Math.ceil(seconds));
  return seconds < 5_400 ? takes.minutes(Math.round(seconds / 60)) : takes.hours(Math.round(seconds / 3_600));
}
