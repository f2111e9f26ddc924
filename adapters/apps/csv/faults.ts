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
      return "the file is a workbook; save the sheet as CSV and import the CSV file";
    case "quote_unclosed":
      return `a quotation mark after line ${fault.line} is never closed`;
    case "quote_misplaced":
      return `line ${fault.line} has a quotation mark inside a field; put the whole field in quotation marks and double the ones inside`;
    case "record_too_long":
      return `the record after line ${fault.line} is longer than 1 MiB; check for a quotation mark that is never closed`;
    case "encoding_wrong":
      return `the text after line ${fault.line} is not ${fault.encoding.toUpperCase()}; save the file as UTF-8`;
    case "encoding_unknown":
      return `the encoding couldn't be detected${fault.readings.map(readingText).join("")}`;
    case "delimiter_unknown":
      return `the delimiter couldn't be detected: it may be ${fault.delimiters.map(describeDelimiter).join(" or ")}`;
    case "other_cards":
      return "the file contains cards from another program; import them with loyalty-kit import";
    case "header_twice":
      return `another header already has the same meaning as ${quoted(fault.headers)}`;
    case "name_and_parts":
      return "use either name, or firstName and lastName, but not both";
    case "no_key":
      return "there is no column for email, phone, or externalId";
    case "miscounted":
      return `has ${fault.fields} fields, not ${fault.columns}`;
    case "no_header":
      return `has ${JSON.stringify(fault.text)} in a column without a header`;
    case "rounded_number":
      return `is ${JSON.stringify(fault.text)}, a number that a spreadsheet rounded; format the column as text and enter the number again`;
    case "spreadsheet_error":
      return `is ${JSON.stringify(fault.text)}, which a spreadsheet shows instead of a value`;
    case "no_time":
      return "must be a date such as 2024-05-31, or a time such as 2024-05-31T09:30:00Z";
    case "day_order_unknown":
      return `is ${JSON.stringify(fault.text)}, which could be day first or month first`;
    case "consent_unknown":
      return `must be subscribed or unsubscribed, not ${JSON.stringify(fault.text)}`;
  }
}

function readingText({ encoding, text }: Reading, nth: number): string {
  return `${nth === 0 ? ": " : ", or "}${JSON.stringify(text)} in ${encoding}`;
}

function describeDelimiter(delimiter: string): string {
  return delimiter === "\t" ? "tabs" : JSON.stringify(delimiter);
}

export function quoted(headers: readonly string[]): string {
  return headers.map((header) => JSON.stringify(header)).join(", ");
}
