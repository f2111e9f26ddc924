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
  title: "Alle Daten exportieren",
  what: "Kunden, Karten, Stempel, Etiketten, Nachrichten, Einwilligungen, Statistik und Einstellungen, als ZIP-Datei mit Tabellen für Excel und Co. Passwörter und API-Token sind nicht enthalten.",
  care: "Sie enthält die Daten aller Kunden: Bewahren Sie sie sicher auf.",
  verb: "Alles exportieren",
  cancel: "Abbrechen",
  soFar: (megabytes) => `Bisher ${megabytes} MB. Bleiben Sie auf dieser Seite, bis es fertig ist.`,
  done: "Der Export ist fertig",
  fileName: "alles",
};
