import type * as en from "../en/message-numbers.js";
import type { Translated } from "../translated.js";
import { countText, numberText } from "./forms.js";

export const skipReasons: typeof en.skipReasons = {
  no_consent: "ohne Einwilligung in Neuigkeiten",
  unsubscribed: "von Neuigkeiten abgemeldet",
  no_address: "ohne Adresse",
  suppressed: "mit einer Adresse, an die nichts mehr gesendet wird",
  no_wallet: "ohne die Karte im Wallet",
  capped: "mit genug Nachrichten fürs Erste",
  canceled: "vor dem Abbruch nicht erreicht",
  expired: "nicht rechtzeitig erreicht",
  customer_deleted: "inzwischen gelöscht",
  pass_deleted: "mit einer inzwischen gelöschten Karte",
  replaced: "mit einer neueren Nachricht an ihrer Stelle",
  address_refused: "mit einer Adresse, die es nicht gibt",
  message_refused: "mit einem Mailserver, der sie nicht wollte",
  gave_up: "vergeblich versucht",
  bounced: "mit einer Adresse, von der Post zurückkam",
  complained: "die sie als Spam gemeldet haben",
};

export const takes: Translated<typeof en.takes> = {
  moment: "Es dauert einen Augenblick.",
  seconds: (count) => `Es dauert etwa ${numberText(count)} Sekunden.`,
  minutes: (count) => `Es dauert etwa ${numberText(count)} Minuten.`,
  hours: (count) => `Es dauert etwa ${numberText(count)} Stunden.`,
};

export const numbers: Translated<typeof en.numbers> = {
  title: "Wer sie bekommt",
  saveFirst: "Speichern Sie den Entwurf, um zu zählen, wer sie bekommt.",
  unfinished: "Gezählt wird, sobald nichts mehr fehlt.",
  onCard: "Auf der Karte",
  byMail: "Per E-Mail",
  notSent: "Nicht gesendet",
  progress: "Wie weit sie ist",
  reasons: "Warum nicht",
  of: (people) => `Von ${countText(people, "Kunden", "Kunden")}, Stand jetzt.`,
  apart: "Karte und E-Mail zählen getrennt.",
  read: (languages) => `Sie lesen ${languages}.`,
};
