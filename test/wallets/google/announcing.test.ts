import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import type { ApiResponse } from "../../../adapters/delivery/wallets/google/api-client.js";
import { CardUpdater } from "../../../adapters/delivery/wallets/google/card-updater.js";
import { serviceInternals } from "../../../src/internals.js";
import { ManualClock } from "../../kit/manual-clock.js";
import { SomeMessages } from "../some-message.js";

const DAY_MS = 86_400_000;

const createAnswer = (status: number, more: Partial<ApiResponse> = {}): ApiResponse => ({
  ...{ status, reason: "", waitMs: 0, body: {} },
  ...more,
});

/** Creates a card that waits for a message, and a Google whose responses can be set. */
async function createWaitingCard() {
  const clock = new ManualClock();
  const storage = memoryStorage();
  const loyalty = new LoyaltyService({ storage, clock: clock.read });
  const acme = loyalty.organization("acme");
  const backend = serviceInternals(loyalty).createWalletBackend(500);
  backend.attachLinker(() => ({ apple: null, google: null }));
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const { id: passId } = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
  await acme.passes.walletLinks(passId);
  await backend.google.recordAtGoogle("acme", passId, 0);
  const messages = new SomeMessages(storage, clock.read);
  const messageId = await messages.make(template.id, "A new blend");
  await messages.show(messageId, [{ passId, deliveryId: "mdl_1" }], clock.read() + DAY_MS);

  const answers = { add: createAnswer(200), silently: createAnswer(200), read: createAnswer(200) };
  const calls: string[] = [];
  const recordAndAnswer = (name: string, answerName: keyof typeof answers) => async () => {
    calls.push(name);
    return answers[answerName];
  };
  const writer = {
    update: recordAndAnswer("update", "silently"),
    updateSilently: recordAndAnswer("update", "silently"),
    addMessage: recordAndAnswer("add", "add"),
    read: recordAndAnswer("read", "read"),
  };
  const announcer = new CardUpdater(writer, backend.notices, clock.read);
  const readCard = async () => {
    const card = await backend.card(passId);
    if (card === null) throw new Error("the card is gone");
    return { issued: card, areOtherChangesSent: true, isSurelyInWallet: true, hasTimeLeft: () => true };
  };
  const countAdditions = () => calls.filter((name) => name === "add").length;
  return { announcer, answers, clock, issued: readCard, messageId, additions: countAdditions };
}

describe("a message to a card at Google", () => {
  it("is added by only one of two concurrent updates of the card", async () => {
    const { announcer, issued, additions } = await createWaitingCard();
    const same = await issued();
    const brought = await Promise.all([announcer.update(same), announcer.update(same)]);
    expect(additions()).toBe(1);
    expect(brought.filter((one) => one === null)).toHaveLength(1);
  });

  it("isn't added again while an unanswered call may still be running", async () => {
    const { announcer, answers, clock, issued, additions } = await createWaitingCard();
    answers.add = createAnswer(0, { reason: "lost" });
    await announcer.update(await issued());
    clock.move(14_000);
    const soon = await announcer.update(await issued());
    expect([additions(), soon?.response.waitMs, soon?.notification]).toEqual([1, 1_000, null]);
    clock.move(1_000);
    await announcer.update(await issued());
    expect(additions()).toBe(2);
  });

  it("that is there counts as announced with a notification, even if the response was lost", async () => {
    const { announcer, answers, clock, issued, messageId, additions } = await createWaitingCard();
    answers.add = createAnswer(0, { reason: "lost" });
    await announcer.update(await issued());
    clock.move(15_000);
    answers.read = createAnswer(200, { body: { messages: [{ id: messageId, messageType: "TEXT" }] } });
    expect((await announcer.update(await issued()))?.notification).toBe("aloud");
    expect(additions()).toBe(1);
  });

  it("for which Google sends no notification counts as silent, even if the response to that was lost", async () => {
    const { announcer, answers, clock, issued, messageId } = await createWaitingCard();
    answers.add = createAnswer(403, { reason: "quotaExceeded" });
    answers.silently = createAnswer(0, { reason: "lost" });
    await announcer.update(await issued());
    clock.move(60_000);
    answers.read = createAnswer(200, { body: { messages: [{ id: messageId, messageType: "TEXT" }] } });
    answers.silently = createAnswer(200);
    expect((await announcer.update(await issued()))?.notification).toBe("silently");
  });
});
