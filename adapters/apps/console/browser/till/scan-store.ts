import type { DeviceStore } from "./device-store.js";

/** A scan that hasn't been accepted by the server, either because it is waiting to be sent or because it was refused. */
export interface PendingScan {
  /** An ID that increases with each scan. Scans are sent in ascending ID order. */
  readonly id: number;
  readonly organizationId: string;
  /** The scanned code, or the pass ID if the card had already been looked up. */
  readonly card: { readonly code: string } | { readonly passId: string };
  readonly count: number;
  /** The scan's idempotency key. Every attempt to send the scan uses the same key. */
  readonly idempotencyKey: string;
  /** When the card was scanned, in milliseconds since the Unix epoch. */
  readonly scannedAt: number;
  /** When the scan was first sent, in milliseconds since the Unix epoch, or `null` if it hasn't been sent yet. */
  readonly sentAt: number | null;
  /** The server's reason for refusing the scan, or `null` if it hasn't been refused. */
  readonly refusal: string | null;
}

/** A device's pending scans, kept in IndexedDB so that they survive a browser restart. */
export type ScanStore = DeviceStore<PendingScan>;
