import type * as english from "../en/transfer.js";
import type { Translated } from "../translated.js";
import { countText } from "./forms.js";

export const exporting: Translated<typeof english.exporting> = {
  title: "Kunden exportieren",
  what: (total) =>
    `${countText(total, "Kunde", "Kunden")} wie in der Liste, in eine CSV-Datei mit E-Mail, Name, Telefon und Kundennummer.`,
  progress: "Fortschritt des Exports",
  verb: "Exportieren",
  fileName: "kunden",
};

export const everything: Translated<typeof english.everything> = {
  title: "Alles in einer Datei",
  what: "Kunden, Karten, jeder Stempel, Etiketten, Nachrichten, Einwilligungen, Zahlen und Einstellungen, als ZIP-Datei mit Tabellen, die sich mit Excel öffnen lassen. Passwörter und Schlüssel sind nicht darin.",
  care: "Sie enthält die Daten aller Kunden: Bewahren Sie sie auf wie einen Schlüssel.",
  verb: "Alles exportieren",
  cancel: "Abbrechen",
  soFar: (megabytes) => `Bisher ${megabytes} MB. Bleiben Sie auf dieser Seite, bis es fertig ist.`,
  done: "Alles ist in der Datei",
  fileName: "alles",
};
