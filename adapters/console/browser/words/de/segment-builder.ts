import type * as en from "../en/segment-builder.js";
import type { Translated } from "../translated.js";

export const operators: Translated<typeof en.operators> = [
  ["AND", "alles davon"],
  ["OR", "eines davon"],
  ["NOT", "nichts davon"],
];

export const kindWords: typeof en.kindWords = {
  lastVisit: ["Letzter Besuch", "Wie lange der letzte Besuch her ist"],
  visits: ["Anzahl der Besuche", "Wie oft jemand in letzter Zeit da war"],
  stamps: ["Stempel", "Wie viele Stempel auf einer Karte sind"],
  rewards: ["Wartende Prämie", "Eine volle Karte, deren Prämie noch nicht eingelöst ist"],
  completions: ["Volle Karten", "Wie oft jemand eine Karte vollgemacht hat"],
  wallet: ["Karte im Wallet", "Die Karte ist in Apple Wallet, in Google Wallet oder in keinem"],
  slug: ["Etikett", "Jemand hat ein Etikett"],
  segment: ["Gruppe", "Jemand ist in einer anderen Gruppe"],
  joined: ["Kunde seit", "Wann jemand Kunde geworden ist"],
  anniversary: ["Geburtstag oder anderer Jahrestag", "In diesem Monat oder in den nächsten Tagen"],
  field: ["Name, Telefon oder Kundennummer", "Ist bekannt oder fehlt"],
  subscription: ["Neuigkeiten", "Jemand hat in Neuigkeiten eingewilligt oder will keine"],
  language: ["Sprache", "Die Sprache für Nachrichten"],
  metadata: ["Eigene Notizen", "Was Sie über Kunden notiert haben, nach dem Namen der Notiz"],
};

export const sections: typeof en.sections = [
  ["Besuche", ["lastVisit", "visits"]],
  ["Karten", ["rewards", "stamps", "completions", "wallet"]],
  ["Etiketten und Gruppen", ["slug", "segment"]],
  ["Über den Kunden", ["joined", "anniversary", "field", "subscription", "language", "metadata"]],
];

export const unfinished: Translated<typeof en.unfinished> = {
  choice: "Wählen Sie eines aus.",
  card: "Wählen Sie eine Karte.",
  anyCard: "Wählen Sie eine Karte.",
  tag: "Wählen Sie ein Etikett.",
  segment: "Wählen Sie eine Gruppe.",
  number: "Es fehlt eine ganze Zahl.",
  decimal: "Es fehlt eine Zahl.",
  text: "Es fehlt ein Text.",
  key: "Nennen Sie die Notiz.",
  date: "Es fehlt ein Tag.",
};

export const builder: Translated<typeof en.builder> = {
  whole: "Filter",
  group: (level) => `Bedingungen auf Ebene ${level}`,
  operator: (group) => `${group}: wie die Teile zusammengehören`,
  begin: "Kunden, für die gilt:",
  inner: "für die gilt:",
  add: "Bedingung hinzufügen",
  addGroup: "Bedingungen in Klammern",
  remove: (title) => `${title} entfernen`,
  removeGroup: (group) => `Diese Bedingungen entfernen: ${group}`,
  match: (count) => (count === 1 ? "Kunde passt dazu" : "Kunden passen dazu"),
  nothing: "Fügen Sie eine Bedingung hinzu, um zu sagen, wer gesucht ist.",
};
