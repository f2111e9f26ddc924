import type { Encoding, Reading } from "./encodings.js";

/** A fault in a file, record, or cell. Each kind of fault has a code, so callers can translate it. */
export type CsvFault =
  | { readonly code: "workbook" }
  | { readonly code: "quote_unclosed"; readonly line: number }
  | { readonly code: "quote_misplaced"; readonly line: number }
  | { readonly code: "record_too_long"; readonly line: number }
  | { readonly code: "encoding_wrong"; readonly encoding: Encoding; readonly line: number }
  /** `readings` contains the possible decodings of an ambiguous word from the file. */
  | { readonly code: "encoding_unknown"; readonly readings: readonly Reading[] }
  | { readonly code: "delimiter_unknown"; readonly delimiters: readonly string[] }
  | { readonly code: "other_cards" }
  | { readonly code: "header_twice"; readonly headers: readonly string[] }
  | { readonly code: "name_and_parts" }
  | { readonly code: "no_key" }
  | { readonly code: "miscounted"; readonly fields: number; readonly columns: number }
  | { readonly code: "no_header"; readonly text: string }
  | { readonly code: "rounded_number"; readonly text: string }
  | { readonly code: "spreadsheet_error"; readonly text: string }
  | { readonly code: "no_time" }
  | { readonly code: "day_order_unknown"; readonly text: string }
  | { readonly code: "consent_unknown"; readonly text: string };

export function faultText(fault: CsvFault): string {
  switch (fault.code) {
    case "workbook":
      return "this is a workbook: save its sheet as CSV, and import that";
    case "quote_unclosed":
      return `a quote after line ${fault.line} is never closed`;
    case "quote_misplaced":
      return `line ${fault.line} has a quote inside a field; such a field has to be quoted, and its quotes doubled`;
    case "record_too_long":
      return `the record after line ${fault.line} is longer than 1 MiB; is a quote never closed?`;
    case "encoding_wrong":
      return `the text after line ${fault.line} is not ${fault.encoding.toUpperCase()}; save the file as UTF-8`;
    case "encoding_unknown":
      return `its encoding is unknown${fault.readings.map(readingText).join("")}`;
    case "delimiter_unknown":
      return `its fields may be separated by ${fault.delimiters.map(delimiterText).join(" or ")}`;
    case "other_cards":
      return "it has cards of another program, which loyalty-kit import brings over";
    case "header_twice":
      return `${quoted(fault.headers)} stands for the same as another header`;
    case "name_and_parts":
      return "give the name, or its parts firstName and lastName, not both";
    case "no_key":
      return "no header stands for email, phone or externalId";
    case "miscounted":
      return `has ${fault.fields} fields, not ${fault.columns}`;
    case "no_header":
      return `has ${JSON.stringify(fault.text)} in a column without a header`;
    case "rounded_number":
      return `is ${JSON.stringify(fault.text)}, which a spreadsheet has rounded: format the column as text there, and enter the number again`;
    case "spreadsheet_error":
      return `is ${JSON.stringify(fault.text)}, which a spreadsheet shows in place of a value`;
    case "no_time":
      return "must be a date such as 2024-05-31, or a time such as 2024-05-31T09:30:00Z";
    case "day_order_unknown":
      return `is ${JSON.stringify(fault.text)}, where the day or the month may come first`;
    case "consent_unknown":
      return `must be subscribed or unsubscribed, not ${JSON.stringify(fault.text)}`;
  }
}

function readingText({ encoding, text }: Reading, nth: number): string {
  return `${nth === 0 ? ": " : ", or "}${JSON.stringify(text)} in ${encoding}`;
}

function delimiterText(delimiter: string): string {
  return delimiter === "\t" ? "tabs" : JSON.stringify(delimiter);
}

export function quoted(headers: readonly string[]): string {
  return headers.map((header) => JSON.stringify(header)).join(", ");
}
