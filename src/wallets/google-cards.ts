import { runStep } from "../concurrency/step.js";
import { walletJobs } from "../storage/wallets.js";
import type { Engine } from "../tenant/engine.js";
import { mayStillBeFetched } from "./revoked-cards.js";

const PAGE = 500;

/** A card that Google has. */
export interface GoogleCard {
  readonly organizationId: string;
  readonly passId: string;
  /** True if a customer is known to have it there. */
  readonly isHeld: boolean;
}

/** Keeps which cards Google has. */
export class GoogleCards {
  constructor(private readonly engine: Engine) {}

  /**
   * Notes since when Google has a card.
   * @param revision the card's when it was read for Google; what changed since is delivered.
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
        // Another process that read it earlier may have written it later.
        if (card.revision === revision) return;
        const base = { passId, revision: card.revision, nextAttemptAt: now, createdAt: now };
        yield* tx.putJobs(organizationId, walletJobs, [{ ...base, platform: "google" }]);
      }),
    );
  }

  /** Notes that Google has a revoked card as revoked. The card is deleted once no phone may ask for it. */
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
   * The cards that Google has among some of all organizations, by pass id.
   * @param after the cards up to this pass id are done; the empty string for the start.
   * @returns them, and where to go on; `null` if these were the last.
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
