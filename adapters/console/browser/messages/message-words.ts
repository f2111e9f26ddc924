import type { Message, MessageSums } from "../../../../src/resources/message.js";
import type { MessageDelivery } from "../../../../src/resources/message-delivery.js";
import type { MessageChannel } from "../../../../src/resources/subscription.js";
import { numberText } from "../words/en/forms.js";

type Status = Message["status"];

export const statuses: Readonly<
  Record<Status, { readonly text: string; readonly tone: "good" | "warn" | "bad" | "" }>
> = {
  DRAFT: { text: "draft", tone: "" },
  SCHEDULED: { text: "scheduled", tone: "warn" },
  SENDING: { text: "being sent", tone: "warn" },
  SENT: { text: "sent", tone: "good" },
  CANCELLED: { text: "cancelled", tone: "" },
  EXPIRED: { text: "not sent in time", tone: "bad" },
};

export const channelNames: Readonly<Record<MessageChannel, string>> = {
  wallet: "On the card in the wallet",
  email: "By mail",
};

/** Says after a number of customers why they don’t get a message. */
const skipWords: Readonly<Record<NonNullable<MessageDelivery["reason"]>, string>> = {
  no_consent: "without consent to news",
  unsubscribed: "unsubscribed from news",
  no_address: "without an address",
  suppressed: "with an address that nothing is sent to any more",
  no_wallet: "without the card in a wallet",
  capped: "with enough messages for now",
  cancelled: "not reached before it was cancelled",
  expired: "not reached in time",
  left: "gone",
  replaced: "with a newer message in its place",
  address_refused: "with an address that does not exist",
  message_refused: "with a mail server that did not want it",
  gave_up: "tried in vain",
  bounced: "with an address that mail came back from",
  complained: "who marked it as spam",
};

export type Skipped = MessageSums["skipped"];

export function sumOf(skipped: Skipped): number {
  return Object.values(skipped).reduce((sum, count) => sum + (count ?? 0), 0);
}

/** The reasons with their numbers, the largest first. */
export function reasonsOf(skipped: Skipped): readonly (readonly [words: string, count: number])[] {
  return Object.entries(skipWords)
    .map(([reason, words]) => [words, Number(Reflect.get(skipped, reason) ?? 0)] as const)
    .filter(([, count]) => count > 0)
    .sort(([, one], [, other]) => other - one);
}

/** 1,204 sent · 30 failed · 96 not sent · 12 to go */
export function sumsText({ accepted, failed, skipped, pending, sending }: MessageSums): string {
  const parts = [
    [accepted, "sent"],
    [failed, "failed"],
    [sumOf(skipped), "not sent"],
    [pending + sending, "to go"],
  ] as const;
  const told = parts.filter(([count], at) => count > 0 || at === 0);
  return told.map(([count, words]) => `${numberText(count)} ${words}`).join(" · ");
}

/** Returns whether the numbers of a message still change by themselves. */
export function isMoving({ status, sums }: Pick<Message, "status" | "sums">): boolean {
  return status === "SENDING" || (status === "CANCELLED" && sums !== null && sums.pending + sums.sending > 0);
}

/** Returns whether a message begins so soon that it is worth looking. */
export function isDue({ status, sendAt }: Pick<Message, "status" | "sendAt">): boolean {
  return status === "SCHEDULED" && (sendAt === null || Date.parse(sendAt) < Date.now() + 30_000);
}

/** About 83 minutes. */
export function durationText(seconds: number): string {
  if (seconds < 90) return seconds <= 1 ? "a moment" : `about ${numberText(Math.ceil(seconds))} seconds`;
  if (seconds < 5_400) return `about ${numberText(Math.round(seconds / 60))} minutes`;
  return `about ${numberText(Math.round(seconds / 3_600))} hours`;
}
