import { runStep, type Step } from "../base/concurrency/step.js";
import { DAY_MS } from "../base/values/clock.js";
import type { Engine } from "../kernel/engine.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import {
  type StoredWalletCard,
  type StoredWalletDevice,
  type WalletOutcome,
  type WalletPlatform,
  walletJobs,
} from "../storage/wallets.js";

/*
 * A revoked card is kept until its devices show it as void. Each device gets a push once a day and is released once it has fetched
 * the card. After that, only the service's own IDs and tokens remain, so that a device can still report that it removed the pass.
 */

/** How long a revoked card is retained for devices that haven't fetched it, in milliseconds. */
export const REVOKED_RETENTION_MS = 28 * DAY_MS;

/** Minimum time between two purges of the storage's files, in milliseconds, because changes wait for a purge. */
const MIN_PURGE_INTERVAL_MS = 60_000;

/**
 * Returns whether a revoked card's retention period has ended. If so, its devices are removed even if they never fetched the
 * revoked card.
 */
export function isRetentionOver({ revokedAt }: StoredWalletCard, now: number): boolean {
  return revokedAt !== null && now - revokedAt >= REVOKED_RETENTION_MS;
}

/**
 * Returns whether a revoked card that is no longer on any device might still be requested by Google or by a phone that was removed
 * from the card.
 */
export function mayStillBeFetched(card: StoredWalletCard, now: number): boolean {
  return card.atGoogleSince !== null || (card.releasedAt !== null && !isRetentionOver(card, now));
}

/** Removes all phones from a card. If the card doesn't exist at Google, deletes the card entirely. */
export function* removeForPhones(
  tx: StorageTransaction,
  card: StoredWalletCard,
  devices: readonly StoredWalletDevice[],
): Step<void> {
  if (card.atGoogleSince === null) {
    yield* tx.deleteWalletCard(card.passId);
    return;
  }
  for (const device of devices) {
    const isPhone = device.passId === card.passId && device.platform === "apple";
    if (isPhone) yield* tx.deleteWalletDevice(device);
  }
}

/**
 * Schedules another attempt for each revoked card whose phones were sent a push. The card is due again once a day until its phones
 * have fetched it or {@link REVOKED_RETENTION_MS} has passed.
 * @returns the outcomes, with the next attempt filled in where one is needed.
 */
export function* scheduleReminders(
  tx: StorageTransaction,
  platform: WalletPlatform,
  outcomes: readonly WalletOutcome[],
  now: number,
): Step<readonly WalletOutcome[]> {
  if (platform !== "apple") return outcomes;
  const passIds = outcomes.map(({ passId }) => passId);
  const cards = yield* tx.walletCardsOf(passIds);
  const byPass = new Map(cards.map((card) => [card.passId, card]));
  return outcomes.map((outcome) => {
    const card = byPass.get(outcome.passId);
    if (card === undefined) return outcome;
    const { revokedAt, revision } = card;
    if (revokedAt === null || outcome.nextAttemptAt !== null || revision > outcome.revision) return outcome;
    return { ...outcome, nextAttemptAt: Math.min(now + DAY_MS, revokedAt + REVOKED_RETENTION_MS) };
  });
}

/** Removes a revoked card's devices once they have received the revocation. */
export class RevokedCards {
  private purgedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly engine: Pick<Engine, "storage" | "clock" | "changes">) {}

  /**
   * Handles a phone's request for a revoked card. Removes the phone from the card if no other phone has it. If several phones have
   * the card, removes none of them, because the request doesn't identify the phone that sent it.
   */
  onFetched(organizationId: string, passId: string): Promise<void> {
    return this.releaseDevices(organizationId, passId, (phones) => (phones.length === 1 ? phones : []));
  }

  /** Removes a device from a revoked card after a request's revision tag shows that the device has received the revocation. */
  async onNotified(organizationId: string, passId: string, deviceId: string): Promise<void> {
    await this.releaseDevices(organizationId, passId, (phones) =>
      phones.filter((phone) => phone.deviceId === deviceId),
    );
  }

  /**
   * Purges deleted data from the storage adapter's files, at most once a minute. Data that isn't purged is overwritten by later
   * changes.
   */
  async purge(): Promise<void> {
    const now = this.engine.clock();
    if (now - this.purgedAt < MIN_PURGE_INTERVAL_MS) return;
    this.purgedAt = now;
    await this.engine.storage.purge();
  }

  /** @param selectPhones selects the phones to release from those that have the pass. */
  private async releaseDevices(
    organizationId: string,
    passId: string,
    selectPhones: (phones: readonly StoredWalletDevice[]) => readonly StoredWalletDevice[],
  ): Promise<void> {
    const { storage, changes, clock } = this.engine;
    const findPhonesToRelease = (devices: readonly StoredWalletDevice[]) =>
      selectPhones(devices.filter(({ platform, state }) => platform === "apple" && state === "registered"));
    // A client with a revoked pass may fetch it over and over, and that must not cause writes.
    if (
      findPhonesToRelease(await runStep(storage.reader(organizationId).walletDevicesOf([passId]))).length ===
      0
    )
      return;
    const now = clock();
    const releasedCount = await changes.runOutOfTurn(organizationId, function* (tx) {
      yield* tx.lockQueue(walletJobs);
      const card = yield* tx.findWalletCard(passId);
      if (card === null || card.revokedAt === null) return 0;
      const phones = findPhonesToRelease(yield* tx.walletDevicesOf([passId]));
      if (phones.length === 0) return 0;
      for (const phone of phones) yield* tx.deleteWalletDevice(phone);
      yield* tx.updateWalletCards([{ ...card, releasedAt: now }]);
      // The rest of the card is deleted when this delivery is due.
      const delivery = {
        passId,
        revision: card.revision,
        nextAttemptAt: card.revokedAt + REVOKED_RETENTION_MS,
      };
      yield* tx.putJobs(walletJobs, [{ ...delivery, platform: "apple", createdAt: now }]);
      return phones.length;
    });
    if (releasedCount > 0) await this.purge();
  }
}
