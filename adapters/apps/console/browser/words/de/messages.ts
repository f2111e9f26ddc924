import type * as en from "../en/messages.js";
import type { Translated } from "../translated.js";
import { countText, momentText, numberText } from "./forms.js";

export const messages: Translated<typeof en.messages> = {
  title: "Nachrichten",
  fresh: "Neue Nachricht",
  toShow: "Welche Nachrichten",
  noun: "Nachrichten",
  none: "Noch keine Nachrichten",
  noneHint: "Schreiben Sie Ihren Kunden per E-Mail und auf der Karte in ihrem Wallet, allen oder manchen.",
  noneSuch: "Keine solchen Nachrichten",
  beginsSoon: "beginnt gleich",
  begins: (at) => `beginnt ${momentText(at)}`,
  changed: (at) => `geändert ${momentText(at)}`,
};

export const statuses: typeof en.statuses = {
  DRAFT: "Entwurf",
  SCHEDULED: "geplant",
  SENDING: "wird gesendet",
  SENT: "gesendet",
  CANCELED: "abgebrochen",
  EXPIRED: "nicht rechtzeitig gesendet",
};

export const statusFilters: Translated<typeof en.statusFilters> = [
  ["", "Alle Nachrichten"],
  ["DRAFT", "Entwürfe"],
  ["SCHEDULED", "Geplant"],
  ["SENDING", "Werden gesendet"],
  ["SENT", "Gesendet"],
  ["CANCELED", "Abgebrochen"],
  ["EXPIRED", "Nicht rechtzeitig gesendet"],
];

export const sums: Translated<typeof en.sums> = {
  sent: (count, total, areCounts) =>
    areCounts === "customers"
      ? `${numberText(count)} von ${countText(total, "Kunde", "Kunden")} erreicht`
      : `${numberText(count)} von ${numberText(total)} Karten und E-Mails gesendet`,
  failed: (count) => `${numberText(count)} fehlgeschlagen`,
  notSent: (count) => `${numberText(count)} nicht gesendet`,
  toGo: (count) => `${numberText(count)} offen`,
};
