import type { MessageChannel } from "../../../../../../src/messages/subscription-schema.js";
import { countText } from "./forms.js";

/** UI text for the dialog that confirms sending a message. */
export const sending = {
  title: (name: string) => `Send “${name}”?`,
  laterTitle: (name: string) => `Schedule “${name}”?`,
  atOnce: "Sending starts immediately.",
  on: (time: string) => `Sending starts on ${time}.`,
  afterQuietHours: (until: string, zone: string) =>
    `Because of quiet hours, sending starts at ${until} (${zone}).`,
  noWayBack: "Emails can’t be recalled once they’re sent.",
  nobody: "No one would get it right now.",
  no: "Not yet",
  send: (cards: number, mails: number) => `Send to ${takers(cards, mails)}`,
  schedule: (cards: number, mails: number) => `Schedule for ${takers(cards, mails)}`,
  wasSent: "The message is on its way",
  wasScheduled: "The message is scheduled",
} as const;

function takers(cards: number, mails: number): string {
  const all = [cards > 0 ? countText(cards, "card") : "", mails > 0 ? countText(mails, "email") : ""];
  return all.filter((each) => each !== "").join(" and ") || "no one";
}

/** UI text for sending a test message to one customer. */
export const testing = {
  title: "Send a test",
  hint: "Sent to one customer, such as yourself, through the first channel that reaches them, regardless of consent. You can send ten tests per hour.",
  to: "Recipient",
  id: "Customer ID",
  /** Shown before the customer's name. */
  chosen: "To",
  cancel: "Cancel",
  send: "Send test",
  wasSent: (name: string, channel: MessageChannel) =>
    `A test is on its way to ${name}, ${channel === "email" ? "by email" : "to the card in the wallet"}`,
} as const;
