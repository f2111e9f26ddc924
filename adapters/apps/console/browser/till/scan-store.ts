import type { CardReference, TillPurchase } from "./till-purchase.js";

interface PendingBase {
  /** An ID that increases with each scan. Scans are sent in ascending ID order. */
  readonly id: number;
  readonly organizationId: string;
  /** When the card was scanned, in milliseconds since the Unix epoch. */
  readonly scannedAt: number;
  /** When the scan was first sent, in milliseconds since the Unix epoch, or `null` if it hasn't been sent yet. */
  readonly sentAt: number | null;
  /** The server's reason for refusing the scan, or `null` if it hasn't been refused. */
  readonly refusal: string | null;
}

/** Stamps for a scanned card. */
export interface PendingStamps extends PendingBase {
  readonly card: CardReference;
  readonly count: number;
  /** The scan's idempotency key. Every attempt to send the scan uses the same key. */
  readonly idempotencyKey: string;
}

/** A purchase of a scanned card's customer, or its return. */
export interface PendingPurchase extends PendingBase {
  readonly purchase: TillPurchase;
  readonly isReturn: boolean;
}

/** A scan that hasn't been accepted by the server, either because it is waiting to be sent or because it was refused. */
export type PendingScan = PendingStamps | PendingPurchase;

export const isPurchase = (scan: PendingScan): scan is PendingPurchase => "purchase" in scan;

/**
 * Time in milliseconds for which a call can safely be repeated with the same idempotency key. The server remembers keys for an hour
 * longer, which leaves a safety margin.
 */
export const IDEMPOTENCY_WINDOW_MS = 23 * 3_600_000;
