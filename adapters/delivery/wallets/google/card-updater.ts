import type { Clock } from "../../../../src/index.js";
import type { IssuedCard } from "../../../../src/wallets/issued-card.js";
import type { WalletBackend } from "../../../../src/wallets/wallet-backend.js";
import { toFields } from "../json.js";
import type { ApiResponse } from "./api-client.js";
import { NEXT_REWARD_ID } from "./card-content.js";
import { type CardWriter, isNotificationQuotaReached } from "./card-writer.js";

/**
 * Time after which a call without a response has surely ended at Google, in milliseconds. Its result is not checked before that.
 */
const MAX_CALL_MS = 15_000;

/** A card with changes that haven't been sent to Google yet. */
export interface PendingCardUpdate {
  readonly issued: IssuedCard;
  /** Whether Google already has every change to the card except the most recent one. */
  readonly areOtherChangesSent: boolean;
  /** Whether to assume that the card is in a customer's wallet even if Google reports otherwise. */
  readonly isSurelyInWallet: boolean;
  /** Returns whether enough time is left to make another call before the claim expires. */
  hasTimeLeft(): boolean;
}

export interface UpdatedCard {
  /** The last response from Google, which determines whether to retry the update. */
  readonly response: ApiResponse;
  /**
   * How the card's pending message was added: with a notification (`aloud`) or without one (`silently`). `null` if Google didn't
   * accept the message, or if no message is pending.
   */
  readonly notification: "aloud" | "silently" | null;
}

/**
 * Sends the current state of cards to Google Wallet, and has Google notify customers once per message. Adding a message twice would
 * duplicate it, so each attempt to add one is recorded before it starts, and a message that might already be on the card is not
 * added again.
 */
export class CardUpdater {
  constructor(
    private readonly writer: Pick<CardWriter, "update" | "updateSilently" | "addMessage" | "read">,
    private readonly notices: Pick<WalletBackend["notices"], "begin" | "cancel">,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends a card's current state to Google Wallet.
   * @returns the result, or `null` if the caller must reload the card because it has changed in the meantime.
   */
  async update(card: PendingCardUpdate): Promise<UpdatedCard | null> {
    const { issued } = card;
    const { message } = issued;
    const { revision, messageRevision, messageDeliveryId, isMessageAnnounced, notificationTimes } =
      issued.card;
    if (message === null || messageDeliveryId === null) {
      const isMessageChange = messageRevision > 0 && revision === messageRevision;
      const response = await (isMessageChange
        ? this.writer.updateSilently(issued, true)
        : this.writer.update(issued));
      return { response, notification: null };
    }
    if (isMessageAnnounced) {
      const current = await this.writer.read(issued.card.passId);
      if (current.status !== 200 && current.status !== 404) return { response: current, notification: null };
      if (parseMessages(current.body.messages).some(({ id }) => id === message.id))
        return this.complete(card, current);
      // Changes to a card are delivered immediately, even while the previous call may still be running.
      const waitMs = (notificationTimes.at(-1) ?? 0) + MAX_CALL_MS - this.clock();
      if (waitMs > 0) return { response: { ...notCalledResponse, waitMs }, notification: null };
    }
    return this.announce(card, message.id);
  }

  /** Updates the rest of Google's card, if necessary, when the message is already on it. */
  private async complete(
    { issued, areOtherChangesSent }: PendingCardUpdate,
    messageResponse: ApiResponse,
  ): Promise<UpdatedCard> {
    if (areOtherChangesSent && issued.isMessageNewest)
      return { response: messageResponse, notification: "aloud" };
    const response = await (issued.isMessageNewest
      ? this.writer.updateSilently(issued, true)
      : this.writer.update(issued));
    return { response: { ...response, body: messageResponse.body }, notification: "aloud" };
  }

  private async announce(card: PendingCardUpdate, messageId: string): Promise<UpdatedCard | null> {
    const { issued, areOtherChangesSent, isSurelyInWallet } = card;
    const { organizationId } = issued;
    const { passId } = issued.card;
    if (!areOtherChangesSent || !issued.isMessageNewest) {
      const response = await this.writer.updateSilently(issued, false);
      const isInWallet = isSurelyInWallet || response.body.hasUsers !== false;
      if (response.status !== 200 || !isInWallet) return { response, notification: null };
    }
    const notice = await this.notices.begin(organizationId, issued.card);
    if (notice === "not") return null;
    if (notice === "aloud") {
      if (!card.hasTimeLeft()) return { response: notCalledResponse, notification: null };
      const response = await this.writer.addMessage(issued);
      if (response.status === 200) return this.removeOtherMessages(issued, response, messageId);
      if (!isNotificationQuotaReached(response) && response.status !== 404)
        return { response: withRetryDelay(response), notification: null };
      await this.notices.cancel(organizationId, passId, messageId);
    }
    const updateResponse = await this.writer.updateSilently(issued, true);
    return { response: updateResponse, notification: updateResponse.status === 200 ? "silently" : null };
  }

  /** Removes other messages from the card, such as older ones, after a message was added. */
  private async removeOtherMessages(
    issuedCard: IssuedCard,
    addResponse: ApiResponse,
    messageId: string,
  ): Promise<UpdatedCard> {
    const ids = parseMessages(addResponse.body.messages).map(({ id }) => id);
    const isClean = ids.filter((id) => id !== NEXT_REWARD_ID).every((id, at) => id === messageId && at === 0);
    if (isClean) return { response: addResponse, notification: "aloud" };
    const response = await this.writer.updateSilently(issuedCard, true);
    return { response: { ...response, body: addResponse.body }, notification: "aloud" };
  }
}

/** Stands for a call that has not been made yet. */
const notCalledResponse: ApiResponse = { status: 0, reason: "", waitMs: 0, body: {} };

/** Delays the retry of an uncertain call until the call has either finished or never will. */
function withRetryDelay(response: ApiResponse): ApiResponse {
  const isUncertain = response.status === 0 || response.status >= 500;
  return isUncertain ? { ...response, waitMs: Math.max(response.waitMs, MAX_CALL_MS) } : response;
}

function parseMessages(messages: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(messages) ? messages.map(toFields) : [];
}
