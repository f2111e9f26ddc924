import type { DeviceStore } from "./device-store.js";

/** A scan that is to be sent. */
export interface PendingScan {
  /** Its place in the order of the scans. */
  readonly id: number;
  readonly organizationId: string;
  /** The scanned code, or the pass that was found by it already. */
  readonly card: { readonly code: string } | { readonly passId: string };
  readonly count: number;
  /** Makes every try of it one and the same. */
  readonly idempotencyKey: string;
  /** In milliseconds since the Unix epoch, as the times below. */
  readonly scannedAt: number;
  /** The time when it was sent first; `null` before that. */
  readonly sentAt: number | null;
  /** The reason why it was not accepted; `null` while it waits. */
  readonly refusal: string | null;
}

/** The scans that wait on a device. */
export type ScanStore = DeviceStore<PendingScan>;
