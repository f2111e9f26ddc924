import type { CsvFault } from "../../../../csv/faults.js";
import type * as english from "../en/importing.js";
import type { Translated } from "../translated.js";
import { countText, numberText, quoted } from "./forms.js";

function faultText(fault: CsvFault): string {
  switch (fault.code) {
    case "workbook":
      return "sie ist eine Arbeitsmappe; speichern Sie das Blatt als CSV und importieren Sie das";
    case "quote_unclosed":
      return `ein Anführungszeichen nach Zeile ${fault.line} wird nicht geschlossen`;
    case "quote_misplaced":
      return `Zeile ${fault.line} hat ein Anführungszeichen mitten in einem Feld; solche Felder stehen in Anführungszeichen, und ihre eigenen werden verdoppelt`;
    case "record_too_long":
      return `der Datensatz nach Zeile ${fault.line} ist länger als 1 MiB; fehlt ein schließendes Anführungszeichen?`;
    case "encoding_wrong":
      return `der Text nach Zeile ${fault.line} ist nicht ${fault.encoding.toUpperCase()}; speichern Sie die Datei als UTF-8`;
    case "encoding_unknown":
      return "ihre Zeichenkodierung ist unbekannt";
    case "delimiter_unknown":
      return "ihr Trennzeichen ist unbekannt";
    case "other_cards":
      return "sie enthält Karten eines anderen Programms; die übernimmt loyalty-kit import";
    case "header_twice":
      return `${fault.headers.map(quoted).join(", ")} steht für dasselbe wie eine andere Überschrift`;
    case "name_and_parts":
      return "entweder name oder firstName und lastName, nicht beides";
    case "no_key":
      return "keine Überschrift steht für email, phone oder externalId";
    case "miscounted":
      return `hat ${fault.fields} Felder statt ${fault.columns}`;
    case "no_header":
      return `hat ${quoted(fault.text)} in einer Spalte ohne Überschrift`;
    case "rounded_number":
      return `ist ${quoted(fault.text)}, von der Tabellenkalkulation gerundet; geben Sie der Spalte dort das Format Text und die Zahl noch einmal ein`;
    case "spreadsheet_error":
      return `ist ${quoted(fault.text)}, was eine Tabellenkalkulation anstelle eines Werts zeigt`;
    case "no_time":
      return "muss ein Tag wie 2024-05-31 oder eine Zeit wie 2024-05-31T09:30:00Z sein";
    case "day_order_unknown":
      return `ist ${quoted(fault.text)}: Tag oder Monat kann vorn stehen`;
    case "consent_unknown":
      return `muss subscribed oder unsubscribed sein, nicht ${quoted(fault.text)}`;
  }
}

export const importing: Translated<typeof english.importing> = {
  title: "Kunden importieren",
  file: "CSV-Datei",
  fileHint:
    "Die erste Zeile nennt die Spalten: email, name (oder firstName und lastName), phone, externalId, tags. Andere werden zu Notizen.",
  unreadable: "Die Datei lässt sich nicht lesen.",
  fileWrong: (fault) => `Die Datei kann nicht importiert werden: ${faultText(fault)}.`,
  choose: "Auswählen",
  encoding: "Zeichenkodierung",
  encodingHint: "Die Datei nennt ihre Zeichenkodierung nicht. Wählen Sie die Zeile, die richtig aussieht.",
  reading: (text, encoding) => `${text} (${encoding})`,
  delimiter: "Trennzeichen",
  delimiterHint: "In der ersten Zeile kommen mehrere Trennzeichen infrage.",
  tab: "Tabulator",
  dates: "Datumsangaben",
  datesHint: (date) => `${date} ist mehrdeutig.`,
  dayFirst: "Tag zuerst",
  monthFirst: "Monat zuerst",
  makeTags: "Fehlende Etiketten anlegen",
  toAdd: (rows) => `${countText(rows, "Zeile", "Zeilen")} zum Hinzufügen.`,
  progress: "Fortschritt des Imports",
  state: (done, rows, added, refused) =>
    `${numberText(done)} von ${numberText(rows)}: ${countText(added, "Kunde", "Kunden")} hinzugefügt, ${countText(refused, "Zeile", "Zeilen")} abgelehnt`,
  waits: "wartet auf den Server",
  line: "Zeile",
  email: "E-Mail",
  why: "Grund",
  saveRefused: "Abgelehnte Zeilen speichern",
  refusedName: "abgelehnt",
  done: "Fertig",
  stop: "Anhalten",
  verb: "Importieren",
  rowWrong: (fault) => `Die Zeile ${faultText(fault)}.`,
  cellWrong: (column, fault) => `${column} ${fault === null ? "ist nicht lesbar" : faultText(fault)}.`,
  noTag: (tag) => `tags: Das Etikett ${tag} gibt es nicht.`,
  consentIncomplete: "Eine Einwilligung braucht consentAt und consentText.",
};
