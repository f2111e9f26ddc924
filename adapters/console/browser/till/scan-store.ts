import type { DeviceStore } from "./device-store.js";

/** A scan that has yet to be sent, or that the server refused. */
export interface PendingScan {
  /** Determines the order in which scans are sent. */
  readonly id: number;
  readonly organizationId: string;
  /** The scanned code, or the pass ID if the pass was already found. */
  readonly card: { readonly code: string } | { readonly passId: string };
  readonly count: number;
  /** Idempotency key, shared by all attempts to send the scan. */
  readonly idempotencyKey: string;
  /** In milliseconds since the Unix epoch, like `sentAt`. */
  readonly scannedAt: number;
  /** When the scan was first sent; `null` if it hasn't been. */
  readonly sentAt: number | null;
  /** Why the server refused the scan; `null` if it wasn't refused. */
  readonly refusal: string | null;
}

/** Stores the pending scans of a device. */
export type ScanStore = DeviceStore<PendingScan>;
