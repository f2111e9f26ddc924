import type * as en from "../en/message-sending.js";
import type { Translated } from "../translated.js";
import { countText } from "./forms.js";

export const sending: Translated<typeof en.sending> = {
  title: (name) => `„${name}“ senden?`,
  laterTitle: (name) => `„${name}“ planen?`,
  atOnce: "Sie startet sofort.",
  on: (time) => `Sie startet am ${time}.`,
  afterQuietHours: (until, zone) => `Wegen der Ruhezeit startet sie um ${until} (${zone}).`,
  noWayBack: "Gesendete E-Mails lassen sich nicht zurückholen.",
  nobody: "Derzeit würde niemand sie bekommen.",
  no: "Noch nicht",
  send: (cards, mails) => `An ${takers(cards, mails)} senden`,
  schedule: (cards, mails) => `An ${takers(cards, mails)} planen`,
  wasSent: "Die Nachricht ist unterwegs",
  wasScheduled: "Die Nachricht ist geplant",
};

function takers(cards: number, mails: number): string {
  const all = [
    cards > 0 ? countText(cards, "Karte", "Karten") : "",
    mails > 0 ? countText(mails, "E-Mail", "E-Mails") : "",
  ];
  return all.filter((each) => each !== "").join(" und ") || "niemanden";
}

export const testing: Translated<typeof en.testing> = {
  title: "Test senden",
  hint: "Geht an einen Kunden, etwa an Sie selbst, über den ersten Kanal, der ihn erreicht, unabhängig von seiner Einwilligung. Höchstens zehn pro Stunde.",
  to: "Empfänger",
  id: "Kunden-ID",
  chosen: "An",
  cancel: "Abbrechen",
  send: "Test senden",
  wasSent: (name, channel) =>
    `Ein Test ist unterwegs zu ${name}, ${channel === "email" ? "per E-Mail" : "auf die Karte im Wallet"}`,
};
