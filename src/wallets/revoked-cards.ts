import { runStep, type Step } from "../concurrency/step.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import {
  type StoredWalletCard,
  type StoredWalletDevice,
  type WalletOutcome,
  type WalletPlatform,
  walletJobs,
} from "../storage/wallets.js";
import type { Engine } from "../tenant/engine.js";

/*
 * A revoked card is kept until its devices have it as void: each gets a push once a day, and is let go of once it has asked.
 * Then only ids and tokens of the service's own are left of the card, by which a device can still say that it removed the pass.
 */

const DAY_MS = 86_400_000;

/** How long a revoked card stays for devices that never fetch it, in milliseconds. */
export const REVOKED_RETENTION_MS = 28 * DAY_MS;

/** The least time between two purges of the storage's files, in milliseconds: changes wait for them. */
const PURGE_MS = 60_000;

/** True when all devices of a card are let go of, whatever they have heard. */
export function isRetentionOver({ revokedAt }: StoredWalletCard, now: number): boolean {
  return revokedAt !== null && now - revokedAt >= REVOKED_RETENTION_MS;
}

/** True when Google, or a phone that was let go of, may still ask for a revoked card that no device has. */
export function mayStillBeFetched(card: StoredWalletCard, now: number): boolean {
  return card.atGoogleSince !== null || (card.releasedAt !== null && !isRetentionOver(card, now));
}

/** Removes a card's data for phones; all of the card, unless Google still has it. */
export function* removeForPhones(
  tx: StorageTransaction,
  organizationId: string,
  card: StoredWalletCard,
  devices: readonly StoredWalletDevice[],
): Step<void> {
  if (card.atGoogleSince === null) {
    yield* tx.deleteWalletCard(organizationId, card.passId);
    return;
  }
  for (const device of devices) {
    const isPhone = device.passId === card.passId && device.platform === "apple";
    if (isPhone) yield* tx.deleteWalletDevice(organizationId, device);
  }
}

/**
 * Schedules more attempts for phones that got their push. A revoked card is due again once a day, until its phones have asked
 * or {@link REVOKED_RETENTION_MS} are over.
 */
export function* scheduleReminders(
  tx: StorageTransaction,
  organizationId: string,
  platform: WalletPlatform,
  outcomes: readonly WalletOutcome[],
  now: number,
): Step<readonly WalletOutcome[]> {
  if (platform !== "apple") return outcomes;
  const passIds = outcomes.map(({ passId }) => passId);
  const cards = yield* tx.walletCardsOf(organizationId, passIds);
  const byPass = new Map(cards.map((card) => [card.passId, card]));
  return outcomes.map((outcome) => {
    const card = byPass.get(outcome.passId);
    if (card === undefined) return outcome;
    const { revokedAt, revision } = card;
    if (revokedAt === null || outcome.nextAttemptAt !== null || revision > outcome.revision) return outcome;
    return { ...outcome, nextAttemptAt: Math.min(now + DAY_MS, revokedAt + REVOKED_RETENTION_MS) };
  });
}

/** Lets go of the devices of revoked cards that have asked for them. */
export class RevokedCards {
  private purgedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly engine: Engine) {}

  /** A phone has asked for a revoked card. With several that have it, it is not known which. */
  onFetched(organizationId: string, passId: string): Promise<void> {
    return this.releaseDevices(organizationId, passId, (phones) => (phones.length === 1 ? phones : []));
  }

  /** A device has heard of all that its tag says, so of these revoked cards. */
  async onNotified(organizationId: string, passId: string, deviceId: string): Promise<void> {
    await this.releaseDevices(organizationId, passId, (phones) =>
      phones.filter((phone) => phone.deviceId === deviceId),
    );
  }

  /** Takes what was removed out of the files, too, at most once a minute; later changes overwrite the rest. */
  async purge(): Promise<void> {
    const now = this.engine.clock();
    if (now - this.purgedAt < PURGE_MS) return;
    this.purgedAt = now;
    await this.engine.storage.purge();
  }

  /** @param which of the phones that have the pass. */
  private async releaseDevices(
    organizationId: string,
    passId: string,
    which: (phones: readonly StoredWalletDevice[]) => readonly StoredWalletDevice[],
  ): Promise<void> {
    const { storage, changes, clock } = this.engine;
    const toLetGo = (devices: readonly StoredWalletDevice[]) =>
      which(devices.filter(({ platform, state }) => platform === "apple" && state === "registered"));
    // A client with a revoked pass may fetch it again and again, which must not cause writes.
    if (toLetGo(await runStep(storage.walletDevicesOf(organizationId, [passId]))).length === 0) return;
    const now = clock();
    const gone = await changes.track(
      storage.transaction(function* (tx) {
        yield* tx.lockWalletQueue(organizationId, true);
        const card = yield* tx.findWalletCard(organizationId, passId);
        if (card === null || card.revokedAt === null) return 0;
        const phones = toLetGo(yield* tx.walletDevicesOf(organizationId, [passId]));
        if (phones.length === 0) return 0;
        for (const phone of phones) yield* tx.deleteWalletDevice(organizationId, phone);
        yield* tx.updateWalletCards(organizationId, [{ ...card, releasedAt: now }]);
        // The rest of the card goes when that is due.
        const delivery = {
          passId,
          revision: card.revision,
          nextAttemptAt: card.revokedAt + REVOKED_RETENTION_MS,
        };
        yield* tx.putJobs(organizationId, walletJobs, [{ ...delivery, platform: "apple", createdAt: now }]);
        return phones.length;
      }),
    );
    if (gone > 0) await this.purge();
  }
}
