import type { MessageChannel } from "../../../../../src/resources/subscription.js";
import { countText } from "./forms.js";

/** The questions before a message is sent. */
export const sending = {
  title: (name: string) => `Send “${name}”?`,
  laterTitle: (name: string) => `Schedule “${name}”?`,
  atOnce: "It begins at once.",
  on: (time: string) => `It begins on ${time}.`,
  afterQuietHours: (until: string, zone: string) =>
    `Because of the quiet hours it begins at ${until} (${zone}).`,
  noWayBack: "Mails that have left can’t be taken back.",
  nobody: "Nobody would get it as things are now.",
  no: "Not yet",
  send: (cards: number, mails: number) => `Send to ${takers(cards, mails)}`,
  schedule: (cards: number, mails: number) => `Schedule to ${takers(cards, mails)}`,
  wasSent: "The message is on its way",
  wasScheduled: "The message is scheduled",
} as const;

function takers(cards: number, mails: number): string {
  const all = [cards > 0 ? countText(cards, "card") : "", mails > 0 ? countText(mails, "mail") : ""];
  return all.filter((each) => each !== "").join(" and ") || "nobody";
}

/** Sending it to one customer as a test. */
export const testing = {
  title: "Send a test",
  hint: "It goes to one customer, such as yourself, by the first way that reaches them, whatever they agreed to. At most ten an hour.",
  to: "To whom",
  id: "Id of the customer",
  /** The name follows. */
  chosen: "To",
  cancel: "Cancel",
  send: "Send the test",
  wasSent: (name: string, channel: MessageChannel) =>
    `A test is on its way to ${name}, ${channel === "email" ? "as a mail" : "to the card in the wallet"}`,
} as const;
