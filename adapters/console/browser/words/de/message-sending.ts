import type * as en from "../en/message-sending.js";
import type { Translated } from "../translated.js";
import { countText } from "./forms.js";

export const sending: Translated<typeof en.sending> = {
  title: (name) => `„${name}“ senden?`,
  laterTitle: (name) => `„${name}“ planen?`,
  atOnce: "Sie beginnt sofort.",
  on: (time) => `Sie beginnt am ${time}.`,
  afterQuietHours: (until, zone) => `Wegen der Ruhezeit beginnt sie um ${until} (${zone}).`,
  noWayBack: "E-Mails, die hinausgegangen sind, lassen sich nicht zurückholen.",
  nobody: "So, wie es jetzt ist, bekäme sie niemand.",
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
  title: "Probe senden",
  hint: "Sie geht an einen einzigen Kunden, etwa an Sie selbst, auf dem ersten Weg, der ankommt, egal worin er eingewilligt hat. Höchstens zehn in der Stunde.",
  to: "An wen",
  id: "ID des Kunden",
  chosen: "An",
  cancel: "Abbrechen",
  send: "Probe senden",
  wasSent: (name, channel) =>
    `Eine Probe ist unterwegs zu ${name}, ${channel === "email" ? "als E-Mail" : "auf die Karte im Wallet"}`,
};
