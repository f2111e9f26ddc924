/** The scanned code, or the pass ID if the card has already been looked up. */
export type CardReference = { readonly code: string } | { readonly passId: string };

/** A purchase recorded at a till. The source and the receipt identify it for good, so it is recorded once even if it is sent twice. */
export interface TillPurchase {
  readonly source: string;
  readonly receipt: string;
  readonly card: CardReference;
  readonly currency: string;
  /** The amount in minor units. */
  readonly amount: number;
  /** When the purchase was booked, in milliseconds since the Unix epoch. Every attempt to send it has the same time. */
  readonly at: number;
}

const letters = "0123456789abcdefghijklmnopqrstuvwxyz";

/**
 * Creates the number of a new receipt, such as `20261129-183005-k3f9x0`. It has the time in UTC and random characters, so that the
 * pages of one device never use the same number.
 * @param now the current time in milliseconds since the Unix epoch.
 */
export function createReceipt(now: number): string {
  const [date = "", time = ""] = new Date(now).toISOString().split("T");
  return `${date.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${createRandomText(6)}`;
}

/** Returns random characters that a purchase's source and receipt allow. */
export function createRandomText(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join("");
}
