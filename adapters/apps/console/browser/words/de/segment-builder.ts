import type * as en from "../en/segment-builder.js";
import type { Translated } from "../translated.js";

export const operators: Translated<typeof en.operators> = [
  ["AND", "alles davon"],
  ["OR", "eines davon"],
  ["NOT", "nichts davon"],
];

export const singleOperators: Translated<typeof en.singleOperators> = [
  ["AND", "das hier"],
  ["NOT", "das hier nicht"],
];

export const ready: typeof en.ready = [
  ["lastVisit", "Seit einem Monat nicht da"],
  ["rewards", "Prämie wartet"],
  ["anniversary", "Geburtstag in diesem Monat"],
];

export const kindWords: typeof en.kindWords = {
  lastVisit: ["Letzter Besuch", "Wie lange der letzte Besuch her ist"],
  visits: ["Anzahl der Besuche", "Wie oft der Kunde zuletzt da war"],
  stamps: ["Stempel", "Wie viele Stempel auf einer Karte sind"],
  points: ["Punkte", "Wie viele Punkte der Kunde auf einer Karte einlösen kann"],
  pointsExpire: ["Punkte, die verfallen", "Ob Punkte auf einer Karte in den nächsten Tagen verfallen"],
  spent: ["Umsatz", "Für wie viel der Kunde zuletzt eingekauft hat, ohne Rückgaben"],
  purchases: ["Anzahl der Einkäufe", "Wie oft der Kunde zuletzt eingekauft hat"],
  rewards: ["Wartende Prämie", "Eine volle Karte, deren Prämie noch nicht eingelöst ist"],
  completions: ["Volle Karten", "Wie oft der Kunde eine Karte gefüllt hat"],
  wallet: ["Karte im Wallet", "Die Karte ist in Apple Wallet, in Google Wallet oder in keinem"],
  slug: ["Etikett", "Der Kunde hat ein Etikett"],
  segment: ["Gruppe", "Der Kunde ist in einer anderen Gruppe"],
  joined: ["Kunde seit", "Wann der Kunde sich angemeldet hat"],
  anniversary: ["Geburtstag oder anderer Jahrestag", "In diesem Monat oder in den nächsten Tagen"],
  field: ["Name, Telefon oder Kundennummer", "Ob es angegeben ist"],
  subscription: ["Neuigkeiten", "Ob der Kunde in Neuigkeiten eingewilligt hat"],
  language: ["Sprache", "Die Sprache für Nachrichten"],
  metadata: ["Eigene Notizen", "Ihre Notizen über Kunden, nach dem Namen der Notiz"],
};

export const sections: typeof en.sections = [
  ["Besuche", ["lastVisit", "visits"]],
  ["Einkäufe", ["spent", "purchases"]],
  ["Karten", ["rewards", "stamps", "completions", "points", "pointsExpire", "wallet"]],
  ["Etiketten und Gruppen", ["slug", "segment"]],
  ["Über den Kunden", ["joined", "anniversary", "field", "subscription", "language", "metadata"]],
];

export const unfinished: Translated<typeof en.unfinished> = {
  choice: "Wählen Sie eines aus.",
  card: "Wählen Sie eine Karte.",
  anyCard: "Wählen Sie eine Karte.",
  tag: "Wählen Sie ein Etikett.",
  segment: "Wählen Sie eine Gruppe.",
  number: "Geben Sie eine ganze Zahl ein.",
  decimal: "Geben Sie eine Zahl ein.",
  text: "Geben Sie einen Text ein.",
  key: "Geben Sie den Namen einer Notiz ein.",
  date: "Geben Sie ein Datum ein.",
};

export const builder: Translated<typeof en.builder> = {
  whole: "Filter",
  group: (level) => `Bedingungen auf Ebene ${level}`,
  operator: (group) => `${group}: Verknüpfung der Bedingungen`,
  ready: "Anfangen mit",
  begin: "Kunden, für die gilt:",
  beginSingle: "Kunden, für die gilt:",
  inner: "für die gilt:",
  add: "Bedingung hinzufügen",
  addGroup: "Bedingungen gruppieren",
  remove: (title) => `${title} entfernen`,
  removeGroup: (group) => `Diese Bedingungen entfernen: ${group}`,
  match: (count) => (count === 1 ? "Kunde passt dazu" : "Kunden passen dazu"),
  nothing: "Fügen Sie eine Bedingung hinzu, um Kunden zu finden.",
};
