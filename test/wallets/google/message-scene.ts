import { memoryStorage } from "loyalty-kit/memory";
import { runStep } from "../../../src/base/concurrency/step.js";
import type { StoredMessageDelivery } from "../../../src/storage/mail.js";
import type { StoredMessageText } from "../../../src/storage/messages.js";
import { SomeMessages } from "../some-message.js";
import { openGoogle } from "./google-scene.js";

export const DAY_MS = 86_400_000;

/** Opens a shop with a card that a customer has at Google, and messages to it. */
export async function openMessages(storage = memoryStorage()) {
  const scene = await openGoogle(storage);
  const { acme, clock, google, template, wallets } = scene;
  const messages = new SomeMessages(storage, clock.read);

  /** Creates a pass that a customer has at Google. */
  async function createCard() {
    const pass = await scene.newPass();
    await scene.save(pass.url);
    return pass;
  }

  /**
   * Starts the delivery of a message to the card of a pass.
   * @returns the ids of the message and the delivery.
   */
  async function sendMessage(
    passId: string,
    texts: readonly StoredMessageText[] | string = "Cake today",
    until = clock.read() + 7 * DAY_MS,
  ) {
    const messageId = await messages.make(template.id, texts);
    const { userId } = await acme.passes.get(passId);
    const now = clock.read();
    const delivery: StoredMessageDelivery = {
      ...{ id: `mdl_${messageId}_${passId}`, kind: "message", userId, passId, messageId },
      ...{ automationRunId: null, actionIndex: null },
      ...{ channel: "wallet", platform: null, language: null, status: "SENDING", reason: null },
      ...{ isSilent: false, isUncertain: false, attempts: [], failures: 0, nextAttemptAt: null },
      ...{ expiresAt: now + DAY_MS, createdAt: now, updatedAt: now },
    };
    await storage.transaction("acme", function* (tx) {
      yield* tx.insertMessageDeliveries([delivery]);
      const message = yield* tx.findMessage(messageId);
      if (message !== null) yield* tx.updateMessage({ ...message, customers: 1, recipients: 1, sending: 1 });
    });
    await messages.show(messageId, [{ passId, deliveryId: delivery.id }], until);
    return { messageId, deliveryId: delivery.id };
  }

  /** Returns the outcome of a delivery. */
  async function readOutcome(deliveryId: string) {
    const delivery = await runStep(storage.reader("acme").findMessageDelivery(deliveryId));
    const { status, reason, platform, isSilent } = delivery ?? {};
    return { status, reason, platform, isSilent };
  }

  const card = await createCard();
  const { id, objectId } = card;

  /**
   * Runs everything that is due.
   * @returns the calls that were made, except those for the class.
   */
  async function deliver(): Promise<string[]> {
    const before = google.calls.length;
    await wallets.runOnce();
    const calls = google.calls.slice(before).filter((call) => !call.includes("/loyaltyClass"));
    return calls.map((call) => call.replace(/(\/loyaltyObject)\/[\d.]+wp_[\w-]+/, "$1/card"));
  }

  /** Lists the ids of the messages that people see on a card, except the one about stamps. */
  const listShownMessages = (of = objectId) =>
    google
      .messagesOn(of)
      .map((message) => message.id)
      .filter((messageId) => messageId !== "next");
  /** Lists the messages that people were notified of; `null` for stamps. */
  const listNotices = () => google.notices.map(({ messageId }) => messageId);
  return {
    ...scene,
    id,
    objectId,
    card,
    messages,
    newCard: createCard,
    tell: sendMessage,
    readOutcome,
    deliver,
    shownOn: listShownMessages,
    listNotices,
  };
}

export const aloud = { status: "ACCEPTED", reason: null, platform: "google", isSilent: false };
export const silently = { ...aloud, isSilent: true };
export const waiting = { status: "SENDING", reason: null, platform: null, isSilent: false };
