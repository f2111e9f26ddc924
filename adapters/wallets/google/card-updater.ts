import type { Clock } from "../../../src/index.js";
import type { IssuedCard } from "../../../src/wallets/issued-card.js";
import type { WalletBackend } from "../../../src/wallets/wallet-backend.js";
import { toFields } from "../json.js";
import type { ApiResponse } from "./api-client.js";
import { NEXT_REWARD_ID } from "./card-content.js";
import { type CardWriter, isNotificationQuotaReached } from "./card-writer.js";

/** A call without a response has ended at Google after this many milliseconds, so a look at its result waits that long. */
const UNDER_WAY_MS = 15_000;

/** A card to be brought to Google. */
export interface PendingCardUpdate {
  readonly issued: IssuedCard;
  /** Google has all of the card but its newest change. */
  readonly isRestKnown: boolean;
  /** True if a person may have the card although Google reports none. */
  readonly isHeldForSure: boolean;
  /** False once the claim may end before another call does. */
  isInTime(): boolean;
}

/** A card that was brought to Google, or not. */
export interface UpdatedCard {
  /** The newest answer, which says whether the card has to be brought once more. */
  readonly response: ApiResponse;
  /** The way in which Google took the message that the card waits for; `null` if it did not, or the card waits for none. */
  readonly told: "aloud" | "silently" | null;
}

/**
 * Brings cards to Google, each in its newest state, and has it notify people once of each message. Google adds a message once more
 * when it is asked once more, so nothing is added that may be there: it was noted before that it would be.
 */
export class CardUpdater {
  constructor(
    private readonly writer: Pick<CardWriter, "update" | "updateSilently" | "addMessage" | "read">,
    private readonly notices: Pick<WalletBackend["notices"], "begin" | "cancel">,
    private readonly clock: Clock,
  ) {}

  /** @returns `null` if the card has changed in the meantime and must be read again. */
  async update(card: PendingCardUpdate): Promise<UpdatedCard | null> {
    const { issued } = card;
    const { message } = issued;
    const { revision, messageRevision, messageDeliveryId, isMessageAnnounced, notificationTimes } =
      issued.card;
    if (message === null || messageDeliveryId === null) {
      const isOfMessage = messageRevision > 0 && revision === messageRevision;
      const response = await (isOfMessage
        ? this.writer.updateSilently(issued, true)
        : this.writer.update(issued));
      return { response, told: null };
    }
    if (isMessageAnnounced) {
      const found = await this.writer.read(issued.card.passId);
      if (found.status !== 200 && found.status !== 404) return { response: found, told: null };
      if (messagesIn(found.body.messages).some(({ id }) => id === message.id))
        return this.complete(card, found);
      // A change of the card is delivered immediately, even while the previous call may still be running.
      const waitMs = (notificationTimes.at(-1) ?? 0) + UNDER_WAY_MS - this.clock();
      if (waitMs > 0) return { response: { ...late, waitMs }, told: null };
    }
    return this.announce(card, message.id);
  }

  /** Has Google's card say the rest as well, where it does not, when its message is there already. */
  private async complete(
    { issued, isRestKnown }: PendingCardUpdate,
    found: ApiResponse,
  ): Promise<UpdatedCard> {
    if (isRestKnown && issued.isMessageNewest) return { response: found, told: "aloud" };
    const written = await (issued.isMessageNewest
      ? this.writer.updateSilently(issued, true)
      : this.writer.update(issued));
    return { response: { ...written, body: found.body }, told: "aloud" };
  }

  private async announce(card: PendingCardUpdate, messageId: string): Promise<UpdatedCard | null> {
    const { issued, isRestKnown, isHeldForSure } = card;
    const { organizationId } = issued;
    const { passId } = issued.card;
    if (!isRestKnown || !issued.isMessageNewest) {
      const written = await this.writer.updateSilently(issued, false);
      const isHeld = isHeldForSure || written.body.hasUsers !== false;
      if (written.status !== 200 || !isHeld) return { response: written, told: null };
    }
    const begun = await this.notices.begin(organizationId, issued.card);
    if (begun === "not") return null;
    if (begun === "aloud") {
      if (!card.isInTime()) return { response: late, told: null };
      const added = await this.writer.addMessage(issued);
      if (added.status === 200) return this.removeOtherMessages(issued, added, messageId);
      if (!isNotificationQuotaReached(added) && added.status !== 404)
        return { response: withTime(added), told: null };
      await this.notices.cancel(organizationId, passId, messageId);
    }
    const written = await this.writer.updateSilently(issued, true);
    return { response: written, told: written.status === 200 ? "silently" : null };
  }

  /** Takes off what else there is beside a message that was just added, such as an older one. */
  private async removeOtherMessages(
    issued: IssuedCard,
    added: ApiResponse,
    messageId: string,
  ): Promise<UpdatedCard> {
    const ids = messagesIn(added.body.messages).map(({ id }) => id);
    const isClean = ids.filter((id) => id !== NEXT_REWARD_ID).every((id, at) => id === messageId && at === 0);
    if (isClean) return { response: added, told: "aloud" };
    const written = await this.writer.updateSilently(issued, true);
    return { response: { ...written, body: added.body }, told: "aloud" };
  }
}

/** The response to a call that is not made yet. */
const late: ApiResponse = { status: 0, reason: "", waitMs: 0, body: {} };

/** Has who asks again wait until what was asked for is done or never will be. */
function withTime(answer: ApiResponse): ApiResponse {
  const isUncertain = answer.status === 0 || answer.status >= 500;
  return isUncertain ? { ...answer, waitMs: Math.max(answer.waitMs, UNDER_WAY_MS) } : answer;
}

function messagesIn(messages: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(messages) ? messages.map(toFields) : [];
}
