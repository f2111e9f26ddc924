import type { GoogleFault } from "loyalty-kit/testing";
import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../../src/internals.js";
import { createPhone } from "../some-shop.js";
import { aloud, DAY_MS, openMessages, silently, waiting } from "./message-scene.js";

const ADD = "POST /loyaltyObject/card/addMessage 200";
const PATCH = "PATCH /loyaltyObject/card 200";
const GET = "GET /loyaltyObject/card 200";

describe("a message to a card at Google", () => {
  it("takes one call, which notifies people", async () => {
    const { id, tell, deliver, shownOn, listNotices, readOutcome, google } = await openMessages();
    const { messageId, deliveryId } = await tell(id);
    expect(await deliver()).toEqual([ADD]);
    expect([shownOn(), listNotices()]).toEqual([[messageId], [messageId]]);
    expect(await readOutcome(deliveryId)).toEqual(aloud);
    expect(await deliver()).toEqual([]);
    expect(google.complaints).toEqual([]);
  });

  it("is shown under the title of the card, in all its languages, until its end", async () => {
    const { id, objectId, tell, deliver, shown, clock } = await openMessages();
    const until = clock.read() + DAY_MS;
    const createText = (language: string, wallet: string) => ({
      language,
      wallet,
      subject: null,
      text: null,
    });
    await tell(id, [createText("de", "Kuchen: {toGo}"), createText("en", "Cake: {toGo}")], until);
    await deliver();
    expect(shown(objectId).messages).toMatchObject([
      { id: "next" },
      {
        header: "Coffee card",
        body: "Kuchen: 5",
        localizedBody: {
          defaultValue: { language: "de", value: "Kuchen: 5" },
          translatedValues: [{ language: "en", value: "Cake: 5" }],
        },
        displayInterval: { end: { date: new Date(until).toISOString() } },
        messageType: "TEXT_AND_NOTIFY",
      },
    ]);
  });

  it("follows a silent update for a stamp that came with it, so that people are notified once", async () => {
    const { acme, id, objectId, tell, deliver, shown, shownOn, listNotices } = await openMessages();
    await acme.stamps.add(id);
    const { messageId } = await tell(id);
    expect(await deliver()).toEqual([PATCH, ADD]);
    expect(shown(objectId).loyaltyPoints).toMatchObject({ balance: { string: "1/5" } });
    expect([shownOn(), listNotices()]).toEqual([[messageId], [messageId]]);
  });

  it("replaces an older one", async () => {
    const { id, tell, deliver, shownOn, listNotices, clock } = await openMessages();
    const older = await tell(id);
    await deliver();
    clock.move(1_000);
    const newer = await tell(id);
    await deliver();
    expect(shownOn()).toEqual([newer.messageId]);
    expect(listNotices()).toEqual([older.messageId, newer.messageId]);
  });

  it("stays on the card when stamps come, which people are notified of as usual", async () => {
    const { acme, id, tell, deliver, shownOn, listNotices } = await openMessages();
    const { messageId } = await tell(id, "{toGo} to go");
    await deliver();
    await acme.stamps.add(id);
    expect(await deliver()).toEqual([PATCH]);
    expect([shownOn(), listNotices()]).toEqual([[messageId], [messageId, null]]);
  });

  it("isn't added again after a lost response, but looked up", async () => {
    const { id, tell, deliver, shownOn, listNotices, readOutcome, google, clock } = await openMessages();
    const { messageId, deliveryId } = await tell(id);
    google.script("lost");
    await deliver();
    expect(await readOutcome(deliveryId)).toEqual(waiting);
    // A call may be so late that an immediate lookup would miss it.
    clock.move(10_000);
    expect(await deliver()).toEqual([]);
    clock.move(6_000);
    expect(await deliver()).toEqual([GET]);
    expect(await readOutcome(deliveryId)).toEqual(aloud);
    expect([shownOn(), listNotices()]).toEqual([[messageId], [messageId]]);
  });

  it("is there only once when the call is executed late", async () => {
    const { id, tell, deliver, shownOn, listNotices, google, clock } = await openMessages();
    const { messageId } = await tell(id);
    google.script("late");
    await deliver();
    clock.move(14_000);
    expect(await deliver()).toEqual([]);
    await google.arrive();
    clock.move(2_000);
    expect(await deliver()).toEqual([GET]);
    expect([shownOn(), listNotices()]).toEqual([[messageId], [messageId]]);
  });

  it.each<[string, GoogleFault]>([
    ["is dropped", "drop"],
    ["is throttled", { status: 429, reason: "rateLimitExceeded" }],
    ["fails at Google", { status: 503, reason: "backendError" }],
  ])("is added even if the first call %s", async (_, fault) => {
    const { id, tell, deliver, shownOn, listNotices, readOutcome, google, clock, errors } =
      await openMessages();
    const { messageId, deliveryId } = await tell(id);
    google.script(fault);
    await deliver();
    clock.move(17_000);
    expect(await deliver()).toEqual([GET, ADD]);
    expect(await readOutcome(deliveryId)).toEqual(aloud);
    expect([shownOn(), listNotices(), errors]).toEqual([[messageId], [messageId], []]);
  });

  it("is found after a lost response, and a stamp that came since is written with it", async () => {
    const { acme, id, objectId, tell, deliver, shown, shownOn, listNotices, google, clock } =
      await openMessages();
    const { messageId } = await tell(id);
    google.script("lost");
    await deliver();
    await acme.stamps.add(id);
    clock.move(17_000);
    expect(await deliver()).toEqual([GET, PATCH]);
    expect(shown(objectId).loyaltyPoints).toMatchObject({ balance: { string: "1/5" } });
    expect([shownOn(), listNotices()]).toEqual([[messageId], [messageId, null]]);
  });

  it("is silent, without a request, after three notifications in 24 hours, and notifies again later", async () => {
    const { id, tell, deliver, shownOn, listNotices, readOutcome, clock } = await openMessages();
    const notices = [];
    for (let at = 0; at < 4; at += 1) {
      clock.move(60_000);
      notices.push(await tell(id));
      if (at < 3) await deliver();
    }
    expect(await deliver()).toEqual([PATCH]);
    const [first, second, third, fourth] = notices;
    expect(listNotices()).toEqual([first?.messageId, second?.messageId, third?.messageId]);
    expect(shownOn()).toEqual([fourth?.messageId]);
    expect(await readOutcome(fourth?.deliveryId ?? "")).toEqual(silently);
    clock.move(DAY_MS);
    const fifth = await tell(id);
    await deliver();
    expect([listNotices().at(-1), shownOn()]).toEqual([fifth.messageId, [fifth.messageId]]);
    expect(await readOutcome(fifth.deliveryId)).toEqual(aloud);
  });

  it("is silent when Google says that people were notified of stamps three times", async () => {
    const { acme, id, tell, deliver, shownOn, listNotices, readOutcome, clock, errors } =
      await openMessages();
    for (let stamp = 0; stamp < 3; stamp += 1) {
      await acme.stamps.add(id);
      await deliver();
      clock.move(1_000);
    }
    const { messageId, deliveryId } = await tell(id);
    expect(await deliver()).toEqual(["POST /loyaltyObject/card/addMessage 403", PATCH]);
    expect([listNotices(), shownOn()]).toEqual([[null, null, null], [messageId]]);
    expect([await readOutcome(deliveryId), errors]).toEqual([silently, []]);
  });

  it("counts towards the limit of notifications, so stamps don't request one", async () => {
    const { acme, id, tell, deliver, listNotices, clock } = await openMessages();
    for (let at = 0; at < 3; at += 1) {
      await tell(id);
      await deliver();
      clock.move(1_000);
    }
    await acme.stamps.add(id);
    expect(await deliver()).toEqual([PATCH]);
    expect(listNotices()).not.toContain(null);
  });

  it("isn't shown after its end, even before the card is updated, and is removed silently", async () => {
    const { acme, id, objectId, tell, deliver, shown, shownOn, listNotices, messages, clock } =
      await openMessages();
    const { messageId } = await tell(id, "Cake", clock.read() + 3_600_000);
    await deliver();
    clock.move(3_600_000);
    expect(shownOn()).toEqual([]);
    await messages.clear(messageId);
    expect(await deliver()).toEqual([PATCH]);
    expect(shown(objectId).messages).toMatchObject([{ id: "next" }]);
    expect(listNotices()).toEqual([messageId]);
    await acme.stamps.add(id);
    await deliver();
    expect(listNotices()).toEqual([messageId, null]);
  });

  it("isn't added if it was canceled before", async () => {
    const { id, tell, deliver, shownOn, listNotices, messages } = await openMessages();
    const { messageId } = await tell(id);
    await messages.cancel(messageId);
    expect(await deliver()).toEqual([PATCH]);
    expect([shownOn(), listNotices()]).toEqual([[], []]);
  });

  it("notifies no one once its delivery has ended, but is still written", async () => {
    const { id, tell, deliver, shownOn, listNotices, messages } = await openMessages();
    const { messageId } = await tell(id);
    await messages.show(messageId, [{ passId: id, deliveryId: null }]);
    expect(await deliver()).toEqual([PATCH]);
    expect([shownOn(), listNotices()]).toEqual([[messageId], []]);
  });

  it("is skipped as no_wallet for a card that its customer has removed", async () => {
    const { acme, id, objectId, tell, deliver, listNotices, readOutcome, google, clock } =
      await openMessages();
    clock.move(DAY_MS);
    await google.remove(objectId, false);
    await acme.stamps.add(id);
    const { deliveryId } = await tell(id);
    expect(await deliver()).toEqual([PATCH]);
    expect(await readOutcome(deliveryId)).toMatchObject({ status: "SKIPPED", reason: "no_wallet" });
    expect(listNotices()).toEqual([]);
  });

  it("is delivered to a customer who just added the card, even if Google doesn't show that everywhere yet", async () => {
    const { acme, id, objectId, tell, deliver, readOutcome, google } = await openMessages();
    await google.remove(objectId, false);
    await acme.stamps.add(id);
    const { deliveryId } = await tell(id);
    expect(await deliver()).toEqual([PATCH, ADD]);
    expect(await readOutcome(deliveryId)).toEqual(aloud);
  });

  it("waits for a phone that also has the card if no one has it at Google", async () => {
    const { id, objectId, tell, deliver, readOutcome, google, clock, loyalty } = await openMessages();
    await serviceInternals(loyalty).createWalletBackend(0).devices.register("acme", createPhone(id));
    clock.move(DAY_MS);
    await google.remove(objectId, false);
    const { deliveryId } = await tell(id);
    await deliver();
    expect(await readOutcome(deliveryId)).toEqual(waiting);
  });

  it("is on a card that is created at Google only later, and notifies no one", async () => {
    const { newPass, save, tell, shownOn, listNotices } = await openMessages();
    const pass = await newPass();
    const { messageId } = await tell(pass.id);
    await save(pass.url);
    expect([shownOn(pass.objectId), listNotices()]).toEqual([[messageId], []]);
  });

  it("blocks no other card when Google refuses it, and the reason is reported", async () => {
    const { acme, id, newCard, tell, deliver, google, errors, shown } = await openMessages();
    const other = await newCard();
    await tell(id);
    google.script({ status: 400, reason: "invalidMessage" });
    await deliver();
    await acme.stamps.add(other.id);
    await deliver();
    expect(errors.map(String)).toEqual(["Error: Google Wallet rejected a card: 400 invalidMessage"]);
    expect(shown(other.objectId).loyaltyPoints).toMatchObject({ balance: { string: "1/5" } });
  });
});
