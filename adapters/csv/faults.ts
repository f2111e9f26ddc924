/** What is wrong with the headers of a file, or with a record, by a code. Whoever tells it says it in their language. */
export type CsvFault =
  | { readonly code: "header_twice"; readonly headers: readonly string[] }
  | { readonly code: "name_and_parts" }
  | { readonly code: "no_email" }
  | { readonly code: "miscounted"; readonly fields: number; readonly columns: number }
  | { readonly code: "consent_unknown"; readonly text: string };

/** Says in English what is wrong. */
export function faultText(fault: CsvFault): string {
  switch (fault.code) {
    case "header_twice":
      return `${quoted(fault.headers)} stands for the same as another header`;
    case "name_and_parts":
      return "give the name, or its parts firstName and lastName, not both";
    case "no_email":
      return "no header stands for the email";
    case "miscounted":
      return `has ${fault.fields} fields, not ${fault.columns}`;
    case "consent_unknown":
      return `must be subscribed or unsubscribed, not ${JSON.stringify(fault.text)}`;
  }
}

export function quoted(headers: readonly string[]): string {
  return headers.map((header) => JSON.stringify(header)).join(", ");
}
