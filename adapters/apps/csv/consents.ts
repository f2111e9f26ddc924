import { CellError } from "./cells.js";
import type { ConsentColumn } from "./columns.js";
import { type DayOrder, timeIn } from "./dates.js";

/** The cell values that say whether a customer is subscribed to email. Case is ignored. */
const words = {
  subscribed: "SUBSCRIBED",
  true: "SUBSCRIBED",
  unsubscribed: "UNSUBSCRIBED",
  false: "UNSUBSCRIBED",
} as const;

/** The consent and language in an imported row. */
export interface RowConsent {
  readonly emailConsent?: "SUBSCRIBED" | "UNSUBSCRIBED";
  readonly consentAt?: string;
  readonly consentText?: string;
  readonly language?: string;
}

/** Returns the text of a column's cell, or `undefined` if the cell is empty. */
export type CellReader = (column: ConsentColumn) => string | undefined;

/**
 * Parses a row's consent and language. Omits fields whose cells are empty.
 * @param order the order of day and month in dates, or `null` if it is unknown.
 * @throws {CellError} if a cell is malformed.
 */
export function parseConsent(cell: CellReader, order: DayOrder | null): RowConsent {
  const [statusText, at, consentText, language] = [
    cell("emailConsent"),
    cell("consentAt"),
    cell("consentText"),
    cell("language"),
  ];
  const consentAt = at === undefined ? undefined : timeIn("consentAt", at, order);
  const emailConsent = statusText === undefined ? undefined : parseStatus(statusText);
  return {
    ...(emailConsent !== undefined && { emailConsent }),
    ...(consentAt !== undefined && { consentAt }),
    ...(consentText !== undefined && { consentText }),
    ...(language !== undefined && { language }),
  };
}

function parseStatus(text: string): (typeof words)[keyof typeof words] {
  const word = text.toLowerCase();
  const matchingStatus = Object.entries(words).find(([each]) => each === word);
  if (matchingStatus === undefined) {
    throw new CellError("emailConsent", { code: "consent_unknown", text });
  }
  return matchingStatus[1];
}
