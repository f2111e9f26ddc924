import type * as en from "../en/segments.js";
import type { Translated } from "../translated.js";
import { countText, numberText, pluralOf } from "./forms.js";

const customers = (count: number) => countText(count, "Kunde", "Kunden");

export const savedSegments: Translated<typeof en.savedSegments> = {
  title: "Gruppen",
  back: "Gruppen",
  fresh: "Neue Gruppe",
  none: "Noch keine Gruppen",
  noneHint:
    "Sagen Sie, wer gesucht ist, etwa Kunden, die einen Monat nicht da waren, und speichern Sie das unter einem Namen.",
  hidden: "Nicht für Ihre Anmeldung",
  customers,
  customersNoun: (count) => pluralOf(count, "Kunde", "Kunden"),
  settling: "wird gezählt",
  tells: "meldet, wer kommt und geht",
  save: "Gruppe speichern …",
  saveTitle: "Diese Gruppe speichern",
  saveVerb: "Gruppe speichern",
  saveFilter: "Speichern",
  wasSaved: (name) => `„${name}“ ist gespeichert`,
  details: "Bearbeiten",
  detailsTitle: "Gruppe bearbeiten",
  change: "Bedingungen ändern",
  changeTitle: (name) => `Bedingungen von „${name}“`,
  moved: (entered, left) =>
    entered === 0 && left === 0
      ? "Gespeichert: Es sind dieselben Kunden darin"
      : `Gespeichert: ${customers(entered)} dazugekommen, ${numberText(left)} gegangen`,
  delete: "Löschen",
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteVerb: (name) => `„${name}“ löschen`,
  deleteHint:
    "Die Kunden bleiben, wie sie sind. Niemandem wird gemeldet, dass sie nicht mehr darin sind. Das lässt sich nicht rückgängig machen.",
  wasDeleted: (name) => `„${name}“ ist gelöscht`,
  keep: "Behalten",
  inUse: "Sie wird noch gebraucht und lässt sich nicht löschen:",
  usedBy: { segment: "die Gruppe", message: "eine Nachricht", automation: "eine Automatik" },
  name: "Name",
  description: "Beschreibung",
  color: "Farbe",
  noColor: "Keine",
  tellsLabel: "Melden, wenn jemand dazukommt oder geht",
  tellsHint:
    "Webhooks, Ihre Software und Automatiken erfahren ab jetzt von jedem Kunden, der dazukommt oder geht; wenn nur die Zeit der Grund ist, eine Minute nach Mitternacht.",
  about: "Über die Gruppe",
  members: "Kunden darin",
  nobody: "Zurzeit ist niemand darin.",
  noun: "Kunden",
  first: "Die Ersten davon",
  found: "Wer gefunden wird",
  badLink: "Der Link enthält keinen lesbaren Filter.",
  days: (count) => countText(count, "Tag", "Tage"),
  curve: "Kunden darin, Tag für Tag",
  came: "Dazugekommen",
  went: "Gegangen",
  curveLater: "Die ersten Zahlen je Tag gibt es nach der nächsten Mitternacht.",
};

export const actions: Translated<typeof en.actions> = {
  share: "Teilen, oder für Entwickler",
  json: "Dasselbe für Entwickler (JSON)",
  noFilter: "Das ist noch kein Filter.",
  copyJson: "JSON kopieren",
  jsonCopied: "Der Filter ist kopiert",
  copyLink: "Link kopieren",
  linkCopied: "Der Link ist kopiert",
  saveAsSegment: "Als Gruppe speichern",
  showAll: "Alle zeigen",
  tagAll: "Allen ein Etikett geben",
  write: "Ihnen schreiben",
  export: "Alle exportieren",
  exported: (count, total) => `${numberText(count)} von ${numberText(total)}`,
  tagSome: (count) => `${countText(count, "Kunden", "Kunden")} ein Etikett geben`,
  tagged: (count, tag, had) =>
    `${countText(count, "Kunde hat", "Kunden haben")} jetzt das Etikett „${tag}“${had > 0 ? `, ${numberText(had)} hatten es schon` : ""}`,
  tag: "Etikett",
  tagHint: "Eines, das Sie haben, oder ein neues mit seinem Namen.",
  tagMissing: "Ein Etikett braucht einen Namen.",
  cancel: "Abbrechen",
};

export const colors: typeof en.colors = [
  ["#4338CA", "Indigo"],
  ["#1D6FD1", "Blau"],
  ["#0E7C86", "Petrol"],
  ["#14703A", "Grün"],
  ["#B7791F", "Bernstein"],
  ["#C2410C", "Orange"],
  ["#B3261E", "Rot"],
  ["#A21C6B", "Pink"],
  ["#5D5D6B", "Grau"],
];
