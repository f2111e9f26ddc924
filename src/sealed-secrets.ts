import { runStep, type Step } from "./base/concurrency/step.js";
import type { Engine } from "./kernel/engine.js";
import { mailJobs, mailQueueRecord, type OwnedMailQueue } from "./storage/mail.js";
import type { StorageTransaction } from "./storage/storage-adapter.js";
import {
  type OwnedWalletCard,
  type StoredWalletCard,
  walletCardRecord,
  walletJobs,
} from "./storage/wallets.js";
import { type EndpointRef, type OwnedWebhookEndpoint, webhookEndpointRecord } from "./storage/webhooks.js";

/** Number of rows per read. */
const PAGE_SIZE = 500;

/** How many rows of each kind {@link SealedSecrets.reseal} encrypted with the newest key. */
export interface ResealResult {
  /** Number of webhook endpoints whose secrets were resealed. */
  readonly webhookEndpoints: number;
  /** Number of wallet cards whose secrets were resealed. */
  readonly walletCards: number;
  /** Number of mail queues whose link key was resealed. */
  readonly mailQueues: number;
}

/**
 * Checks and reseals the stored secrets that the service must be able to read: webhook signing secrets, the keys that sign links in
 * emails, and the tokens that give wallets access to cards. If `secretKeys` is set, these secrets are encrypted with AES-256-GCM.
 * API tokens and client secrets are stored only as hashes, so they need no key.
 */
export class SealedSecrets {
  constructor(private readonly engine: Pick<Engine, "storage" | "secrets" | "changes">) {}

  /**
   * Decrypts the secrets of all webhook endpoints, the first 500 wallet cards, and the first 500 mail queues. Call this when a
   * process starts, so that a wrong key is detected immediately rather than at the first delivery.
   * @throws {SecretKeyError} if a secret is sealed with a key that the service doesn't have.
   */
  async check(): Promise<void> {
    const { secrets, storage } = this.engine;
    for await (const { organizationId, endpoint } of this.readEndpoints()) {
      secrets.open(webhookEndpointRecord, organizationId, endpoint);
    }
    for (const { organizationId, card } of await runStep(storage.all.walletCardsAfter("", PAGE_SIZE))) {
      secrets.open(walletCardRecord, organizationId, card);
    }
    for (const { organizationId, queue } of await runStep(storage.all.mailQueuesAfter("", PAGE_SIZE))) {
      secrets.open(mailQueueRecord, organizationId, queue);
    }
  }

  /**
   * Encrypts all secrets with the first key, including secrets that were stored unencrypted. Once every process uses the new first
   * key, you can remove the other keys. You can call this while the service is in use, and call it again if it fails.
   * @returns how many rows of each kind were resealed.
   * @throws {SecretKeyError} in the same cases as {@link check}. Rows that were already resealed stay resealed.
   */
  async reseal(): Promise<ResealResult> {
    const { changes, secrets } = this.engine;
    let webhookEndpoints = 0;
    for await (const { organizationId, endpoint } of this.readEndpoints()) {
      if (secrets.reseal(webhookEndpointRecord, organizationId, endpoint) === null) continue;
      const resealPromise = changes.runOutOfTurn(organizationId, (tx) =>
        this.resealEndpoint(tx, organizationId, endpoint.id),
      );
      if (await resealPromise) webhookEndpoints += 1;
    }
    const walletCards = await this.resealAllCards();
    let mailQueues = 0;
    for await (const { organizationId, queue } of this.readMailQueues()) {
      if (secrets.reseal(mailQueueRecord, organizationId, queue) === null) continue;
      const resealPromise = changes.run(organizationId, (tx) => this.resealQueue(tx, organizationId));
      if (await resealPromise) mailQueues += 1;
    }
    return { webhookEndpoints, walletCards, mailQueues };
  }

  /** Returns the number of resealed cards. */
  private async resealAllCards(): Promise<number> {
    const { storage, changes } = this.engine;
    let walletCards = 0;
    for (let after = ""; ; ) {
      const page = await runStep(storage.all.walletCardsAfter(after, PAGE_SIZE));
      const last = page.at(-1);
      if (last === undefined) return walletCards;
      for (const [organizationId, passIds] of this.findCardsToReseal(page)) {
        walletCards += await changes.runOutOfTurn(organizationId, (tx) =>
          this.resealCards(tx, organizationId, passIds),
        );
      }
      after = last.card.passId;
    }
  }

  private async *readEndpoints(): AsyncGenerator<OwnedWebhookEndpoint> {
    for (let after: EndpointRef | null = null; ; ) {
      const page: OwnedWebhookEndpoint[] = await runStep(
        this.engine.storage.all.webhookEndpointsAfter(after, PAGE_SIZE),
      );
      yield* page;
      const last = page.at(-1);
      if (last === undefined) return;
      after = { organizationId: last.organizationId, endpointId: last.endpoint.id };
    }
  }

  private async *readMailQueues(): AsyncGenerator<OwnedMailQueue> {
    for (let after = ""; ; ) {
      const page: OwnedMailQueue[] = await runStep(this.engine.storage.all.mailQueuesAfter(after, PAGE_SIZE));
      yield* page;
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.organizationId;
    }
  }

  private *resealQueue(tx: StorageTransaction, organizationId: string): Step<boolean> {
    const before = yield* tx.lockQueue(mailJobs);
    const after = before && this.engine.secrets.reseal(mailQueueRecord, organizationId, before);
    return after !== null && (yield* tx.updateQueue(mailJobs, after));
  }

  private *resealEndpoint(tx: StorageTransaction, organizationId: string, id: string): Step<boolean> {
    const before = yield* tx.lockWebhookEndpoint(id, true);
    const after = before && this.engine.secrets.reseal(webhookEndpointRecord, organizationId, before);
    return after !== null && (yield* tx.updateWebhookEndpoint(after));
  }

  private *resealCards(
    tx: StorageTransaction,
    organizationId: string,
    passIds: readonly string[],
  ): Step<number> {
    yield* tx.lockQueue(walletJobs);
    const resealedCards: StoredWalletCard[] = [];
    for (const passId of passIds) {
      const before = yield* tx.findWalletCard(passId);
      const after = before && this.engine.secrets.reseal(walletCardRecord, organizationId, before);
      if (after !== null) resealedCards.push(after);
    }
    yield* tx.updateWalletCards(resealedCards);
    return resealedCards.length;
  }

  /** Returns the pass IDs of the cards to reseal, keyed by organization. */
  private findCardsToReseal(cards: readonly OwnedWalletCard[]): ReadonlyMap<string, string[]> {
    const passIdsByOrganization = new Map<string, string[]>();
    for (const { organizationId, card } of cards) {
      if (this.engine.secrets.reseal(walletCardRecord, organizationId, card) === null) continue;
      passIdsByOrganization.set(organizationId, [
        ...(passIdsByOrganization.get(organizationId) ?? []),
        card.passId,
      ]);
    }
    return passIdsByOrganization;
  }
}
