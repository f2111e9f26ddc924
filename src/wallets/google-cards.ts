import { runStep } from "../base/concurrency/step.js";
import type { Engine } from "../kernel/engine.js";
import { walletJobs } from "../storage/wallets.js";
import { mayStillBeFetched } from "./revoked-cards.js";

const PAGE = 500;

/** A card that exists in Google Wallet's API. */
export interface GoogleCard {
  readonly organizationId: string;
  readonly passId: string;
  /** Whether a customer is known to have the card in Google Wallet. */
  readonly isHeld: boolean;
}

/** Records which cards exist at Google, and lists them. */
export class GoogleCards {
  constructor(private readonly engine: Pick<Engine, "storage" | "clock" | "changes">) {}

  /**
   * Records that a card now exists at Google. If the card has changed since it was read for Google, queues another delivery.
   * @param revision the card's revision when it was read for Google.
   */
  recordAtGoogle(organizationId: string, passId: string, revision: number): Promise<void> {
    const { storage, changes, clock } = this.engine;
    return changes.track(
      storage.transaction(function* (tx) {
        yield* tx.lockWalletQueue(organizationId, true);
        const card = yield* tx.findWalletCard(organizationId, passId);
        if (card === null) return;
        const now = clock();
        if (card.atGoogleSince === null) {
          yield* tx.updateWalletCards(organizationId, [{ ...card, atGoogleSince: now }]);
        }
        // A process that read the card earlier may have written it to Google later.
        if (card.revision === revision) return;
        const base = { passId, revision: card.revision, nextAttemptAt: now, createdAt: now };
        yield* tx.putJobs(organizationId, walletJobs, [{ ...base, platform: "google" }]);
      }),
    );
  }

  /**
   * Records that a revoked card has been marked as revoked at Google. The card is deleted as soon as no phone can request it
   * anymore.
   */
  recordRevokedAtGoogle(organizationId: string, passId: string): Promise<void> {
    const { storage, changes, clock } = this.engine;
    return changes.track(
      storage.transaction(function* (tx) {
        yield* tx.lockWalletQueue(organizationId, true);
        const card = yield* tx.findWalletCard(organizationId, passId);
        if (card === null || card.revokedAt === null) return;
        const devices = yield* tx.walletDevicesOf(organizationId, [passId]);
        const registered = devices.filter(({ state }) => state === "registered");
        const left = { ...card, atGoogleSince: null };
        if (registered.every(({ platform }) => platform === "google") && !mayStillBeFetched(left, clock())) {
          yield* tx.deleteWalletCard(organizationId, passId);
          return;
        }
        for (const device of registered) {
          if (device.platform !== "google") continue;
          yield* tx.putWalletDevice(organizationId, { ...device, state: "gone", updatedAt: clock() });
        }
        yield* tx.updateWalletCards(organizationId, [left]);
      }),
    );
  }

  /**
   * Reads one page of cards across all organizations, sorted by pass ID, and returns the ones that exist at Google.
   * @param after the pass ID to start after, or an empty string for the first page.
   * @returns the cards, and the value of `after` for the next page, or `null` after the last page.
   */
  async page(
    after: string,
  ): Promise<{ readonly cards: readonly GoogleCard[]; readonly next: string | null }> {
    const { storage } = this.engine;
    const owned = await runStep(storage.walletPassesAfter(after, PAGE));
    const cards: GoogleCard[] = [];
    for (const { organizationId, card } of owned) {
      if (card.atGoogleSince === null) continue;
      const { passId } = card;
      const devices = await runStep(storage.walletDevicesOf(organizationId, [passId]));
      const isHeld = devices.some(({ platform, state }) => platform === "google" && state === "registered");
      cards.push({ organizationId, passId, isHeld });
    }
    const next = owned.length === PAGE ? (owned.at(-1)?.card.passId ?? null) : null;
    return { cards, next };
  }
}
