import type * as english from "../en/palette.js";
import type { Translated } from "../translated.js";
import { countText } from "./forms.js";

export const palette: Translated<typeof english.palette> = {
  title: "Suche",
  field: "Kunden, Seiten und Aktionen suchen",
  example: "Kunde, Seite oder Aktion …",
  screens: "Seiten",
  actions: "Aktionen",
  customers: "Kunden",
  count: (count) => countText(count, "Ergebnis", "Ergebnisse"),
  searching: "Sucht …",
  none: "Nichts gefunden",
  close: "Schließen",
  within: (section, tab) => `${section}: ${tab}`,
  cardKeywords: "Punkte Stempel Prämien Plakat",
  tags: "Etiketten",
  addCustomer: "Kunden hinzufügen",
  newSegment: "Neue Gruppe",
  newMessage: "Neue Nachricht",
  newAutomation: "Neue Automation",
  shortcuts: "Tastenkürzel",
  paletteKeys: "Strg K, ⌘ K",
  keysFor: {
    palette: "Kunden, Seiten und Aktionen suchen",
    field: "Zum Suchfeld der Seite",
    shortcuts: "Diese Tastenkürzel zeigen",
    choice: "Ein Ergebnis wählen",
    close: "Schließen, was offen ist",
  },
  notInFields: "In Feldern sind „/“ und „?“ Text. An der Kasse gehören sie dem Scanner.",
};
