import type * as en from "../en/segment-explanations.js";
import type { Translated } from "../translated.js";
import { countText, dayText, momentText } from "./forms.js";

export const why: Translated<typeof en.why> = {
  ask: "Warum?",
  asked: (name) => `Warum ist ${name} dabei?`,
  title: (customer, segment, isIn) =>
    isIn ? `${customer} ist in „${segment}“` : `${customer} ist nicht in „${segment}“`,
  anybody: "Warum ist jemand dabei oder nicht?",
  choose: "Gruppe wählen …",
  panel: "Gruppen",
  hint: "Ob der Kunde in einer Gruppe ist, und warum.",
  is: "trifft zu",
  isNot: "trifft nicht zu",
  all: "Alles davon muss zutreffen:",
  any: "Mindestens eines davon muss zutreffen:",
  none: "Nichts davon darf zutreffen:",
  goes: (at) => `Ohne Besuch oder andere Änderung ändert sich das am ${dayText(at)}.`,
  leaves: (at) => `Ohne Besuch oder andere Änderung: bis ${dayText(at)}.`,
  enters: (at) => `Ohne Besuch oder andere Änderung: ab ${dayText(at)}.`,
  since: (at) => `seit ${dayText(at)}`,
  stays: "Die Zeit allein ändert daran nichts.",
  close: "Schließen",
};

export const has: Translated<typeof en.has> = {
  tag: (isSo) => (isSo ? "hat das Etikett" : "hat das Etikett nicht"),
  noCard: "keine Karte",
  onCards: (counts) => `${counts} auf den Karten`,
  stamps: (count) => (count === 0 ? "keine Stempel" : countText(count, "Stempel", "Stempel")),
  points: (count) => (count === 0 ? "keine Punkte" : countText(count, "Punkt", "Punkte")),
  purchases: (count) => (count === 0 ? "keine Einkäufe" : countText(count, "Einkauf", "Einkäufe")),
  rewards: (count) => (count === 0 ? "keine Prämie" : countText(count, "Prämie", "Prämien")),
  completions: (count) => (count === 0 ? "noch nie" : countText(count, "Mal", "Mal")),
  lastVisit: (at) => `letzter Besuch am ${momentText(at)}`,
  neverHere: "noch kein Besuch",
  noVisits: "keine Besuche",
  visits: (count, newest) => `${countText(count, "Besuch", "Besuche")}, der letzte am ${dayText(newest)}`,
  manyVisits: (count, newest) => `mehr als ${count} Besuche, der letzte am ${dayText(newest)}`,
  joined: (at) => `Kunde seit ${dayText(at)}`,
  field: (isKnown) => (isKnown ? "ist angegeben" : "ist nicht angegeben"),
  noWallet: "in keinem Wallet",
  wallets: (names) => `in ${names.join(" und ")}`,
  anyWallet: "einem Wallet",
  consent: (status, channel) => `${status} ${channel}`,
  nothing: "nicht angegeben",
};
