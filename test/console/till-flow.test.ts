import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_QUEUED } from "../../adapters/apps/console/browser/till/queued-card.js";
import { MAX_RECENT } from "../../adapters/apps/console/browser/till/till-state.js";
import { createTillBeforeServer, type Fate } from "./till-server.js";

/** Milliseconds after a question appears during which presses are ignored. */
const A_MOMENT = 300;

const codes = ["aaaaaaaaaaa1", "bbbbbbbbbbb2", "ccccccccccc3"];
const [ada, bo] = ["aaaaaaaaaaa1", "bbbbbbbbbbb2"];

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ scan: fc.constantFrom(...codes) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      fate: fc.constantFrom<Fate>("answered", "answered", "unsent", "unanswered", "under way"),
    }),
  },
  { weight: 3, arbitrary: fc.constantFrom("add", "next") },
  { weight: 3, arbitrary: fc.record({ wait: fc.constantFrom(A_MOMENT, 1_000, 31_000) }) },
);

/** Adds a stamp to a card without a connection, so that it is stored on the device. */
async function saveStamp() {
  const till = createTillBeforeServer(false);
  till.scan(ada);
  await till.answerCall("unsent");
  till.later(A_MOMENT);
  till.add();
  await till.runPendingPromises();
  const idempotencyKey = till.currentState().outcome?.queued?.key ?? "";
  const base = { id: 1, organizationId: "acme", scannedAt: 0, sentAt: null, refusal: null };
  return { till, scan: { ...base, card: { code: ada }, count: 1, idempotencyKey } };
}

describe("turns at a till", () => {
  it("give every stamp to the card that was scanned, whatever is lost, asked or pressed in the meantime", async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 80 }), async (isEveryScanAStamp, steps) => {
        const till = createTillBeforeServer(isEveryScanAStamp);
        const expectedCounts = new Map<string, number>();
        const addWanted = (code: string) => expectedCounts.set(code, (expectedCounts.get(code) ?? 0) + 1);
        for (const each of steps) {
          if (each === "next") till.next();
          else if (each === "add") {
            const { currentCard, tillCard, isBusy, isPressIgnored, isUnreachable } = till.currentState();
            const isMeant = !isBusy && !isPressIgnored && (tillCard !== null || isUnreachable);
            if (currentCard !== null && isMeant) addWanted(currentCard.code);
            till.add();
            await till.runPendingPromises();
          } else if ("scan" in each) till.scan(each.scan);
          else if ("wait" in each) till.later(each.wait);
          else await till.answerCall(each.fate);
        }
        await till.answerAll();
        while (till.currentState().waiting.length > 0) {
          till.later(A_MOMENT);
          till.next();
          await till.answerAll();
        }
        const turns = new Map(
          till.states.flatMap(({ currentCard, waiting }) =>
            [...waiting, ...(currentCard === null ? [] : [currentCard])].map(
              (each) => [each.id, each] as const,
            ),
          ),
        );
        const askedTurnIds = new Set(
          till.states
            .filter(({ isAsking, outcome }) => isAsking && outcome === null)
            .map(({ currentCard }) => currentCard?.id),
        );
        for (const { id, code } of turns.values()) {
          if (isEveryScanAStamp && !askedTurnIds.has(id)) addWanted(code);
        }
        till.sendStoredScans();
        for (const code of codes) expect(till.getCard(code).stamps).toBe(expectedCounts.get(code) ?? 0);
        expect(turns.size).toBe(steps.filter((each) => typeof each === "object" && "scan" in each).length);
      }),
    );
  });

  it("wait in line, at most 20; one more is refused with a signal, and none of the others is lost", async () => {
    const till = createTillBeforeServer(true);
    for (let at = 0; at < MAX_QUEUED + 1; at += 1) till.scan(`card${String(at).padStart(8, "0")}`);
    expect([till.currentState().waiting.length, till.signals]).toEqual([MAX_QUEUED, []]);
    till.scan(ada);
    expect(till.currentState()).toMatchObject({
      errorText: expect.stringContaining("20 cards are already waiting"),
    });
    expect([till.currentState().waiting.length, till.signals]).toEqual([MAX_QUEUED, ["bad"]]);
    await till.answerAll();
    expect([till.currentState().waiting.length, till.signals.length]).toEqual([0, 1 + MAX_QUEUED + 1]);
    expect(till.currentState().recentActions.length).toBe(MAX_RECENT);
    expect(till.getCard(ada).stamps).toBe(0);
    till.scan(ada);
    await till.answerAll();
    expect([till.getCard(ada).stamps, till.currentState().errorText]).toEqual([1, ""]);
  });

  it("with an unknown code are left out of the recent customers", async () => {
    const till = createTillBeforeServer(false);
    till.scan(ada);
    await till.answerCall("unknown");
    expect(till.currentState()).toMatchObject({
      outcome: { isGood: false, text: "No card has this code." },
      recentActions: [],
    });
  });

  it("report saved stamps as sent once they are, and then show whose card it is", async () => {
    const { till, scan } = await saveStamp();
    const saved = { outcome: { text: "Saved: +1 stamp" }, isUnreachable: true, tillCard: null };
    expect(till.currentState()).toMatchObject(saved);
    void till.flow().noteScans([scan]);
    await till.answerAll();
    expect(till.currentState()).toMatchObject(saved);
    till.sendStoredScans();
    void till.flow().noteScans([]);
    await till.answerAll();
    expect(till.currentState()).toMatchObject({
      outcome: { text: "Sent: +1 stamp", name: `Card ${ada}`, undo: null },
      recentActions: [{ text: "Sent: +1 stamp", name: `Card ${ada}` }],
      isUnreachable: false,
      tillCard: { state: { currentStamps: 1 } },
    });
  });

  it("never report a saved stamp as sent after the server refused it", async () => {
    const { till, scan } = await saveStamp();
    void till.flow().noteScans([{ ...scan, refusal: "No card has this code." }]);
    void till.flow().noteScans([]);
    await till.answerAll();
    expect(till.currentState().outcome?.text).toBe("Saved: +1 stamp");
  });

  it("stop for a card that was stamped within 30 seconds, until someone says whether to stamp it again", async () => {
    const till = createTillBeforeServer(true);
    till.scan(ada);
    await till.answerAll();
    till.later(29_000);
    till.scan(ada);
    till.scan(bo);
    await till.answerAll();
    expect(till.currentState()).toMatchObject({
      isAsking: true,
      secondsSinceStamp: 29,
      waiting: [{ code: bo }],
    });
    expect([till.getCard(ada).stamps, till.getCard(bo).stamps, till.signals]).toEqual([
      1,
      0,
      ["good", "asks"],
    ]);
    till.later(A_MOMENT);
    till.next();
    await till.answerAll();
    expect([till.getCard(ada).stamps, till.getCard(bo).stamps]).toEqual([1, 1]);
    till.later(30_000);
    till.scan(ada);
    await till.answerAll();
    expect([till.getCard(ada).stamps, till.currentState().isAsking]).toEqual([2, false]);
  });

  it("don't ask about a card whose stamp was undone", async () => {
    const till = createTillBeforeServer(true);
    till.scan(ada);
    await till.answerAll();
    void till.flow().undo(till.currentState().outcome?.id ?? 0);
    await till.answerAll();
    expect([till.getCard(ada).stamps, till.currentState().outcome?.text]).toEqual([0, "1 stamp undone"]);
    till.scan(ada);
    await till.answerAll();
    expect([till.getCard(ada).stamps, till.currentState().isAsking]).toEqual([1, false]);
  });

  it("count the day's stamps, rewards and purchases, except those that were undone", async () => {
    const till = createTillBeforeServer(false, true);
    till.scan(ada);
    await till.answerAll();
    till.book(500);
    await till.answerAll();
    till.add(3);
    till.later(A_MOMENT);
    till.add(3);
    await till.answerAll();
    till.later(A_MOMENT);
    till.redeem();
    await till.answerAll();
    expect(till.day).toEqual({ stamps: 3, rewards: 1, purchases: 1 });
    for (const { id } of till.currentState().recentActions) {
      void till.flow().undo(id);
      await till.answerAll();
    }
    expect(till.day).toEqual({ stamps: 0, rewards: 0, purchases: 0 });
  });

  it("stop for a waiting reward, before a stamp and after the stamp that earned it", async () => {
    const till = createTillBeforeServer(true);
    Object.assign(till.getCard(ada), { stamps: 2 });
    till.scan(ada);
    till.scan(bo);
    await till.answerAll();
    expect(till.currentState()).toMatchObject({
      isAsking: true,
      outcome: { text: "Card full. Reward earned!" },
      waiting: [{ code: bo }],
    });
    till.later(A_MOMENT);
    till.redeem();
    await till.answerAll();
    expect([till.getCard(ada), till.getCard(bo).stamps]).toEqual([{ stamps: 3, rewards: 0 }, 1]);
    Object.assign(till.getCard("ccccccccccc3"), { rewards: 1 });
    till.scan("ccccccccccc3");
    // A press at this moment is too early to be about it.
    till.next();
    await till.answerAll();
    expect([till.currentState().isAsking, till.getCard("ccccccccccc3").stamps]).toEqual([true, 0]);
    expect(till.signals).toEqual(["asks", "good", "good", "asks"]);
  });

  it("save a stamp whose first try is still running, and don't report a refusal", async () => {
    for (const isEveryScanAStamp of [true, false]) {
      const till = createTillBeforeServer(isEveryScanAStamp);
      till.scan(ada);
      await till.runPendingPromises();
      await till.answerCall();
      till.later(A_MOMENT);
      till.add();
      await till.answerCall("under way");
      expect(till.currentState().outcome).toMatchObject({ isGood: true, text: "Saved: +1 stamp" });
      till.sendStoredScans();
      expect([till.getCard(ada).stamps, till.signals]).toEqual([1, ["good"]]);
    }
  });

  it("redeem one reward for presses whose responses are lost or whose first try is still running", async () => {
    const till = createTillBeforeServer(false);
    Object.assign(till.getCard(ada), { rewards: 2 });
    till.scan(ada);
    await till.answerAll();
    till.later(A_MOMENT);
    for (const fate of ["unanswered", "under way"] as const) {
      till.redeem();
      await till.answerCall(fate);
    }
    till.redeem();
    await till.answerAll();
    expect([till.getCard(ada).rewards, till.currentState().outcome?.text]).toEqual([1, "Reward redeemed"]);
  });

  it("undo any of the last 20 actions on its own card, and only once for several presses", async () => {
    const till = createTillBeforeServer(true);
    for (const code of codes) till.scan(code);
    await till.answerAll();
    const [, second] = till.currentState().recentActions;
    for (let press = 0; press < 2; press += 1) void till.flow().undo(second?.id ?? 0);
    await till.answerCall("unanswered");
    void till.flow().undo(second?.id ?? 0);
    await till.answerAll();
    expect(codes.map((code) => till.getCard(code).stamps)).toEqual([1, 0, 1]);
  });

  it("don't stamp a card that was chosen on the screen until someone presses the button", async () => {
    const till = createTillBeforeServer(true);
    till.scan(ada);
    await till.answerAll();
    const { tillCard } = till.currentState();
    till.later(31_000);
    till.flow().choose("Ada", tillCard?.pass.qrCodeValue ?? "");
    await till.answerAll();
    expect([till.getCard(ada).stamps, till.currentState().tillCard?.pass.id]).toEqual([1, ada]);
    till.add(2);
    await till.answerAll();
    expect(till.getCard(ada).stamps).toBe(3);
  });

  it("don't take the second of two fast presses as the answer to the question about the next card", async () => {
    const till = createTillBeforeServer(true);
    for (const code of [ada, bo]) Object.assign(till.getCard(code), { rewards: 1 });
    for (const code of codes) till.scan(code);
    await till.answerAll();
    till.later(A_MOMENT);
    till.next();
    await till.answerAll();
    for (const press of [till.next, till.add, till.redeem]) press();
    till.later(A_MOMENT - 1);
    for (const press of [till.next, till.add, till.redeem]) press();
    await till.answerAll();
    expect(till.currentState()).toMatchObject({
      currentCard: { code: bo },
      isAsking: true,
      isPressIgnored: true,
    });
    expect([till.getCard(bo), till.getCard("ccccccccccc3").stamps]).toEqual([{ stamps: 0, rewards: 1 }, 0]);
    till.later(1);
    till.redeem();
    await till.answerAll();
    expect([till.getCard(bo).rewards, till.getCard("ccccccccccc3").stamps]).toEqual([0, 1]);
  });

  it("give one stamp for two fast presses, and don't end before their result was visible", async () => {
    const till = createTillBeforeServer(false);
    till.scan(ada);
    till.scan(bo);
    await till.answerAll();
    till.later(A_MOMENT);
    till.add();
    await till.answerAll();
    for (const press of [till.add, till.next]) press();
    await till.answerAll();
    expect([till.getCard(ada).stamps, till.currentState().currentCard?.code]).toEqual([1, ada]);
    till.later(A_MOMENT);
    for (let press = 0; press < 2; press += 1) till.next();
    await till.answerAll();
    expect(till.currentState().currentCard?.code).toBe(bo);
  });

  it("give one stamp each, even if the browser is killed repeatedly, whatever has arrived by then", async () => {
    const all = Array.from({ length: 12 }, (_, at) => `card${String(at).padStart(8, "0")}`);
    const action = fc.oneof(
      { weight: 3, arbitrary: fc.constant("scan" as const) },
      {
        weight: 5,
        arbitrary: fc.record({
          fate: fc.constantFrom<Fate>("answered", "unsent", "unanswered", "under way"),
        }),
      },
      { weight: 2, arbitrary: fc.record({ haveArrived: fc.boolean() }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (deeds) => {
        const till = createTillBeforeServer(true);
        let scannedCount = 0;
        for (const each of deeds) {
          if (each === "scan") {
            const code = all[scannedCount];
            if (code !== undefined) till.scan(code);
            scannedCount += 1;
          } else if ("fate" in each) await till.answerCall(each.fate);
          else await till.killTill(each.haveArrived);
        }
        await till.answerAll();
        till.sendStoredScans();
        expect(all.map((code) => till.getCard(code).stamps)).toEqual(
          all.map((_, at) => (at < scannedCount ? 1 : 0)),
        );
      }),
    );
  });

  it("ask the same question after the browser is killed, and count a press sent before and its repeat once", async () => {
    const till = createTillBeforeServer(true);
    till.scan(ada);
    await till.answerAll();
    till.later(5_000);
    till.scan(ada);
    till.scan(bo);
    till.scan(bo);
    await till.answerAll();
    till.later(60_000);
    till.add();
    await till.killTill(true);
    await till.answerAll();
    expect(till.currentState()).toMatchObject({
      isAsking: true,
      secondsSinceStamp: 5,
      waiting: [{ code: bo }, { code: bo }],
    });
    till.later(A_MOMENT);
    till.add();
    await till.answerAll();
    expect([till.getCard(ada).stamps, till.getCard(bo).stamps]).toEqual([2, 1]);
    expect(till.currentState()).toMatchObject({
      isAsking: true,
      secondsSinceStamp: 0,
      currentCard: { code: bo },
    });
  });

  it("are discarded with an error if they waited for longer than the server remembers their keys", async () => {
    const till = createTillBeforeServer(true);
    for (const code of codes) till.scan(code);
    till.later(24 * 3_600_000);
    await till.killTill(false);
    await till.answerAll();
    expect(till.currentState()).toMatchObject({
      currentCard: null,
      errorText: expect.stringContaining("3 cards waited"),
    });
    expect(codes.map((code) => till.getCard(code).stamps)).toEqual([0, 0, 0]);
  });

  it("don't resume if only a press gives stamps, but the waiting cards come back", async () => {
    const till = createTillBeforeServer(false);
    till.scan(ada);
    till.scan(bo);
    await till.killTill(false);
    await till.answerAll();
    expect([till.currentState().currentCard?.code, till.getCard(bo).stamps]).toEqual([bo, 0]);
  });
});

describe("amounts at a till", () => {
  it("are each booked once, even if the browser is killed repeatedly, whatever has arrived by then", async () => {
    const all = Array.from({ length: 6 }, (_, at) => `card${String(at).padStart(8, "0")}`);
    const action = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom("scan" as const, "book" as const) },
      {
        weight: 5,
        arbitrary: fc.record({ fate: fc.constantFrom<Fate>("answered", "unsent", "unanswered") }),
      },
      { weight: 2, arbitrary: fc.record({ haveArrived: fc.boolean() }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (deeds) => {
        const till = createTillBeforeServer(true, true);
        let scannedCount = 0;
        const book = async () => {
          till.later(A_MOMENT);
          if (till.currentState().isPadOpen) till.book(500);
          await till.runPendingPromises();
        };
        for (const each of deeds) {
          if (each === "scan") {
            const code = all[scannedCount];
            if (code !== undefined) till.scan(code);
            scannedCount += 1;
          } else if (each === "book") {
            await till.answerAll();
            await book();
          } else if ("fate" in each) await till.answerCall(each.fate);
          else await till.killTill(each.haveArrived);
        }
        for (let at = 0; at <= all.length; at += 1) {
          await till.answerAll();
          await book();
        }
        await till.answerAll();
        till.sendStoredScans();
        for (const [at, code] of all.entries()) {
          const expected = at < scannedCount ? [{ card: code, amount: 500, isReturned: false }] : [];
          expect(till.listPurchases(code)).toEqual(expected);
          // No card gets an additional stamp.
          expect(till.getCard(code).stamps).toBe(0);
        }
      }),
    );
  });

  it("each have their own number, even after one was undone before it was known whether it arrived", async () => {
    const till = createTillBeforeServer(false, true);
    till.scan(ada);
    await till.answerAll();
    till.book(500);
    await till.answerCall("unanswered");
    expect(till.currentState().outcome?.text).toBe("Saved: €5.00");
    void till.flow().undo(till.currentState().outcome?.id ?? 0);
    await till.answerAll();
    expect(till.currentState().outcome?.text).toBe("€5.00 undone");
    till.later(A_MOMENT);
    till.openPad();
    till.book(700);
    await till.answerAll();
    till.sendStoredScans();
    expect(till.listPurchases(ada)).toEqual([
      { card: ada, amount: 500, isReturned: true },
      { card: ada, amount: 700, isReturned: false },
    ]);
  });

  it("keep their number and stay on the screen if the server refuses them", async () => {
    const till = createTillBeforeServer(false, true);
    till.scan(ada);
    await till.answerAll();
    till.book(500);
    await till.answerCall("unknown");
    expect(till.currentState()).toMatchObject({
      isPadOpen: true,
      amountText: "500",
      outcome: { isGood: false },
    });
    till.later(A_MOMENT);
    till.book(500);
    await till.answerAll();
    expect(till.listPurchases(ada)).toHaveLength(1);
    expect(till.currentState()).toMatchObject({ isPadOpen: false, outcome: { text: "5 stamps" } });
  });

  it("are booked once for two fast presses of the same amount, and not at all if zero", async () => {
    const till = createTillBeforeServer(false, true);
    till.scan(ada);
    await till.answerAll();
    till.book(0);
    await till.answerAll();
    expect(till.currentState().isPadOpen).toBe(true);
    till.book(500);
    till.book(500);
    await till.answerAll();
    till.book(500);
    await till.answerAll();
    expect(till.listPurchases(ada)).toHaveLength(1);
  });

  it("are stored on the device by the card's code if the card can't be looked up", async () => {
    const till = createTillBeforeServer(true, true);
    till.scan(ada);
    till.scan(bo);
    await till.answerCall("unsent");
    expect(till.currentState()).toMatchObject({
      isUnreachable: true,
      isAsking: true,
      offer: { isCustomerKnown: false },
    });
    till.later(A_MOMENT);
    till.book(500);
    await till.runPendingPromises();
    expect(till.currentState().currentCard?.code).toBe(bo);
    await till.answerCall("unsent");
    till.later(A_MOMENT);
    till.skip();
    await till.answerAll();
    till.sendStoredScans();
    expect([till.listPurchases(ada).length, till.listPurchases(bo).length]).toEqual([1, 0]);
    expect([till.getCard(ada).stamps, till.getCard(bo).stamps]).toEqual([0, 1]);
  });
});
