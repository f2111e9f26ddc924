import { CellError } from "./cell-error.js";
import type { ConsentColumn } from "./columns.js";
import { type DayOrder, timeIn } from "./dates.js";

/** The words of a cell that say whether a customer accepts mails, in any case. */
const words = {
  subscribed: "SUBSCRIBED",
  true: "SUBSCRIBED",
  unsubscribed: "UNSUBSCRIBED",
  false: "UNSUBSCRIBED",
} as const;

/** The consent fields of an imported row. */
export interface RowConsent {
  readonly emailConsent?: "SUBSCRIBED" | "UNSUBSCRIBED";
  readonly consentAt?: string;
  readonly consentText?: string;
  readonly language?: string;
}

/** Returns the text of a column; `undefined` for an empty cell. */
export type CellReader = (column: ConsentColumn) => string | undefined;

/**
 * Reads the consent and the language of a row; fields of empty cells are absent.
 * @param order of the day and the month of a date.
 * @throws {CellError}
 */
export function parseConsent(cell: CellReader, order: DayOrder | null): RowConsent {
  const [given, at, consentText, language] = [
    cell("emailConsent"),
    cell("consentAt"),
    cell("consentText"),
    cell("language"),
  ];
  const consentAt = at === undefined ? undefined : timeIn("consentAt", at, order);
  const emailConsent = given === undefined ? undefined : parseStatus(given);
  return {
    ...(emailConsent !== undefined && { emailConsent }),
    ...(consentAt !== undefined && { consentAt }),
    ...(consentText !== undefined && { consentText }),
    ...(language !== undefined && { language }),
  };
}

function parseStatus(text: string): (typeof words)[keyof typeof words] {
  const word = text.toLowerCase();
  const known = Object.entries(words).find(([each]) => each === word);
  if (known === undefined) {
    throw new CellError("emailConsent", { code: "consent_unknown", text });
  }
  return known[1];
}
