import type { StoredWalletDevice } from "../../../src/index.js";
import type { WalletDevices } from "../../../src/wallets/devices.js";

/** Google's wallets are one device to us: it says no more than that somebody has a card. */
export const GOOGLE_DEVICE = "google";

/** How long Google may take to say the same everywhere, in milliseconds. */
const SETTLED_MS = 600_000;

/**
 * Takes over whether somebody has a card, as Google says it in a card: callbacks may get lost, and for some issuers they
 * stopped.
 * @param devices those of the pass that are known to have it.
 * @param now when Google was asked.
 */
export async function reconcile(
  devices: Pick<WalletDevices, "reconcile">,
  organizationId: string,
  passId: string,
  hasUsers: unknown,
  known: readonly StoredWalletDevice[],
  now: number,
): Promise<void> {
  if (typeof hasUsers !== "boolean" || hasUsers === known.length > 0) return;
  const key = { passId, platform: "google", deviceId: GOOGLE_DEVICE } as const;
  await devices.reconcile(organizationId, key, hasUsers, now - SETTLED_MS);
}
