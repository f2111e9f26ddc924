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
