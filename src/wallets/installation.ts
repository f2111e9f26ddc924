import type { Step } from "../base/concurrency/step.js";
import { HOUR_MS, MINUTE_MS, nextUpdatedAt, SECOND_MS } from "../base/values/clock.js";
import { walletPassOf } from "../cards/pass-schema.js";
import type { Change } from "../kernel/tenant.js";
import { countInstall } from "../statistics/count-deltas.js";
import type { InstallationStatus, StoredPass } from "../storage/passes.js";
import {
  type StoredWalletCard,
  type StoredWalletDelivery,
  type StoredWalletDevice,
  type WalletPlatform,
  walletJobs,
} from "../storage/wallets.js";

/*
 * A script can add and remove a pass very quickly, and anyone with the pass can run one. The installation status is therefore
 * rate-limited: if a pass comes back within a minute, its removal is never recorded.
 */

/** Minimum time between two changes to a pass's installation status, in milliseconds. */
export const MIN_INTERVAL_MS = MINUTE_MS;

/** Number of status changes allowed one minute apart. After that, one change is allowed every two hours. */
const MAX_BURST_CHANGES = 12;
const REFILL_INTERVAL_MS = 2 * HOUR_MS;

/** Maximum number of changes to one pass's installation status within 24 hours. */
export const MAX_CHANGES_PER_DAY = MAX_BURST_CHANGES + (24 * HOUR_MS) / REFILL_INTERVAL_MS;

/**
 * Changes a pass's installation status and records the event. The new status must differ from the current one.
 * @param platform the wallet's platform, or `null` if the host reported the change.
 */
export function* changeInstallation(
  { tenant, tx, record }: Change,
  before: StoredPass,
  installationStatus: InstallationStatus,
  platform: WalletPlatform | null,
): Step<StoredPass> {
  const updatedAt = nextUpdatedAt(before.updatedAt, tenant.now());
  yield* tx.updateInstallation(before.id, installationStatus, updatedAt);
  const after = { ...before, installationStatus, updatedAt };
  const data = { ...walletPassOf(after, tenant.engine.config.shortLinks.current), platform };
  if (installationStatus === "INSTALLED") record("pass.installed", data, countInstall(platform));
  else record("pass.uninstalled", data, {});
  return after;
}

/**
 * Updates a pass's installation status to match its devices. A change that comes too soon after the previous one is deferred. When
 * it is due, a worker compares the status with the devices again, so a change that has been undone by then is never recorded.
 * @returns when the deferred change is due, or `null` if no change was deferred.
 */
export function* syncWithDevices(
  change: Change,
  pass: StoredPass,
  card: StoredWalletCard,
): Step<number | null> {
  const { tenant, tx } = change;
  const devices = yield* tx.walletDevicesOf([pass.id]);
  const isInstalled = devices.some(({ state }) => state === "registered");
  const isUpToDate = isInstalled === (pass.installationStatus === "INSTALLED");
  if (isUpToDate) return null;
  const now = tenant.now();
  const nextChangeTime = computeNextChangeAt(card, pass, now);
  if (nextChangeTime > now) {
    const delivery = {
      passId: pass.id,
      revision: card.revision,
      nextAttemptAt: nextChangeTime,
      createdAt: now,
    };
    yield* tx.putJobs(walletJobs, [{ ...delivery, platform: "installation" }]);
    return nextChangeTime;
  }
  const status = isInstalled ? "INSTALLED" : "UNINSTALLED";
  yield* changeInstallation(change, pass, status, findLatestPlatform(devices, isInstalled));
  const notifiedUntil = limitNotifiedUntil(card.notifiedUntil, now) + REFILL_INTERVAL_MS;
  yield* tx.updateWalletCards([{ ...card, notifiedUntil }]);
  return null;
}

/** A deferred change to a pass's installation status, as claimed by a worker. */
export type ClaimedInstallation = Pick<StoredWalletDelivery, "passId" | "revision"> & {
  readonly lease: string;
};

/**
 * Applies a deferred change to a pass's installation status, unless the change was undone while it was deferred. The change might
 * be deferred again.
 */
export function* applyDeferred(change: Change, { passId, revision, lease }: ClaimedInstallation): Step<void> {
  const { tenant, tx } = change;
  // Read the pass first, because the organization must be locked before its queue.
  const pass = yield* tx.findPass(passId);
  yield* tx.lockQueue(walletJobs);
  const card = yield* tx.findWalletCard(passId);
  if (card === null) return;
  const nextAttemptAt = pass === null ? null : yield* syncWithDevices(change, pass, card);
  const results = [{ subject: passId, revision, nextAttemptAt }];
  yield* tx.recordResults(walletJobs, "installation", lease, results, tenant.now());
}

/** Returns the platform of the device that changed most recently, or `null` if no matching device is stored. */
function findLatestPlatform(
  devices: readonly StoredWalletDevice[],
  isInstalled: boolean,
): WalletPlatform | null {
  const matchingDevices = devices.filter(({ state }) => (state === "registered") === isInstalled);
  const [latest] = matchingDevices.sort((a, b) => b.updatedAt - a.updatedAt);
  return latest?.platform ?? null;
}

/**
 * Returns the earliest time for the next change of a pass's installation status. It is in the past if a change is allowed
 * immediately.
 */
function computeNextChangeAt(
  { notifiedUntil }: Pick<StoredWalletCard, "notifiedUntil">,
  { installationStatus, updatedAt }: Pick<StoredPass, "installationStatus" | "updatedAt">,
  now: number,
): number {
  const isFirst = installationStatus === null || updatedAt > now + SECOND_MS;
  // Changes within the same millisecond get distinct times, which can be ahead of the clock.
  const changedAt = isFirst ? Number.NEGATIVE_INFINITY : Math.floor(updatedAt / SECOND_MS) * SECOND_MS;
  return Math.max(
    changedAt + MIN_INTERVAL_MS,
    limitNotifiedUntil(notifiedUntil, now) - (MAX_BURST_CHANGES - 1) * REFILL_INTERVAL_MS,
  );
}

/**
 * Ignores a stored time that is too far in the future, because the clock has been set back. Otherwise changes would be deferred for
 * as long as the clock went back.
 */
function limitNotifiedUntil(notifiedUntil: number | null, now: number): number {
  return notifiedUntil === null || notifiedUntil > now + MAX_BURST_CHANGES * REFILL_INTERVAL_MS
    ? now
    : Math.max(notifiedUntil, now);
}
