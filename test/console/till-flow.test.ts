import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_QUEUED } from "../../adapters/apps/console/browser/till/queued-card.js";
import { MAX_RECENT } from "../../adapters/apps/console/browser/till/till-state.js";
import { type Fate, tillBeforeServer } from "./till-server.js";

/** In milliseconds; a press sooner than that after what it answers came up does nothing. */
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

describe("the turns at a till", () => {
  it("give every stamp to the card that was scanned, whatever is lost, asked or pressed meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 80 }), async (isEveryScanAStamp, steps) => {
        const till = tillBeforeServer(isEveryScanAStamp);
        const wanted = new Map<string, number>();
        const want = (code: string) => wanted.set(code, (wanted.get(code) ?? 0) + 1);
        for (const each of steps) {
          if (each === "next") till.next();
          else if (each === "add") {
            const { currentCard, found, isBusy, isPressIgnored, isUnreachable } = till.state();
            const isMeant = !isBusy && !isPressIgnored && (found !== null || isUnreachable);
            if (currentCard !== null && isMeant) want(currentCard.code);
            till.add();
            await till.settle();
          } else if ("scan" in each) till.scan(each.scan);
          else if ("wait" in each) till.later(each.wait);
          else await till.answer(each.fate);
        }
        await till.answerAll();
        while (till.state().waiting.length > 0) {
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
        const asked = new Set(
          till.states
            .filter(({ isAsking, outcome }) => isAsking && outcome === null)
            .map(({ currentCard }) => currentCard?.id),
        );
        for (const { id, code } of turns.values()) {
          if (isEveryScanAStamp && !asked.has(id)) want(code);
        }
        till.sendKept();
        for (const code of codes) expect(till.cardOf(code).stamps).toBe(wanted.get(code) ?? 0);
        expect(turns.size).toBe(steps.filter((each) => typeof each === "object" && "scan" in each).length);
      }),
    );
  });

  it("wait for the one before, 20 at most: one more is refused aloud, and none of the others is lost", async () => {
    const till = tillBeforeServer(true);
    for (let at = 0; at < MAX_QUEUED + 1; at += 1) till.scan(`card${String(at).padStart(8, "0")}`);
    expect([till.state().waiting.length, till.signals]).toEqual([MAX_QUEUED, []]);
    till.scan(ada);
    expect(till.state()).toMatchObject({
      errorText: expect.stringContaining("20 cards are already waiting"),
    });
    expect([till.state().waiting.length, till.signals]).toEqual([MAX_QUEUED, ["bad"]]);
    await till.answerAll();
    expect([till.state().waiting.length, till.signals.length]).toEqual([0, 1 + MAX_QUEUED + 1]);
    expect(till.state().recentActions.length).toBe(MAX_RECENT);
    expect(till.cardOf(ada).stamps).toBe(0);
    till.scan(ada);
    await till.answerAll();
    expect([till.cardOf(ada).stamps, till.state().errorText]).toEqual([1, ""]);
  });

  it("stop for a card that was stamped within 30 seconds, until somebody says whether once more", async () => {
    const till = tillBeforeServer(true);
    till.scan(ada);
    await till.answerAll();
    till.later(29_000);
    till.scan(ada);
    till.scan(bo);
    await till.answerAll();
    expect(till.state()).toMatchObject({ isAsking: true, secondsSinceStamp: 29, waiting: [{ code: bo }] });
    expect([till.cardOf(ada).stamps, till.cardOf(bo).stamps, till.signals]).toEqual([1, 0, ["good", "asks"]]);
    till.later(A_MOMENT);
    till.next();
    await till.answerAll();
    expect([till.cardOf(ada).stamps, till.cardOf(bo).stamps]).toEqual([1, 1]);
    till.later(30_000);
    till.scan(ada);
    await till.answerAll();
    expect([till.cardOf(ada).stamps, till.state().isAsking]).toEqual([2, false]);
  });

  it("ask about no card whose stamp was taken back", async () => {
    const till = tillBeforeServer(true);
    till.scan(ada);
    await till.answerAll();
    void till.flow().undo(till.state().outcome?.id ?? 0);
    await till.answerAll();
    expect([till.cardOf(ada).stamps, till.state().outcome?.text]).toEqual([0, "1 stamp undone"]);
    till.scan(ada);
    await till.answerAll();
    expect([till.cardOf(ada).stamps, till.state().isAsking]).toEqual([1, false]);
  });

  it("stop for a reward that waits, before a stamp and after the one that earned it", async () => {
    const till = tillBeforeServer(true);
    Object.assign(till.cardOf(ada), { stamps: 2 });
    till.scan(ada);
    till.scan(bo);
    await till.answerAll();
    expect(till.state()).toMatchObject({
      isAsking: true,
      outcome: { text: "Card full. Reward earned!" },
      waiting: [{ code: bo }],
    });
    till.later(A_MOMENT);
    till.redeem();
    await till.answerAll();
    expect([till.cardOf(ada), till.cardOf(bo).stamps]).toEqual([{ stamps: 3, rewards: 0 }, 1]);
    Object.assign(till.cardOf("ccccccccccc3"), { rewards: 1 });
    till.scan("ccccccccccc3");
    // Whoever presses now has not seen it yet.
    till.next();
    await till.answerAll();
    expect([till.state().isAsking, till.cardOf("ccccccccccc3").stamps]).toEqual([true, 0]);
    expect(till.signals).toEqual(["asks", "good", "good", "asks"]);
  });

  it("keep a stamp whose first try is still under way, and say nothing of a refusal", async () => {
    for (const isEveryScanAStamp of [true, false]) {
      const till = tillBeforeServer(isEveryScanAStamp);
      till.scan(ada);
      await till.settle();
      await till.answer();
      till.later(A_MOMENT);
      till.add();
      await till.answer("under way");
      expect(till.state().outcome).toMatchObject({ isGood: true, text: "Saved: +1 stamp" });
      till.sendKept();
      expect([till.cardOf(ada).stamps, till.signals]).toEqual([1, ["good"]]);
    }
  });

  it("hand out one reward for presses whose answers are lost or whose first try is still under way", async () => {
    const till = tillBeforeServer(false);
    Object.assign(till.cardOf(ada), { rewards: 2 });
    till.scan(ada);
    await till.answerAll();
    till.later(A_MOMENT);
    for (const fate of ["unanswered", "under way"] as const) {
      till.redeem();
      await till.answer(fate);
    }
    till.redeem();
    await till.answerAll();
    expect([till.cardOf(ada).rewards, till.state().outcome?.text]).toEqual([1, "Reward redeemed"]);
  });

  it("take back every one of the last 20 on its own card, once however often it is pressed", async () => {
    const till = tillBeforeServer(true);
    for (const code of codes) till.scan(code);
    await till.answerAll();
    const [, second] = till.state().recentActions;
    for (let press = 0; press < 2; press += 1) void till.flow().undo(second?.id ?? 0);
    await till.answer("unanswered");
    void till.flow().undo(second?.id ?? 0);
    await till.answerAll();
    expect(codes.map((code) => till.cardOf(code).stamps)).toEqual([1, 0, 1]);
  });

  it("stamp nothing that was chosen on the screen until somebody presses", async () => {
    const till = tillBeforeServer(true);
    till.scan(ada);
    await till.answerAll();
    const { found } = till.state();
    till.later(31_000);
    till.flow().choose("Ada", found?.pass.qrCodeValue ?? "");
    await till.answerAll();
    expect([till.cardOf(ada).stamps, till.state().found?.pass.id]).toEqual([1, ada]);
    till.add(2);
    await till.answerAll();
    expect(till.cardOf(ada).stamps).toBe(3);
  });

  it("take no second press of two fast ones for an answer to the question about the next card", async () => {
    const till = tillBeforeServer(true);
    for (const code of [ada, bo]) Object.assign(till.cardOf(code), { rewards: 1 });
    for (const code of codes) till.scan(code);
    await till.answerAll();
    till.later(A_MOMENT);
    till.next();
    await till.answerAll();
    for (const press of [till.next, till.add, till.redeem]) press();
    till.later(A_MOMENT - 1);
    for (const press of [till.next, till.add, till.redeem]) press();
    await till.answerAll();
    expect(till.state()).toMatchObject({ currentCard: { code: bo }, isAsking: true, isPressIgnored: true });
    expect([till.cardOf(bo), till.cardOf("ccccccccccc3").stamps]).toEqual([{ stamps: 0, rewards: 1 }, 0]);
    till.later(1);
    till.redeem();
    await till.answerAll();
    expect([till.cardOf(bo).rewards, till.cardOf("ccccccccccc3").stamps]).toEqual([0, 1]);
  });

  it("give one stamp for two fast presses, and end no turn whose result nobody has seen", async () => {
    const till = tillBeforeServer(false);
    till.scan(ada);
    till.scan(bo);
    await till.answerAll();
    till.later(A_MOMENT);
    till.add();
    await till.answerAll();
    for (const press of [till.add, till.next]) press();
    await till.answerAll();
    expect([till.cardOf(ada).stamps, till.state().currentCard?.code]).toEqual([1, ada]);
    till.later(A_MOMENT);
    for (let press = 0; press < 2; press += 1) till.next();
    await till.answerAll();
    expect(till.state().currentCard?.code).toBe(bo);
  });

  it("are each one stamp, however often the browser is killed and whatever has arrived then", async () => {
    const all = Array.from({ length: 12 }, (_, at) => `card${String(at).padStart(8, "0")}`);
    const deed = fc.oneof(
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
      fc.asyncProperty(fc.array(deed, { maxLength: 60 }), async (deeds) => {
        const till = tillBeforeServer(true);
        let scanned = 0;
        for (const each of deeds) {
          if (each === "scan") {
            const code = all[scanned];
            if (code !== undefined) till.scan(code);
            scanned += 1;
          } else if ("fate" in each) await till.answer(each.fate);
          else await till.kill(each.haveArrived);
        }
        await till.answerAll();
        till.sendKept();
        expect(all.map((code) => till.cardOf(code).stamps)).toEqual(
          all.map((_, at) => (at < scanned ? 1 : 0)),
        );
      }),
    );
  });

  it("ask the same after a kill of the browser, and take a press that was sent before for the same", async () => {
    const till = tillBeforeServer(true);
    till.scan(ada);
    await till.answerAll();
    till.later(5_000);
    till.scan(ada);
    till.scan(bo);
    till.scan(bo);
    await till.answerAll();
    till.later(60_000);
    till.add();
    await till.kill(true);
    await till.answerAll();
    expect(till.state()).toMatchObject({
      isAsking: true,
      secondsSinceStamp: 5,
      waiting: [{ code: bo }, { code: bo }],
    });
    till.later(A_MOMENT);
    till.add();
    await till.answerAll();
    expect([till.cardOf(ada).stamps, till.cardOf(bo).stamps]).toEqual([2, 1]);
    expect(till.state()).toMatchObject({ isAsking: true, secondsSinceStamp: 0, currentCard: { code: bo } });
  });

  it("are let go aloud when they waited for longer than the server knows their keys", async () => {
    const till = tillBeforeServer(true);
    for (const code of codes) till.scan(code);
    till.later(24 * 3_600_000);
    await till.kill(false);
    await till.answerAll();
    expect(till.state()).toMatchObject({
      currentCard: null,
      errorText: expect.stringContaining("3 cards waited"),
    });
    expect(codes.map((code) => till.cardOf(code).stamps)).toEqual([0, 0, 0]);
  });

  it("are not gone on with where only a press gives stamps, but those that wait come back", async () => {
    const till = tillBeforeServer(false);
    till.scan(ada);
    till.scan(bo);
    await till.kill(false);
    await till.answerAll();
    expect([till.state().currentCard?.code, till.cardOf(bo).stamps]).toEqual([bo, 0]);
  });
});
