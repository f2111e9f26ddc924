import type { StorageAdapter } from "loyalty-kit";
import type { StoredMessage, StoredMessageText } from "../../src/storage/messages.js";
import { type CardToUpdate, clearMessage, setMessage } from "../../src/wallets/card-messages.js";

const DAY_MS = 86_400_000;

/** Returns a text of a message that is shown only on cards. */
export function onCards(language: string, wallet: string): StoredMessageText {
  return { language, wallet, subject: null, text: null };
}

/** Messages of an organization as they are while they are being sent, without the code that sends them. */
export class SomeMessages {
  private count = 0;

  constructor(
    private readonly storage: StorageAdapter,
    private readonly now: () => number,
    private readonly organizationId = "acme",
  ) {}

  /**
   * Stores a message that is being sent.
   * @returns its id.
   */
  async make(templateId: string, texts: readonly StoredMessageText[] | string): Promise<string> {
    this.count += 1;
    const now = this.now();
    const message: StoredMessage = {
      id: `msg_${this.count}`,
      name: "News",
      status: "SENDING",
      audience: '{"all":true}',
      templateId,
      channels: ["wallet"],
      order: "each",
      texts: typeof texts === "string" ? [onCards("en", texts)] : texts,
      link: null,
      sendAt: null,
      expiresAt: null,
      showUntil: null,
      respectsCap: true,
      startedAt: now,
      completedAt: null,
      endsAt: now + DAY_MS,
      shownUntil: now + 7 * DAY_MS,
      ...{
        customers: 0,
        recipients: 0,
        pending: 0,
        sending: 0,
        accepted: 0,
        failed: 0,
        uncertain: 0,
        cursor: 0,
      },
      skipped: "{}",
      isSettled: false,
      createdAt: now,
      updatedAt: now,
    };
    await this.storage.transaction(this.organizationId, (tx) => tx.insertMessage(message));
    return message.id;
  }

  /**
   * Shows a message on cards.
   * @returns the deliveries that waited for an older message.
   */
  show(
    id: string,
    cards: readonly CardToUpdate[],
    until = this.now() + 7 * DAY_MS,
  ): Promise<readonly string[]> {
    const { organizationId, storage } = this;
    return storage.transaction(organizationId, (tx) => setMessage(tx, { id, until }, cards, this.now()));
  }

  /** Removes a message from all cards that show it, at most `atOnce` in each transaction. */
  async clear(id: string, atOnce = 100): Promise<void> {
    const { organizationId, storage } = this;
    const next = () => storage.transaction(organizationId, (tx) => clearMessage(tx, id, atOnce, this.now()));
    while (await next());
  }

  /** Cancels a message. */
  async cancel(id: string): Promise<void> {
    const { organizationId, storage } = this;
    await storage.transaction(organizationId, function* (tx) {
      const message = yield* tx.findMessage(id);
      if (message !== null) yield* tx.updateMessage({ ...message, status: "CANCELED" });
    });
  }
}

/** Returns a card to update. By default, no delivery waits for it. */
export function createCardToUpdate(passId: string, deliveryId: string | null = null): CardToUpdate {
  return { passId, deliveryId };
}
