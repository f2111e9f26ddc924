import type * as en from "../en/message-report.js";
import type { Translated } from "../translated.js";
import { countText } from "./forms.js";

export const report: Translated<typeof en.report> = {
  cancel: "Nachricht abbrechen",
  cancelTitle: (name) => `${name} abbrechen?`,
  cancelVerb: "Die Nachricht abbrechen",
  wasCanceled: "Die Nachricht ist abgebrochen",
  cancelScheduled: "Sie wird nicht gesendet. Das lässt sich nicht rückgängig machen.",
  cancelSending:
    "Die übrigen Kunden bekommen sie nicht mehr, bis auf wenige, an die sie gerade gesendet wird. Von Karten wird sie entfernt. Das lässt sich nicht rückgängig machen.",
  copy: "Als neuen Entwurf kopieren",
  copied: "Als Entwurf kopiert",
  copyName: (name) => `Kopie von ${name}`,
  sent: "Gesendet",
  outOf: (recipients, customers) =>
    recipients === customers
      ? `Zusammen sind das ${countText(customers, "Kunde", "Kunden")}.`
      : `Zusammen sind das ${countText(recipients, "Karte oder E-Mail", "Karten und E-Mails")} für ${countText(customers, "Kunde", "Kunden")}.`,
  toGo: "Offen",
  notSent: "Nicht gesendet",
  failed: "Fehlgeschlagen",
  uncertain: (count) =>
    `${countText(count, "Antwort ging", "Antworten gingen")} verloren: Diese Kunden haben sie vielleicht doppelt.`,
  language: "Sprache",
  to: "An",
  everybody: "alle Kunden",
  segment: (name) => `die Gruppe „${name}“`,
  filter: "Kunden, die zu einem Filter passen",
  some: (count) => countText(count, "Kunde", "Kunden"),
  toSoMany: (whom, people) => `${whom}: ${countText(people, "Kunde", "Kunden")}`,
  how: "Wie",
  ways: (channels, isEach) =>
    channels
      .map((channel) => (channel === "email" ? "per E-Mail" : "auf der Karte im Wallet"))
      .join(isEach ? " und " : ", sonst "),
  begins: "Startet",
  began: "Gestartet",
  ended: "Beendet",
  sentUntil: "Gesendet bis",
  afterQuietHours: (until, zone) => `nach der Ruhezeit, um ${until} (${zone})`,
  inAMoment: "gleich",
};

export const recipients: Translated<typeof en.recipients> = {
  title: "Empfänger",
  toShow: "Kunden filtern",
  none: "Noch niemand.",
  noun: "Kunden",
  byMail: "per E-Mail",
  onCard: "auf der Karte",
  onCardIn: (wallet) => `auf der Karte, ${wallet}`,
};

export const recipientFilters: Translated<typeof en.recipientFilters> = [
  ["", "Alle Kunden"],
  ["ACCEPTED", "Bekommen"],
  ["SKIPPED", "Übersprungen"],
  ["FAILED", "Fehlgeschlagen"],
  ["PENDING", "Wartend"],
  ["SENDING", "Wird gesendet"],
];
