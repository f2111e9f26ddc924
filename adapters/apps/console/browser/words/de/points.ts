import type * as english from "../en/points.js";
import type { Translated } from "../translated.js";
import { numberText } from "./forms.js";

export const points: Translated<typeof english.points> = {
  pending: (amount) => `${amount} noch nicht verfügbar`,
  held: (amount) => `${amount} reserviert`,
  debt: (amount) => `${amount} im Minus`,
  expires: (amount, lastDay) => `${amount} gültig bis ${lastDay}`,
  inAll: (earned, spent, expired) =>
    `Insgesamt: ${earned} gesammelt, ${spent} eingelöst, ${expired} verfallen`,
  why: (balance) => `Warum ${balance}?`,
  points: "Punkte",
  pointsWrong: (max) => `1 bis ${numberText(max)}`,
  add: "Punkte gutschreiben",
  spend: "Punkte einlösen",
  remove: "Punkte abziehen",
};

export const pointHistory: Translated<typeof english.pointHistory> = {
  title: "Verlauf der Punkte",
  noun: "Einträge",
  none: "Noch keine Punkte",
  earned: (change) => `${change} für einen Einkauf`,
  returned: (change) => `${change} für eine Rückgabe`,
  added: (amount) => `${amount} gutgeschrieben`,
  removed: (amount) => `${amount} abgezogen`,
  spent: (amount) => `${amount} eingelöst`,
  expired: (amount) => `${amount} verfallen`,
  reversed: (change) => `Änderung rückgängig gemacht: ${change}`,
  owed: (amount) => `${amount} ins Minus`,
  paid: (amount) => `${amount} Minus ausgeglichen`,
  usableFrom: (day) => `verfügbar ab ${day}`,
  usableUntil: (day) => `gültig bis ${day}`,
  quoted: (note) => `„${note}“`,
};
