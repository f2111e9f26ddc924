import type * as en from "../en/message-report.js";
import type { Translated } from "../translated.js";
import { countText } from "./forms.js";

export const report: Translated<typeof en.report> = {
  cancel: "Nachricht abbrechen",
  cancelTitle: (name) => `${name} abbrechen?`,
  cancelVerb: "Die Nachricht abbrechen",
  wasCanceled: "Die Nachricht ist abgebrochen",
  cancelScheduled: "Niemand bekommt sie. Das lässt sich nicht rückgängig machen.",
  cancelSending:
    "Wer sie noch nicht hat, bekommt sie nicht mehr, bis auf wenige, die gerade dran sind. Von Karten verschwindet sie wieder. Das lässt sich nicht rückgängig machen.",
  copy: "Als neuen Entwurf kopieren",
  copied: "Als Entwurf kopiert",
  copyName: (name) => `Kopie von ${name}`,
  sent: "Gesendet",
  toGo: "Offen",
  notSent: "Nicht gesendet",
  failed: "Fehlgeschlagen",
  uncertain: (count) =>
    `${countText(count, "Antwort ging", "Antworten gingen")} verloren: Diese Kunden haben sie vielleicht doppelt.`,
  language: "Sprache",
  to: "An",
  everybody: "alle",
  segment: (name) => `die Gruppe „${name}“`,
  filter: "Kunden nach dem, was sie tun, haben oder sind",
  some: (count) => countText(count, "Kunde", "Kunden"),
  toSoMany: (whom, people) => `${whom}: ${countText(people, "Kunde", "Kunden")}`,
  how: "Wie",
  ways: (channels, isEach) =>
    channels
      .map((channel) => (channel === "email" ? "per E-Mail" : "auf der Karte im Wallet"))
      .join(isEach ? " und " : ", sonst "),
  begins: "Beginnt",
  began: "Begann",
  ended: "Endete",
  sentUntil: "Gesendet bis",
  afterQuietHours: (until, zone) => `nach der Ruhezeit, um ${until} (${zone})`,
  inAMoment: "gleich",
};

export const recipients: Translated<typeof en.recipients> = {
  title: "Wer sie bekommen hat",
  toShow: "Welche Kunden",
  none: "Bisher niemand.",
  noun: "Kunden",
  byMail: "per E-Mail",
  onCard: "auf der Karte",
  onCardIn: (wallet) => `auf der Karte, ${wallet}`,
};

export const recipientFilters: Translated<typeof en.recipientFilters> = [
  ["", "Alle"],
  ["ACCEPTED", "Wer sie bekommen hat"],
  ["SKIPPED", "Wer nicht"],
  ["FAILED", "Wo es fehlschlug"],
  ["PENDING", "Wer wartet"],
  ["SENDING", "Wer gerade dran ist"],
];
