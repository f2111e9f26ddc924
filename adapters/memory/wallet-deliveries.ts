import type {
  NewWalletDelivery,
  StoredWalletDelivery,
  WalletClaim,
  WalletOutcome,
  WalletPlatform,
} from "../../src/storage/wallets.js";
import { compareTexts } from "./store/order.js";
import type { OrganizationRows, WalletDeliveryRow } from "./store/organization-rows.js";
import { kept, referred } from "./store/rows.js";
import type { Store } from "./store/store.js";
import type { UndoLog } from "./store/undo-log.js";

const platforms: readonly WalletPlatform[] = ["apple", "google"];

export function walletQueuesToServe(store: Store, now: number, limit: number): string[] {
  const found: { readonly id: string; readonly dueAt: number }[] = [];
  for (const [id, { walletQueue, walletDeliveries, lastPosition }] of store.all()) {
    if (walletQueue === null) continue;
    let dueAt = Number.POSITIVE_INFINITY;
    for (const { delivery } of walletDeliveries.values()) dueAt = Math.min(dueAt, delivery.nextAttemptAt);
    const isBehind = walletQueue.sweeps.length > 0 || walletQueue.position < lastPosition;
    if (dueAt <= now || isBehind) found.push({ id, dueAt: Math.min(dueAt, now + 1) });
  }
  return found
    .sort((a, b) => a.dueAt - b.dueAt)
    .slice(0, limit)
    .map(({ id }) => id);
}

export function organizationsWithWallets(store: Store, after: string, limit: number): string[] {
  return [...store.all()]
    .flatMap(([id, { walletQueue }]) => (walletQueue !== null && compareTexts(id, after) > 0 ? [id] : []))
    .sort(compareTexts)
    .slice(0, limit);
}

export function putWalletDeliveries(
  rows: OrganizationRows,
  log: UndoLog,
  deliveries: readonly NewWalletDelivery[],
): void {
  for (const delivery of deliveries) {
    referred(rows.walletCards, delivery.passId);
    const key = keyOf(delivery);
    const before = rows.walletDeliveries.get(key);
    const after: WalletDeliveryRow =
      before === undefined
        ? { delivery: kept({ ...delivery, attempts: 0 }), lease: null }
        : { ...before, delivery: kept({ ...before.delivery, revision: delivery.revision }) };
    log.set(rows.walletDeliveries, key, after);
  }
}

export function claimWalletDeliveries(
  { walletDeliveries }: OrganizationRows,
  log: UndoLog,
  platform: WalletPlatform,
  { lease, now, until, limit }: WalletClaim,
): StoredWalletDelivery[] {
  return [...walletDeliveries.values()]
    .map(({ delivery }) => delivery)
    .filter((delivery) => delivery.platform === platform && delivery.nextAttemptAt <= now)
    .sort((a, b) => a.nextAttemptAt - b.nextAttemptAt || (a.passId < b.passId ? -1 : 1))
    .slice(0, limit)
    .map((delivery) => {
      const claimed = kept({ ...delivery, nextAttemptAt: until });
      log.set(walletDeliveries, keyOf(delivery), { delivery: claimed, lease });
      return claimed;
    });
}

export function settleWalletDeliveries(
  rows: OrganizationRows,
  log: UndoLog,
  platform: WalletPlatform,
  lease: string,
  outcomes: readonly WalletOutcome[],
  now: number,
): void {
  for (const { passId, revision, deviceIds, nextAttemptAt } of outcomes) {
    const key = keyOf({ platform, passId });
    const row = rows.walletDeliveries.get(key);
    if (row?.lease !== lease) continue;
    const devices = referred(rows.walletDevices, passId).map((device) =>
      device.platform === platform && deviceIds.includes(device.deviceId)
        ? kept({ ...device, toldRevision: revision })
        : device,
    );
    log.set(rows.walletDevices, passId, devices);
    const { delivery } = row;
    if (nextAttemptAt !== null) {
      const attempts = delivery.attempts + 1;
      log.set(rows.walletDeliveries, key, {
        delivery: kept({ ...delivery, attempts, nextAttemptAt }),
        lease: null,
      });
    } else if (delivery.revision > revision) {
      const again = kept({ ...delivery, attempts: 0, nextAttemptAt: now });
      log.set(rows.walletDeliveries, key, { delivery: again, lease: null });
    } else {
      log.delete(rows.walletDeliveries, key);
    }
  }
}

export function removeWalletDeliveries(rows: OrganizationRows, log: UndoLog, passId: string): void {
  for (const platform of platforms) log.delete(rows.walletDeliveries, keyOf({ platform, passId }));
}

function keyOf({ platform, passId }: Pick<StoredWalletDelivery, "platform" | "passId">): string {
  return `${platform} ${passId}`;
}
