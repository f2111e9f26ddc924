import type * as en from "../en/message-numbers.js";
import type { Translated } from "../translated.js";
import { countText, numberText } from "./forms.js";

export const skipReasons: typeof en.skipReasons = {
  no_consent: "ohne bestätigte Einwilligung in Neuigkeiten",
  unsubscribed: "von Neuigkeiten abgemeldet",
  no_address: "ohne Adresse",
  suppressed: "mit einer gesperrten Adresse",
  no_wallet: "ohne die Karte im Wallet",
  capped: "mit vorerst genug Nachrichten",
  canceled: "vor dem Abbruch nicht gesendet",
  expired: "nicht rechtzeitig gesendet",
  customer_deleted: "inzwischen gelöscht",
  pass_deleted: "mit einer inzwischen gelöschten Karte",
  replaced: "durch eine neuere Nachricht ersetzt",
  address_refused: "mit einer Adresse, die es nicht gibt",
  message_refused: "vom Mailserver abgelehnt",
  gave_up: "alle Versuche fehlgeschlagen",
  bounced: "zurückgekommen",
  complained: "als Spam gemeldet",
};

export const takes: Translated<typeof en.takes> = {
  moment: "Es dauert einen Augenblick.",
  seconds: (count) => `Es dauert etwa ${numberText(count)} Sekunden.`,
  minutes: (count) => `Es dauert etwa ${numberText(count)} Minuten.`,
  hours: (count) => `Es dauert etwa ${numberText(count)} Stunden.`,
};

export const numbers: Translated<typeof en.numbers> = {
  title: "Voraussichtliche Empfänger",
  saveFirst: "Speichern Sie den Entwurf, um die Empfänger zu zählen.",
  reachable: (total) =>
    `Kunden mit Einwilligung, von derzeit ${countText(total, "Kunde", "Kunden")}. Speichern Sie den Entwurf, um zu sehen, wer die Nachricht nicht bekommt und warum.`,
  unfinished: "Vervollständigen Sie die Nachricht, um die Empfänger zu zählen.",
  onCard: "Auf der Karte",
  byMail: "Per E-Mail",
  notSent: "Nicht gesendet",
  progress: "Fortschritt",
  reasons: "Warum nicht gesendet wird",
  of: (people) => `Von ${countText(people, "Kunden", "Kunden")}, Stand jetzt.`,
  apart: "Karte und E-Mail zählen getrennt.",
  unconfirmed: (count) =>
    `${countText(count, "Kunde hat", "Kunden haben")} Neuigkeiten angekreuzt, aber noch nicht per E-Mail bestätigt`,
  read: (languages) => `Sie lesen ${languages}.`,
};
