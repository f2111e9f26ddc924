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
    "Suchen Sie Kunden, etwa alle, die einen Monat nicht da waren, und speichern Sie den Filter unter einem Namen.",
  hidden: "Kein Zugriff",
  customers,
  customersNoun: (count) => pluralOf(count, "Kunde", "Kunden"),
  settling: "wird gezählt",
  reports: "meldet, wer kommt und geht",
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
    "Die Kunden ändern sich nicht, und niemand erfährt, dass sie die Gruppe verlassen haben. Das lässt sich nicht rückgängig machen.",
  wasDeleted: (name) => `„${name}“ ist gelöscht`,
  keep: "Behalten",
  inUse: "Sie wird noch gebraucht und lässt sich nicht löschen:",
  usedBy: { segment: "die Gruppe", message: "eine Nachricht", automation: "eine Automatisierung" },
  name: "Name",
  description: "Beschreibung",
  color: "Farbe",
  noColor: "Keine",
  reportsLabel: "Melden, wer dazukommt und geht",
  reportsHint:
    "Webhooks, Ihre Software und Automatisierungen erfahren ab jetzt von jedem Kunden, der dazukommt oder geht; wenn nur die Zeit der Grund ist, eine Minute nach Mitternacht.",
  about: "Über die Gruppe",
  members: "Kunden in dieser Gruppe",
  nobody: "Derzeit keine Kunden.",
  noun: "Kunden",
  first: "Erste Kunden",
  found: "Bedingungen",
  badLink: "Der Filter in diesem Link ist nicht lesbar.",
  uses: "Verwendet von:",
  useKinds: { segment: "Gruppe", message: "Nachricht", automation: "Automatisierung" },
  otherUses: (count) => `und ${numberText(count)} weiteren`,
  unused: "Noch von keiner Nachricht oder Automatisierung verwendet.",
  trend: (members, days) =>
    `${members === 0 ? "±0" : `${members > 0 ? "+" : "−"}${numberText(Math.abs(members))}`} in ${countText(days, "Tag", "Tagen")}`,
  trendLater: "Der Verlauf beginnt morgen",
  days: (count) => countText(count, "Tag", "Tage"),
  curve: "Kunden pro Tag",
  came: "Dazugekommen",
  went: "Gegangen",
  curveLater: "Die ersten Tageszahlen erscheinen nach Mitternacht.",
};

export const actions: Translated<typeof en.actions> = {
  share: "Diese Bedingungen teilen",
  json: "Als JSON, für Entwickler",
  noFilter: "Das ist kein gültiger Filter.",
  copyJson: "JSON kopieren",
  jsonCopied: "Der Filter ist kopiert",
  copyLink: "Link kopieren",
  linkCopied: "Der Link ist kopiert",
  saveAsSegment: "Als Gruppe speichern",
  showAll: "Alle anzeigen",
  tagAll: "Allen ein Etikett geben",
  write: "Ihnen schreiben",
  export: "Alle exportieren",
  exported: (count, total) => `${numberText(count)} von ${numberText(total)}`,
  tagSome: (count) => `${countText(count, "Kunden", "Kunden")} ein Etikett geben`,
  tagged: (count, tag, had) =>
    `${countText(count, "Kunde hat", "Kunden haben")} jetzt das Etikett „${tag}“${had > 0 ? `, ${numberText(had)} hatten es schon` : ""}`,
  tag: "Etikett",
  tagHint: "Wählen Sie ein Etikett oder geben Sie den Namen eines neuen ein.",
  tagMissing: "Geben Sie den Namen eines Etiketts ein.",
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
