import type { CsvFault } from "../../../../csv/faults.js";
import type * as english from "../en/transfer.js";
import type { Translated } from "../translated.js";
import { counted, numberText, quoted } from "./forms.js";

function faultText(fault: CsvFault): string {
  switch (fault.code) {
    case "header_twice":
      return `${fault.headers.map(quoted).join(", ")} steht für dasselbe wie eine andere Überschrift`;
    case "name_and_parts":
      return "entweder name oder firstName und lastName, nicht beides";
    case "no_email":
      return "keine Überschrift steht für die E-Mail";
    case "miscounted":
      return `hat ${fault.fields} Felder statt ${fault.columns}`;
    case "consent_unknown":
      return `muss subscribed oder unsubscribed sein, nicht ${quoted(fault.text)}`;
  }
}

export const exporting: Translated<typeof english.exporting> = {
  title: "Kunden exportieren",
  what: (total) =>
    `${counted(total, "Kunde", "Kunden")} wie in der Liste, in eine CSV-Datei mit E-Mail, Name, Telefon und Kundennummer.`,
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

export const importing: Translated<typeof english.importing> = {
  title: "Kunden importieren",
  file: "CSV-Datei",
  fileHint:
    "Die erste Zeile nennt die Spalten: email, name (oder firstName und lastName), phone, externalId, tags. Andere werden zu Notizen.",
  unreadable: "Die Datei lässt sich nicht lesen.",
  workbook: "Das ist eine Arbeitsmappe: Speichern Sie das Blatt als CSV und importieren Sie das.",
  columnsWrong: (fault) => `Die erste Zeile muss die Spalten nennen: ${faultText(fault)}.`,
  otherCards: "Die Datei enthält Karten eines anderen Programms: Die übernimmt loyalty-kit import.",
  makeTags: "Fehlende Etiketten anlegen",
  toAdd: (rows) => `${counted(rows, "Zeile", "Zeilen")} zum Hinzufügen.`,
  progress: "Fortschritt des Imports",
  state: (done, rows, added, refused) =>
    `${numberText(done)} von ${numberText(rows)}: ${counted(added, "Kunde", "Kunden")} hinzugefügt, ${counted(refused, "Zeile", "Zeilen")} abgelehnt`,
  waits: "wartet auf den Server",
  line: "Zeile",
  email: "E-Mail",
  why: "Warum abgelehnt",
  saveRefused: "Abgelehnte Zeilen speichern",
  refusedName: "abgelehnt",
  done: "Fertig",
  stop: "Anhalten",
  verb: "Importieren",
  rowWrong: (fault) => `Die Zeile ${faultText(fault)}.`,
  cellWrong: (column, fault) => `${column} ${fault === null ? "ist nicht lesbar" : faultText(fault)}.`,
  noTag: (tag) => `tags: Das Etikett ${tag} gibt es nicht.`,
  consentIncomplete: "Eine Einwilligung braucht consentAt und consentText.",
  consentAtWrong: "consentAt muss ein Tag oder eine Zeit sein, zum Beispiel 2025-03-01.",
};
