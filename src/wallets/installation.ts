import type { Step } from "../concurrency/step.js";
import type { RecordEvent } from "../events/recording.js";
import { walletPassOf } from "../resources/pass.js";
import { countInstall } from "../statistics/count-deltas.js";
import type { InstallationStatus, StoredPass } from "../storage/passes.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import {
  type StoredWalletCard,
  type StoredWalletDelivery,
  type StoredWalletDevice,
  type WalletPlatform,
  walletJobs,
} from "../storage/wallets.js";
import type { Tenant } from "../tenant/tenant.js";
import { nextUpdatedAt } from "../values/clock.js";

/*
 * Anyone with a pass can add and remove it as fast as a program can call, so the installation status follows at a limited rate: a
 * pass that comes back within a minute was never gone.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The least time between two changes of the installation status of a pass, in milliseconds. */
export const MIN_INTERVAL_MS = MINUTE_MS;

/** The number of status changes allowed a minute apart; after that, one every two hours. */
const BURST = 12;
const REFILL_MS = 2 * HOUR_MS;

/** The most changes of the installation status of one pass in 24 hours. */
export const MAX_CHANGES_A_DAY = BURST + (24 * HOUR_MS) / REFILL_MS;

/**
 * Sets the installation status of a pass, which has another one, and records the event.
 * @param platform whose wallet it is about; `null` if the host says so.
 */
export function* changeInstallation(
  tenant: Tenant,
  tx: StorageTransaction,
  record: RecordEvent,
  before: StoredPass,
  installationStatus: InstallationStatus,
  platform: WalletPlatform | null,
): Step<StoredPass> {
  const updatedAt = nextUpdatedAt(before.updatedAt, tenant.now());
  yield* tx.updateInstallation(tenant.organizationId, before.id, installationStatus, updatedAt);
  const after = { ...before, installationStatus, updatedAt };
  const data = { ...walletPassOf(after, tenant.engine.shortLinks.current), platform };
  if (installationStatus === "INSTALLED") record("pass.installed", data, countInstall(platform));
  else record("pass.uninstalled", data, {});
  return after;
}

/**
 * Brings the installation status of a pass in line with its devices. A change that comes too soon after the last one is
 * deferred: a worker compares the two again when a change is allowed, and one that was undone by then is never recorded.
 * @returns when a deferred change is due; `null` for none.
 */
export function* syncWithDevices(
  tenant: Tenant,
  tx: StorageTransaction,
  record: RecordEvent,
  pass: StoredPass,
  card: StoredWalletCard,
): Step<number | null> {
  const { organizationId } = tenant;
  const devices = yield* tx.walletDevicesOf(organizationId, [pass.id]);
  const isHeld = devices.some(({ state }) => state === "registered");
  const isKnown = isHeld === (pass.installationStatus === "INSTALLED");
  if (isKnown) return null;
  const now = tenant.now();
  const at = nextChangeAt(card, pass, now);
  if (at > now) {
    const delivery = { passId: pass.id, revision: card.revision, nextAttemptAt: at, createdAt: now };
    yield* tx.putJobs(organizationId, walletJobs, [{ ...delivery, platform: "installation" }]);
    return at;
  }
  const status = isHeld ? "INSTALLED" : "UNINSTALLED";
  yield* changeInstallation(tenant, tx, record, pass, status, latestPlatform(devices, isHeld));
  const notifiedUntil = countedUntil(card.notifiedUntil, now) + REFILL_MS;
  yield* tx.updateWalletCards(organizationId, [{ ...card, notifiedUntil }]);
  return null;
}

/** A deferred change that a worker has claimed. */
export type ClaimedInstallation = Pick<StoredWalletDelivery, "passId" | "revision"> & {
  readonly lease: string;
};

/** Applies the deferred change of a pass, unless its devices have undone it. The change may be deferred once more. */
export function* applyDeferred(
  tenant: Tenant,
  tx: StorageTransaction,
  record: RecordEvent,
  { passId, revision, lease }: ClaimedInstallation,
): Step<void> {
  const { organizationId } = tenant;
  // First the pass: what locks the organization comes before what locks its queue.
  const pass = yield* tx.findPass(organizationId, passId);
  yield* tx.lockWalletQueue(organizationId, true);
  const card = yield* tx.findWalletCard(organizationId, passId);
  if (card === null) return;
  const nextAttemptAt = pass === null ? null : yield* syncWithDevices(tenant, tx, record, pass, card);
  const results = [{ subject: passId, revision, nextAttemptAt }];
  yield* tx.recordResults(organizationId, walletJobs, "installation", lease, results, tenant.now());
}

/** Returns the platform of the device that changed last; `null` if no such device is kept. */
function latestPlatform(devices: readonly StoredWalletDevice[], isHeld: boolean): WalletPlatform | null {
  const agreeing = devices.filter(({ state }) => (state === "registered") === isHeld);
  const [latest] = agreeing.sort((a, b) => b.updatedAt - a.updatedAt);
  return latest?.platform ?? null;
}

/** Returns when the installation status of a pass may change next; a time up to now if it may change immediately. */
function nextChangeAt(
  { notifiedUntil }: Pick<StoredWalletCard, "notifiedUntil">,
  { installationStatus, updatedAt }: Pick<StoredPass, "installationStatus" | "updatedAt">,
  now: number,
): number {
  const isFirst = installationStatus === null || updatedAt > now + SECOND_MS;
  // Changes within a millisecond have distinct times, which are then ahead of the clock.
  const changedAt = isFirst ? Number.NEGATIVE_INFINITY : Math.floor(updatedAt / SECOND_MS) * SECOND_MS;
  return Math.max(changedAt + MIN_INTERVAL_MS, countedUntil(notifiedUntil, now) - (BURST - 1) * REFILL_MS);
}

/** Ignores a time of a clock that was set back since: it would defer changes for as long as the clock went back. */
function countedUntil(notifiedUntil: number | null, now: number): number {
  return notifiedUntil === null || notifiedUntil > now + BURST * REFILL_MS
    ? now
    : Math.max(notifiedUntil, now);
}
